package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

func (w *writer) client(s *model.Service, client string, methods []method) {
	newClient := load.ClientName(s.Name)
	w.f("\n// %s returns %s whose methods are calls through caller. It may be\n", newClient, withArticle(s.Name))
	w.f("// used by many goroutines at once.\n")
	w.f("func %s(caller %s.Caller) %s { return %s{caller} }\n", newClient, w.tenon, s.Name, client)
	w.f("\ntype %s struct{ caller %s.Caller }\n", client, w.tenon)
	for _, m := range methods {
		c := w.callOf(m)
		w.f("\nfunc (c %s) %s(%s) %s {\n", client, m.name, c.signature, c.results)
		if m.Streams() {
			w.streamingCall(m, c)
		} else {
			w.call(m, c.ctx+", c.caller, "+c.args+c.ports, c.returns)
		}
		w.f("}\n")
	}
}

// call writes a call of a method through its descriptor, and the return.
func (w *writer) call(m method, args, returns string) {
	switch {
	case m.OneWay():
		w.f("%s.Call(%s)\n", m.descriptor, args)
	case len(m.Results) == 0:
		w.f("_, err := %s.Call(%s)\nreturn %s\n", m.descriptor, args, returns)
	default:
		w.f("r, err := %s.Call(%s)\nreturn %s\n", m.descriptor, args, returns)
	}
}

func (w *writer) streamingCall(m method, c callText) {
	if len(m.Results) == 1 {
		v := m.Results[0]
		w.f("return %s\n", w.converted(v, fmt.Sprintf("%s.Stream(%s, &%s, c.caller, %s, &%s%s)", w.tenon, c.ctx, m.descriptor, c.args, m.ports[v].item, c.ports)))
		return
	}
	w.f("r := %s.Streams(%s, &%s, c.caller, %s%s)\n", w.tenon, c.ctx, m.descriptor, c.args, c.ports)
	streams := make([]string, len(m.Results))
	for i, v := range m.Results {
		streams[i] = w.converted(v, fmt.Sprintf("%s.StreamOf(r, %d, &%s)", w.tenon, v.Port, m.ports[v].item))
	}
	w.f("return %s\n", strings.Join(streams, ", "))
}

// starter writes the second client, whose methods do not wait.
func (w *writer) starter(s *model.Service, methods []method) {
	methods = slices.DeleteFunc(slices.Clone(methods), func(m method) bool { return m.OneWay() || len(m.ports) > 0 })
	if len(methods) == 0 {
		return
	}
	name, newStarter := s.Name+"Starter", load.StarterName(s.Name)
	w.f("\n// %s returns what starts calls of %s through caller without\n", newStarter, s.Name)
	w.f("// waiting for them. Many that one goroutine starts travel together.\n")
	w.f("func %s(caller %s.Caller) %s { return %s{caller} }\n", newStarter, w.tenon, name, name)
	w.f("\n// %s has the methods of %s that are answered and have no streams or\n", name, s.Name)
	w.f("// functions. Each starts its call and returns a function that waits for the outcome.\n")
	w.f("type %s struct{ caller %s.Caller }\n", name, w.tenon)
	for _, m := range methods {
		c := w.callOf(m)
		r := "r"
		if len(m.Results) == 0 {
			r = "_"
		}
		w.f("\n// %s starts a call; see [%s.Method.Start].\n", m.name, w.tenon)
		w.f("func (c %s) %s(%s) (%s func() %s) {\n", name, m.name, c.signature, c.wait, c.results)
		w.f("%s := %s.Start(%s, c.caller, %s)\n", c.pending, m.descriptor, c.ctx, c.args)
		w.f("return func() %s {\n%s, err := %s.Wait()\nreturn %s\n}\n}\n", c.results, r, c.pending, c.returns)
	}
}

// A callText is how a method is called through its descriptor.
type callText struct {
	ctx, signature   string // the parameters
	args, ports      string // what the descriptor takes of them
	results, returns string // the results
	wait, pending    string // names for a started call
}

func (w *writer) callOf(m method) callText {
	local := names{}
	local.reserve("c", "r", "err", m.descriptor, m.args)
	for _, v := range append(m.Params[:len(m.Params):len(m.Params)], m.Results...) {
		if p, ok := m.ports[v]; ok {
			local.reserve(w.tenon, p.item, p.give)
			local.reserve(identifiers(w.sequence(v, "") + w.converted(v, ""))...)
		}
	}
	c := callText{ctx: local.unique("ctx")}
	var args, ports []string
	c.signature, args = w.parameters(m.Signature, c.ctx, local)
	c.results, c.returns = w.results(m.Signature)
	var plain []string
	for i, v := range m.Params {
		switch p := m.ports[v]; {
		case v.Stream:
			ports = append(ports, fmt.Sprintf("%s.InputPort(&%s, %s)", w.tenon, p.item, w.sequence(v, args[i])))
		case v.Func != nil:
			ports = append(ports, p.give+"("+args[i]+")")
		default:
			plain = append(plain, args[i])
		}
	}
	switch len(ports) {
	case 0:
	case 1:
		c.ports = ", " + ports[0]
	default:
		c.ports = ",\n" + strings.Join(ports, ",\n") + ",\n"
	}
	c.args = m.args + "{" + strings.Join(plain, ", ") + "}"
	c.wait, c.pending = local.unique("wait"), local.unique("p")
	return c
}

// parameters returns the parameters of a method or function, and the names that
// they have there. There is no context if ctx is empty.
func (w *writer) parameters(s *model.Signature, ctx string, local names) (text string, args []string) {
	var list []string
	if ctx != "" {
		list = append(list, ctx+" "+w.context+".Context")
	}
	for i, v := range s.Params {
		name := local.unique(v.Name)
		typ := w.typeName(v.Go)
		if s.Variadic && i == len(s.Params)-1 {
			typ = "..." + w.typeName(v.Go.Underlying().(*types.Slice).Elem())
		}
		list = append(list, name+" "+typ)
		args = append(args, name)
	}
	return strings.Join(list, ", "), args
}

// results returns the types of the results of a method or function, and what to
// return of r and err.
func (w *writer) results(s *model.Signature) (text, returns string) {
	var list, values []string
	for _, v := range s.Results {
		list = append(list, w.typeName(v.Go))
		values = append(values, "r."+v.Name)
	}
	if s.HasError {
		list, values = append(list, "error"), append(values, "err")
	}
	text = strings.Join(list, ", ")
	if len(list) > 1 {
		text = "(" + text + ")"
	}
	return text, strings.Join(values, ", ")
}

// converted returns x, which is an iter.Seq2, in the type that v was declared with.
func (w *writer) converted(v *model.Value, x string) string {
	if named, ok := v.Go.(*types.Named); ok && !isSeq2(named) {
		return w.typeName(named) + "(" + x + ")"
	}
	return x
}

// sequence returns x, which has the type that v was declared with, as an iter.Seq2.
func (w *writer) sequence(v *model.Value, x string) string {
	if named, ok := v.Go.(*types.Named); ok && !isSeq2(named) && v.Stream {
		return w.imports.name("iter", "iter") + ".Seq2[" + w.typeName(v.Type.Go) + ", error](" + x + ")"
	}
	return x
}

func isSeq2(t *types.Named) bool {
	return t.Obj().Name() == "Seq2" && t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == "iter"
}

// identifiers returns the names that occur in an expression.
func identifiers(x string) []string {
	return strings.FieldsFunc(x, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
}
