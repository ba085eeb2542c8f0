package emit

import (
	"fmt"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// register writes the two ways to offer a service, which differ in how a
// handler finds its implementation, and what both share.
func (w *writer) register(s *model.Service, methods []method) {
	register, perConn := load.RegisterName(s.Name), load.PerConnName(s.Name)
	shared := w.names.unique("handle" + exported(s.Name))
	w.f("\n// %s makes srv answer the calls of %s with the methods of impl, which\n", register, s.Name)
	w.f("// run on many goroutines at once.\n")
	w.f("func %s(srv *%s.Server, impl %s) {\n", register, w.tenon, s.Name)
	w.f("if impl == nil {\npanic(%q)\n}\n", "tenon: "+register+": the implementation is nil, so nobody could answer the calls")
	w.f("%s(srv, func(%s.Context) (%s, error) { return impl, nil })\n}\n", shared, w.context, s.Name)
	w.f("\n// %s gives every connection %s of its own, which open returns\n", perConn, withArticle(s.Name))
	w.f("// at the first call. If it is an io.Closer, it is closed after the last one.\n")
	w.f("func %s(srv *%s.Server, open func(conn *%s.Conn) (%s, error)) {\n", perConn, w.tenon, w.tenon, s.Name)
	w.f("%s(srv, %s.NewPerConn(open).For)\n}\n", shared, w.tenon)
	w.f("\nfunc %s(srv *%s.Server, find func(%s.Context) (%s, error)) {\n", shared, w.tenon, w.context, s.Name)
	for _, m := range methods {
		w.f("%s.Handle(srv, &%s, func(ctx %s.Context, a %s) (r %s, err error) {\n", w.tenon, m.descriptor, w.context, m.args, m.result)
		w.f("impl, err := find(ctx)\nif err != nil {\nreturn r, err\n}\n")
		if m.Streams() {
			w.streamingAnswer(m)
		} else {
			w.answer(m, "impl."+m.name)
		}
		w.f("})\n")
	}
	w.f("}\n")
}

// answer writes the call of f, a method or a function, with the values in a, and
// the return of its results in r.
func (w *writer) answer(m method, f string) {
	var results []string
	for _, v := range m.Results {
		results = append(results, "r."+v.Name)
	}
	call := f + "(" + w.received(m) + ")"
	if m.HasError {
		w.f("%s = %s\nreturn r, err\n", strings.Join(append(results, "err"), ", "), call)
		return
	}
	w.f("%s\nreturn r, nil\n", call)
}

func (w *writer) streamingAnswer(m method) {
	call := "impl." + m.name + "(" + w.received(m) + ")"
	if len(m.Results) == 1 {
		v := m.Results[0]
		w.f("return r, %s.Output(ctx, %d, &%s, %s)\n", w.tenon, v.Port, m.ports[v].item, w.sequence(v, call))
		return
	}
	streams, ports := make([]string, len(m.Results)), make([]string, len(m.Results))
	for i, v := range m.Results {
		streams[i] = outputName(i)
		ports[i] = fmt.Sprintf("%s.OutputPort(%d, &%s, %s)", w.tenon, v.Port, m.ports[v].item, w.sequence(v, streams[i]))
	}
	w.f("%s := %s\n", strings.Join(streams, ", "), call)
	w.f("return r, %s.Outputs(ctx,\n%s,\n)\n", w.tenon, strings.Join(ports, ",\n"))
}

// outputName names one of several streams of a handler.
func outputName(i int) string { return fmt.Sprintf("out%d", i+1) }

// received returns the arguments of a method or function as its serving side has
// them: in ctx, in a, and behind ports.
func (w *writer) received(m method) string {
	var args []string
	if m.HasContext {
		args = append(args, "ctx")
	}
	for _, v := range m.Params {
		switch p := m.ports[v]; {
		case v.Stream:
			args = append(args, w.converted(v, fmt.Sprintf("%s.Input(ctx, %d, &%s)", w.tenon, v.Port, p.item)))
		case v.Func != nil:
			args = append(args, p.take+"(ctx)")
		default:
			args = append(args, "a."+v.Name)
		}
	}
	if m.Variadic {
		args[len(args)-1] += "..."
	}
	return strings.Join(args, ", ")
}
