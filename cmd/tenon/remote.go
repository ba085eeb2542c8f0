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
// what it offers.
const greetingTime = 10 * time.Second

// A target is the process that ls and call talk to, from their command lines.
type target struct {
	token string
	tls   remote.TLS
}

func (t *target) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&t.token, "token", "", "the `token` that the server demands; default $TENON_TOKEN")
	flags.StringVar(&t.tls.Cert, "cert", "", "certificate to show to a tls: server, a PEM `file`")
	flags.StringVar(&t.tls.Key, "key", "", "its private key, a PEM `file`")
	flags.StringVar(&t.tls.CA, "ca", "", "who signs the server's certificate, a PEM `file`; default: whom this system trusts")
	flags.StringVar(&t.tls.ServerName, "server-name", "", "`name` in the server's certificate; default: the host of the address")
}

// parse reads the address that the flags have to fit.
func (t *target) parse(cmd *cobra.Command, text string) (remote.Address, error) {
	address, err := remote.Parse(text)
	if err == nil {
		err = t.tls.Fit(address)
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
	soon, cancel := context.WithTimeout(ctx, greetingTime)
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
		return nil, nil, strange(address, err)
	}
	return conn, offers, nil
}

// strange explains why a process that was reached did not say what it offers.
func strange(address remote.Address, err error) error {
	var e *tenon.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s does not say what it offers: does it speak tenon?", address)
	case errors.As(err, &e) && e.Code == tenon.PermissionDenied:
		return fmt.Errorf("%s does not let this command in: %s", address, e.Message)
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
