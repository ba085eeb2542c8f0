package main

import (
	"bytes"
	"cmp"
	"encoding/json"
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
	var c caller
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
  pointers              null or the value

Streams and functions are no arguments:

  stream as parameter   its items come from the standard input, one a line; of
                        several streams as {"stream": item}
  stream as result      its items are printed as they come, one a line; of several
                        streams as {"stream": item}
  function              each of its calls is shown on the standard error, as
                        {"function": arguments}, and answered with zero values or
                        with those of --answer

What has no name is called by its number among the parameters or results.`,
		Example: `  tenon call unix:/run/shop.sock shop.Shop/Price '{"article": "nail", "count": 100}'
  tenon call unix:/run/shop.sock shop.Shop/Price '"nail"' 100
  tenon call tcp:localhost:7000 shop.Shop/Import @articles.json
  tenon call unix:/run/shop.sock shop.Depot/Watch 1 | head -3
  tenon call unix:/run/shop.sock shop.Depot/Import < articles.jsonl
  tenon call unix:/run/shop.sock shop.Depot/Pack 3 --answer confirm='{"sure": true, "remark": "fine"}'`,
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
			address, err := c.to.parse(cmd, args[0])
			if err != nil {
				return err
			}
			if err := c.parse(); err != nil {
				return usage(cmd, "%w", err)
			}
			err = c.call(cmd, address, args[1], args[2:])
			if err != nil && c.asJSON {
				return inJSON(args[1], err)
			}
			return err
		},
	}
	c.to.addFlags(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&c.pairs, "metadata", nil, "send `key=value` beside the arguments; may be repeated")
	flags.StringArrayVar(&c.replies, "answer", nil, "what a function returns, as `NAME=JSON`; may be repeated")
	flags.BoolVar(&c.progress, "progress", false, "show the call's progress on the standard error")
	flags.BoolVar(&c.asJSON, "json", false, "print a failure as JSON, too")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd, `%w (put -- before values that begin with "-")`, err)
	})
	return cmd
}

// A caller is one run of the command.
type caller struct {
	to               target
	pairs, replies   []string
	progress, asJSON bool

	metadata map[string]string
	answers  map[string][]byte
}

func (c *caller) parse() (err error) {
	if c.metadata, err = pairs("metadata", c.pairs); err != nil {
		return err
	}
	answers, err := pairs("answer", c.replies)
	c.answers = make(map[string][]byte)
	for name, text := range answers {
		c.answers[name] = []byte(text)
	}
	return err
}

// call calls the method and prints what it answers.
func (c *caller) call(cmd *cobra.Command, address remote.Address, name string, args []string) error {
	texts, err := read(args, cmd.InOrStdin())
	if err != nil {
		return fmt.Errorf("tenon call: %w", err)
	}
	ctx, cancel := c.to.bound(cmd.Context())
	defer cancel()
	conn, offers, err := c.to.connect(ctx, address)
	if err != nil {
		return fmt.Errorf("tenon call: %w", err)
	}
	defer conn.Close()
	offer, err := find(offers, name)
	if err != nil {
		return fmt.Errorf("tenon call: %s %w", address, err)
	}
	method, err := dynamic.NewMethod(offer)
	if err == nil && method.Reads() && slices.Contains(args, "-") {
		err = errors.New("its stream comes from the standard input, so no value can: use @FILE in place of -")
	}
	if err != nil {
		return fmt.Errorf("tenon call: %s: %w", name, err)
	}
	if len(c.metadata) > 0 {
		ctx = tenon.WithMetadata(ctx, c.metadata)
	}
	shown := &progress{to: cmd.ErrOrStderr()}
	if c.progress {
		ctx = tenon.WithProgress(ctx, shown.show)
	}
	answer, err := method.Call(ctx, conn, texts, dynamic.Talk{
		Input:   dynamic.NewLines("the standard input", cmd.InOrStdin()),
		Print:   func(line []byte) error { return printLine(cmd.OutOrStdout(), line) },
		Called:  func(line []byte) { _ = printLine(cmd.ErrOrStderr(), line) },
		Answers: c.answers,
	})
	shown.end() // before the result
	if err == nil && len(answer) > 0 {
		err = printLine(cmd.OutOrStdout(), answer)
	}
	var e *tenon.Error
	switch {
	case err == nil:
		return nil
	case cmd.Context().Err() != nil:
		return fmt.Errorf("tenon call: %s: interrupted; the other side was told", name)
	case c.to.timeUp(ctx, err) && errors.As(err, &e):
		e.Message = fmt.Sprintf("no answer within %v (--timeout)", c.to.timeout)
	}
	return &failure{name, err}
}

// printLine writes a line in one piece.
func printLine(w io.Writer, line []byte) error {
	_, err := w.Write(append(line, '\n'))
	return err
}

// A failure is the error of a call, for a person.
type failure struct {
	method string
	err    error
}

func (f *failure) Unwrap() error { return f.err }

func (f *failure) Error() string {
	var e *tenon.Error
	if !errors.As(f.err, &e) {
		return fmt.Sprintf("tenon call: %s: %v", f.method, f.err)
	}
	retry := "the handler may have run"
	if e.SafeToRetry {
		retry = "safe, the handler has not run"
	}
	text := fmt.Sprintf("tenon call: %s failed\n  code:    %s\n  message: %s\n  peer:    %s\n  retry:   %s",
		f.method, e.Code, strings.ReplaceAll(cmp.Or(e.Message, e.Code.String()), "\n", "\n           "), e.Peer, retry)
	if len(e.Details) > 0 {
		text += fmt.Sprintf("\n  details: %q", e.Details)
	}
	return printable(text)
}

// inJSON is a failure for a program: one line of JSON.
func inJSON(method string, err error) error {
	type object struct {
		Method      string `json:"method"`
		Code        string `json:"code,omitempty"` // of a call that failed
		Message     string `json:"message"`
		Peer        string `json:"peer,omitempty"`
		SafeToRetry *bool  `json:"safeToRetry,omitempty"`
		Details     []byte `json:"details,omitempty"`
	}
	o := object{Method: method, Message: strings.TrimPrefix(err.Error(), "tenon call: ")}
	var e *tenon.Error
	if f := (*failure)(nil); errors.As(err, &f) && errors.As(f.err, &e) {
		o = object{method, e.Code.String(), cmp.Or(e.Message, e.Code.String()), e.Peer, &e.SafeToRetry, e.Details}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(map[string]object{"error": o})
	return errors.New(text.String())
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
		sortByLikeness(methods, name)
		return tenon.Offer{}, fmt.Errorf("does not offer %s; similar:\n  %s", name, printable(strings.Join(methods, "\n  ")))
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

// pairs reads the values of a flag.
func pairs(flag string, list []string) (map[string]string, error) {
	md := make(map[string]string, len(list))
	for _, pair := range list {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("the %s %q has not the form key=value", flag, pair)
		}
		md[key] = value
	}
	return md, nil
}
