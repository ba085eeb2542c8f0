// Package dynamic calls methods whose types are known from the other side only.
package dynamic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/jsonvalue"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/shape"
)

// encoded is the codec of values that are encoded already.
var encoded = tenon.Codec[[]byte]{
	Append: func(b []byte, e *codec.Encoder, v *[]byte) []byte { return codec.AppendRaw(b, e, *v) },
	Decode: func(d *codec.Decoder, v *[]byte) { *v = d.Raw() },
}

// A Method is an offered method.
type Method struct {
	name  string
	text  string // of its shape
	shape *shape.Shape
}

// NewMethod reads an offer.
func NewMethod(offer tenon.Offer) (*Method, error) {
	s, err := shape.Parse(offer.Shape)
	if err != nil {
		return nil, err
	}
	m := &Method{offer.Name, offer.Shape, s}
	if len(s.Results) > 0 && len(m.ports(shape.OutputStream)) > 0 {
		return nil, errors.New("it answers with values and with streams, which this command cannot show")
	}
	return m, nil
}

// A Talk is what the caller has beside the arguments, for a method with streams and
// functions. Everything is JSON; streams and functions without a name are known by
// their number among the parameters or results, from 1.
type Talk struct {
	// Input has the items of the streams among the parameters; see [Lines].
	Input *Lines

	// Print takes the items of the results, one at a time: as they are, or if there
	// are several streams as {"stream": item}. Its error ends the call.
	Print func(line []byte) error

	// Called is told of each call of a function: {"function": arguments}. It may run
	// many times at once.
	Called func(line []byte)

	// Answers are what functions return; others return zero values.
	Answers map[string][]byte
}

// Call calls the method with arguments in JSON, and returns its results in JSON if
// they are no streams; see [jsonvalue.Arguments] and [jsonvalue.Results]. It returns
// the error of Print or of Input, if there was one, before that of the call.
func (m *Method) Call(ctx context.Context, c tenon.Caller, args [][]byte, talk Talk) ([]byte, error) {
	message, err := jsonvalue.Arguments(m.shape.Params, args)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, m.elsewhere())
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	reading, stopReading := tenon.WithInputCancel(ctx) // nobody waits for another line when the call is over
	defer stopReading()
	ports, err := m.arguments(reading, talk)
	if err != nil {
		return nil, err
	}
	method := &tenon.Method[[]byte, []byte]{
		Name: m.name, Shape: m.text, Args: encoded, Result: encoded, Ports: len(m.shape.Ports),
	}
	var answer []byte
	streams := m.results(reading, method, c, message, ports)
	if len(streams) > 0 {
		err = m.print(talk.Print, stop, streams)
	} else {
		answer, err = method.Call(reading, c, message, ports...)
	}
	var local *localError
	switch {
	case talk.Input != nil && talk.Input.failure() != nil:
		return nil, talk.Input.failure()
	case errors.As(context.Cause(ctx), &local):
		return nil, local.err
	case err != nil || len(streams) > 0:
		return nil, err
	}
	result, err := jsonvalue.Results(m.shape.Results, answer)
	if err != nil {
		return nil, fmt.Errorf("the call succeeded, but its %w", err)
	}
	return result, nil
}

// A localError is what made this side end the call.
type localError struct{ err error }

func (e *localError) Error() string { return e.err.Error() }

// Reads reports whether the method has streams among its parameters.
func (m *Method) Reads() bool { return len(m.ports(shape.InputStream)) > 0 }

// elsewhere says what of the parameters is not among the arguments.
func (m *Method) elsewhere() string {
	var list []string
	if m.Reads() {
		list = append(list, "streams come from the standard input")
	}
	if len(m.ports(shape.Function)) > 0 {
		list = append(list, "functions have an --answer")
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// ports are those of a kind, by their indexes.
func (m *Method) ports(kind shape.PortKind) (indexes []int) {
	for i, p := range m.shape.Ports {
		if p.Kind == kind {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

func label(p shape.Port) string {
	if p.Name == "" {
		return strconv.Itoa(p.Place + 1)
	}
	return p.Name
}

// tagged returns {"name": value}.
func tagged(name string, value []byte) []byte {
	b := append(strconv.AppendQuote([]byte{'{'}, name), ':')
	return append(append(b, value...), '}')
}

// arguments are the ports that are arguments.
func (m *Method) arguments(ctx context.Context, talk Talk) (ports []tenon.Port, err error) {
	functions := make(map[string]bool)
	if m.Reads() {
		talk.Input.expect(m)
	}
	for _, p := range m.shape.Ports {
		switch p.Kind {
		case shape.InputStream:
			ports = append(ports, tenon.InputPort(&encoded, talk.Input.stream(ctx, p)))
		case shape.Function:
			f, err := m.function(p, talk)
			if err != nil {
				return nil, err
			}
			functions[label(p)] = true
			ports = append(ports, f)
		}
	}
	for name := range talk.Answers {
		if !functions[name] {
			return nil, fmt.Errorf("--answer %s: it has no function with this name", name)
		}
	}
	return ports, nil
}

// function makes what the callee calls.
func (m *Method) function(p shape.Port, talk Talk) (tenon.Port, error) {
	name := label(p)
	answer, unknown := jsonvalue.ZeroValues(p.Results)
	if text, given := talk.Answers[name]; given {
		var err error
		if answer, err = jsonvalue.ParseValues(p.Results, text); err != nil {
			return nil, fmt.Errorf("--answer %s: %w", name, err)
		}
		unknown = nil
	}
	spec := &tenon.Method[[]byte, []byte]{Name: m.name + "." + name, Args: encoded, Result: encoded}
	return tenon.FuncPort(spec, func(_ context.Context, args []byte) ([]byte, error) {
		text, err := jsonvalue.Values(p.Params, args)
		if err != nil {
			return nil, err
		}
		talk.Called(tagged(name, text))
		if unknown != nil {
			return nil, fmt.Errorf("tenon call has no answer: %w (--answer)", unknown)
		}
		return answer, nil
	}), nil
}

// results are the streams of the answer, by the indexes of their ports.
func (m *Method) results(ctx context.Context, method *tenon.Method[[]byte, []byte], c tenon.Caller, message []byte, ports []tenon.Port) map[int]iter.Seq2[[]byte, error] {
	outputs := m.ports(shape.OutputStream)
	streams := make(map[int]iter.Seq2[[]byte, error])
	switch len(outputs) {
	case 0:
	case 1:
		streams[outputs[0]] = tenon.Stream(ctx, method, c, message, &encoded, ports...)
	default:
		all := tenon.Streams(ctx, method, c, message, ports...)
		for _, i := range outputs {
			streams[i] = tenon.StreamOf(all, i+1, &encoded)
		}
	}
	return streams
}

// print prints all streams and returns the first error. One of this side's stops
// the call.
func (m *Method) print(write func([]byte) error, stop context.CancelCauseFunc, streams map[int]iter.Seq2[[]byte, error]) error {
	var (
		one      sync.Mutex // prints
		failures = make([]error, len(m.shape.Ports))
		all      sync.WaitGroup
	)
	for i, stream := range streams {
		p := m.shape.Ports[i]
		all.Go(func() {
			for item, err := range stream {
				if err != nil {
					failures[i] = err
					return
				}
				line, err := jsonvalue.Item(p.Elem, item)
				if len(streams) > 1 {
					line = tagged(label(p), line)
				}
				if err == nil {
					one.Lock()
					if err = write(line); err != nil {
						stop(&localError{err}) // before another one prints
					}
					one.Unlock()
				}
				if err != nil {
					stop(&localError{err})
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}
