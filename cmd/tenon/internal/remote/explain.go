package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"
)

// unreachable says why a process could not be connected to, and what to do.
func unreachable(a Address, err error) error {
	if hint := hint(a, err); hint != "" {
		return fmt.Errorf("cannot connect to %s: %w\n%s", a, err, hint)
	}
	return fmt.Errorf("cannot connect to %s: %w", a, err)
}

func hint(a Address, err error) string {
	local := a.Kind == "unix" || a.Kind == "shm"
	nameless := local && strings.HasPrefix(a.Where, "@") // in no directory
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED) && nameless:
		return "Nobody listens under this name: is the process running, and in the same container (network namespace) as this command?"
	case errors.Is(err, fs.ErrPermission) && nameless:
		return "The process belongs to another user: run this command as that user."
	case errors.Is(err, fs.ErrNotExist) && local:
		return "There is no socket: is the process running, and does it serve at this path?"
	case errors.Is(err, syscall.ECONNREFUSED) && local:
		return "Nobody listens there: is the process running? One that was killed leaves its socket's file behind."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nobody listens at this port: is the process running, and does it serve at this address?"
	case errors.Is(err, fs.ErrPermission) && local:
		return "The socket's file belongs to another user: run this command as that user."
	case errors.As(err, &dns):
		return "The host has no address: is its name right?"
	case errors.As(err, &authority):
		return "Name who signed the server's certificate: --ca FILE"
	case errors.As(err, &name):
		return "Name what stands in the server's certificate: --server-name NAME"
	case errors.As(err, &record):
		return "It does not speak TLS: is it a tcp: address?"
	case errors.Is(err, context.DeadlineExceeded):
		return "It does not answer: is the address right, and the way there open?"
	}
	return ""
}

// Introduction says how this command shows who it is.
func Introduction(a Address) string {
	const token = "Show the token that it demands: --token TOKEN, or $TENON_TOKEN."
	switch a.Kind {
	case "tls":
		return "Show a certificate that it trusts: --cert FILE --key FILE. Or the token, if it demands one: --token TOKEN, or $TENON_TOKEN."
	case "tcp":
		return token
	}
	return token + " Or run this command as the user whose process it is."
}

// WantsCertificate reports whether a server ended the connection because of the
// certificate that it was shown, or was not.
func WantsCertificate(err error) bool {
	for _, alert := range []string{"certificate required", "bad certificate", "unknown certificate authority", "unknown certificate", "expired certificate"} {
		if strings.Contains(err.Error(), "remote error: tls: "+alert) {
			return true
		}
	}
	return false
}
