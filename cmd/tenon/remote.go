package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/remote"
)

// greetingTime is how long a process may take to be connected to and to say
// what it offers, if --timeout does not say less.
const greetingTime = 10 * time.Second

// A target is the process that ls and call talk to, from their command lines.
type target struct {
	token   string
	tls     remote.TLS
	timeout time.Duration
}

func (t *target) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.DurationVar(&t.timeout, "timeout", 0, "how long everything may take, such as 500ms; default: 10s to connect, and no limit after that")
	flags.StringVar(&t.token, "token", "", "the `token` that the server demands; default $TENON_TOKEN")
	flags.StringVar(&t.tls.Cert, "cert", "", "certificate to show to a tls: server, a PEM `file`")
	flags.StringVar(&t.tls.Key, "key", "", "its private key, a PEM `file`")
	flags.StringVar(&t.tls.CA, "ca", "", "who signs the server's certificate, a PEM `file`; default: whom this system trusts")
	flags.StringVar(&t.tls.ServerName, "server-name", "", "`name` in the server's certificate; default: the host of the address")
}

// bound is the context of everything that the command does.
func (t *target) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, t.timeout)
}

// timeUp reports whether err is that of --timeout. The other side has the same
// deadline, and may notice it a moment before.
func (t *target) timeUp(ctx context.Context, err error) bool {
	deadline, ok := ctx.Deadline()
	return ok && errors.Is(err, context.DeadlineExceeded) && time.Until(deadline) < t.timeout/10
}

// parse reads the address that the flags have to fit.
func (t *target) parse(cmd *cobra.Command, text string) (remote.Address, error) {
	address, err := remote.Parse(text)
	if err == nil {
		err = t.tls.Fit(address)
	}
	if err == nil && t.timeout < 0 {
		err = fmt.Errorf("--timeout %v: there is no time before now", t.timeout)
	}
	if err != nil {
		return address, usageError{cmd.CommandPath(), err}
	}
	return address, nil
}

// connect connects and asks what the process offers.
func (t *target) connect(ctx context.Context, address remote.Address) (*tenon.Conn, []tenon.Offer, error) {
	if t.token == "" {
		t.token = os.Getenv("TENON_TOKEN")
	}
	patience := greetingTime
	if t.timeout > 0 {
		patience = min(patience, t.timeout)
	}
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	link, err := remote.Dial(soon, address, t.tls)
	if err != nil {
		return nil, nil, err
	}
	// A call whose context ends must say so, not that its connection ended.
	conn := tenon.NewConn(context.WithoutCancel(ctx), link, nil, tenon.WithToken(t.token), tenon.WithPeerName(address.String()))
	offers, err := conn.Offers(soon)
	if err != nil {
		conn.Close()
		return nil, nil, strange(address, err, patience)
	}
	return conn, offers, nil
}

// strange explains why a process that was reached did not say what it offers.
func strange(address remote.Address, err error, patience time.Duration) error {
	var e *tenon.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s was reached but said nothing within %v: it is stopped or too busy, or it does not speak tenon", address, patience)
	case errors.As(err, &e) && e.Code == tenon.PermissionDenied:
		// Its words are for those who write programs.
		return fmt.Errorf("%s does not let this command in: %s\n%s", address, strings.ReplaceAll(e.Message, "tenon.WithToken", "--token"), remote.Introduction(address))
	case remote.WantsCertificate(err):
		return fmt.Errorf("%s does not let this command in: %w\n%s", address, err, remote.Introduction(address))
	}
	return fmt.Errorf("%s does not say what it offers: %w", address, err)
}

// printable makes the words of another process fit for a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// usage makes an error one of the command line.
func usage(cmd *cobra.Command, format string, args ...any) error {
	return usageError{cmd.CommandPath(), fmt.Errorf(format, args...)}
}
