package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/dynamic"
	"github.com/tenon-go/tenon/cmd/tenon/internal/remote"
)

func newCallCommand() *cobra.Command {
	var (
		to       target
		metadata []string
	)
	cmd := &cobra.Command{
		Use:   "call ADDRESS package.Service/Method [JSON ...]",
		Short: "Call a method of a running process, with JSON",
		Long: `call calls a method and prints its result as JSON. The arguments are one
object with the parameters' names, one array in their order, or one JSON value
for each; @FILE reads a value from a file and - from the standard input.
"tenon ls" shows names and types. Addresses are

` + remote.Forms + `

How values are written:

  integers              numbers, exact up to 64 bits
  floats                numbers, "NaN", "Infinity", "-Infinity"
  []byte, [n]byte       text in base64
  time.Time             "2006-01-02T15:04:05.999999999Z"
  time.Duration         "1h2m3.5s"
  constants             their name or their value
  structs               objects; only pointers and optional fields may be left out
  maps                  objects; keys that are no text as the text of their JSON
  pointers              null or the value`,
		Example: `  tenon call unix:/run/shop.sock shop.Shop/Price '{"article": "nail", "count": 100}'
  tenon call unix:/run/shop.sock shop.Shop/Price '"nail"' 100
  tenon call tcp:localhost:7000 shop.Shop/Import @articles.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) < 2:
				return usage(cmd, "call takes an address and a method")
			case !strings.Contains(args[1], "/"):
				return usage(cmd, "%q is no method: write it like package.Service/Method", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			address, err := to.parse(cmd, args[0])
			if err != nil {
				return err
			}
			md, err := pairs(metadata)
			if err != nil {
				return usage(cmd, "%w", err)
			}
			texts, err := read(args[2:], cmd.InOrStdin())
			if err != nil {
				return fmt.Errorf("tenon call: %w", err)
			}
			ctx, cancel := to.bound(cmd.Context())
			defer cancel()
			conn, offers, err := to.connect(ctx, address)
			if err != nil {
				return fmt.Errorf("tenon call: %w", err)
			}
			defer conn.Close()
			offer, err := find(offers, args[1])
			if err != nil {
				return fmt.Errorf("tenon call: %s %w", address, err)
			}
			if len(md) > 0 {
				ctx = tenon.WithMetadata(ctx, md)
			}
			answer, err := dynamic.Call(ctx, conn, offer, texts)
			if err != nil {
				var e *tenon.Error
				if ctx.Err() == context.DeadlineExceeded && errors.As(err, &e) {
					e.Message = fmt.Sprintf("no answer within %v (--timeout)", to.timeout)
				}
				return failure(offer.Name, err)
			}
			if len(answer) > 0 {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", answer)
			}
			return err
		},
	}
	to.addFlags(cmd)
	cmd.Flags().StringArrayVar(&metadata, "metadata", nil, "send `key=value` beside the arguments; may be repeated")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd, `%w (put -- before values that begin with "-")`, err)
	})
	return cmd
}

// failure shows the error of a call to a person.
func failure(method string, err error) error {
	var e *tenon.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("tenon call: %s: %w", method, err)
	}
	retry := "the handler may have run"
	if e.SafeToRetry {
		retry = "safe, the handler has not run"
	}
	text := fmt.Sprintf("tenon call: %s failed\n  code:    %s\n  message: %s\n  peer:    %s\n  retry:   %s",
		method, e.Code, strings.ReplaceAll(cmp.Or(e.Message, e.Code.String()), "\n", "\n           "), e.Peer, retry)
	if len(e.Details) > 0 {
		text += fmt.Sprintf("\n  details: %q", e.Details)
	}
	return errors.New(printable(text))
}

// find looks a method up and names similar ones when it is not there.
func find(offers []tenon.Offer, name string) (tenon.Offer, error) {
	var methods, services []string
	for _, o := range offers {
		if o.Name == name {
			return o, nil
		}
		service, method, _ := strings.Cut(o.Name, "/")
		wantService, wantMethod, _ := strings.Cut(name, "/")
		if strings.EqualFold(service, wantService) || strings.EqualFold(method, wantMethod) {
			methods = append(methods, o.Name)
		}
		services = append(services, service)
	}
	switch {
	case len(methods) > 0:
		return tenon.Offer{}, fmt.Errorf("does not offer %s; similar is\n  %s", name, printable(strings.Join(methods, "\n  ")))
	case len(services) > 0:
		return tenon.Offer{}, fmt.Errorf("does not offer %s; its services are\n  %s", name, printable(strings.Join(slices.Compact(services), "\n  ")))
	}
	return tenon.Offer{}, fmt.Errorf("offers nothing: did it register its services before it served?")
}

// maxInput bounds what is read from a file; no message is larger.
const maxInput = 256 << 20

// read replaces @FILE and - by what they stand for.
func read(args []string, stdin io.Reader) ([][]byte, error) {
	texts := make([][]byte, len(args))
	for i, arg := range args {
		var err error
		switch path, isFile := strings.CutPrefix(arg, "@"); {
		case isFile:
			texts[i], err = readFile(path)
		case arg == "-":
			texts[i], err = readAll("the standard input", stdin)
		default:
			texts[i] = []byte(arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(path, f)
}

func readAll(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case len(text) > maxInput:
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxInput)
	}
	return text, nil
}

// pairs reads the values of --metadata.
func pairs(list []string) (map[string]string, error) {
	md := make(map[string]string, len(list))
	for _, pair := range list {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("the metadata %q has not the form key=value", pair)
		}
		md[key] = value
	}
	return md, nil
}
