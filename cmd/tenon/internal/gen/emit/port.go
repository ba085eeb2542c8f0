package emit

import (
	"slices"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// ports writes the codecs of the streams of a method, and what its functions need.
func (w *writer) ports(m method) {
	for _, v := range slices.Concat(m.Params, m.Results) {
		switch p := m.ports[v]; {
		case v.Stream:
			w.item(p.item, v, slices.Contains(m.Params, v), len(m.Params))
		case v.Func != nil:
			w.descriptor(p.function)
			w.give(p, v)
			w.take(p, v)
		}
	}
}

// item writes the codec of a stream's items, which are checked where they are
// arguments.
func (w *writer) item(name string, v *model.Value, checked bool, count int) {
	f := w.functionOf(v.Type)
	if checked && v.Type.Validates {
		f.validate = w.names.unique(w.prefix + "Validate" + w.inFile(name))
	}
	w.f("\nvar %s = %s\n", name, w.codecOf(w.typeName(v.Type.Go), f, v.Type.HasUserCode()))
	if f.validate != "" {
		w.f("\nfunc %s(v *%s) error {\n", f.validate, w.typeName(v.Type.Go))
		x := "v"
		if v.Type.Kind == model.Pointer {
			x = "(*v)"
		}
		w.validate(v.Type, x, "item of "+label(v, count))
		w.f("return nil\n}\n")
	}
}

// give writes what makes a port of a function of the caller.
func (w *writer) give(p port, v *model.Value) {
	m := p.function
	ctx := "ctx"
	if !m.HasContext {
		ctx = "_"
	}
	w.f("\nfunc %s(f %s) %s.Port {\n", p.give, w.typeName(v.Go), w.tenon)
	w.f("if f == nil {\nreturn %s.FuncPort(&%s, nil)\n}\n", w.tenon, m.descriptor)
	w.f("return %s.FuncPort(&%s, func(%s %s.Context, a %s) (r %s, err error) {\n", w.tenon, m.descriptor, ctx, w.context, m.args, m.result)
	w.answer(m, "f")
	w.f("})\n}\n")
}

// take writes what makes a function for the handler of what calls the caller's.
func (w *writer) take(p port, v *model.Value) {
	m := p.function
	local := names{}
	local.reserve("caller", "r", "err", m.descriptor, m.args)
	ctx, own := local.unique("ctx"), ""
	if m.HasContext {
		own = ctx
	}
	parameters, args := w.parameters(m.Signature, own, local)
	results, returns := w.results(m.Signature)
	w.f("\nfunc %s(ctx %s.Context) %s {\n", p.take, w.context, w.typeName(v.Go))
	w.f("caller := %s.Func(ctx, %d)\nif caller == nil {\nreturn nil\n}\n", w.tenon, v.Port)
	w.f("return func(%s) %s {\n", parameters, results)
	w.call(m, ctx+", caller, "+m.args+"{"+strings.Join(args, ", ")+"}", returns)
	w.f("}\n}\n")
}
