package emit

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/shape"
)

// A method has these names in the file.
type method struct {
	*model.Method
	descriptor, args, result string
}

func (w *writer) service(s *model.Service) {
	base := unexported(s.Name)
	client := w.names.unique(base + "Client")
	methods := make([]method, len(s.Methods))
	for i, m := range s.Methods {
		methods[i] = method{
			Method:     m,
			descriptor: w.names.unique(base + m.Name),
			args:       w.names.unique(base + m.Name + "Args"),
			result:     w.names.unique(base + m.Name + "Result"),
		}
	}
	w.client(s, client, methods)
	w.starter(s, methods)
	w.register(s, methods)
	w.check(s, methods)
	for _, m := range methods {
		w.descriptor(m)
	}
}

func (w *writer) client(s *model.Service, client string, methods []method) {
	newClient := load.ClientName(s.Name)
	w.f("\n// %s returns %s whose methods are calls through caller. It may be\n", newClient, withArticle(s.Name))
	w.f("// used by many goroutines at once.\n")
	w.f("func %s(caller %s.Caller) %s { return %s{caller} }\n", newClient, w.tenon, s.Name, client)
	w.f("\ntype %s struct{ caller %s.Caller }\n", client, w.tenon)
	for _, m := range methods {
		c := w.callOf(m)
		w.f("\nfunc (c %s) %s(%s) (%s) {\n", client, m.Name, c.signature, c.results)
		w.f("%s, err := %s.Call(%s, c.caller, %s)\n", c.r, m.descriptor, c.ctx, c.args)
		w.f("return %s\n}\n", c.returns)
	}
}

// starter writes the second client, whose methods do not wait.
func (w *writer) starter(s *model.Service, methods []method) {
	name, newStarter := s.Name+"Starter", load.StarterName(s.Name)
	w.f("\n// %s returns what starts calls of %s through caller without\n", newStarter, s.Name)
	w.f("// waiting for them. Many that one goroutine starts travel together.\n")
	w.f("func %s(caller %s.Caller) %s { return %s{caller} }\n", newStarter, w.tenon, name, name)
	w.f("\n// %s has the methods of %s, each of which starts its call and\n", name, s.Name)
	w.f("// returns a function that waits for the outcome.\n")
	w.f("type %s struct{ caller %s.Caller }\n", name, w.tenon)
	for _, m := range methods {
		c := w.callOf(m)
		w.f("\n// %s starts a call; see [%s.Method.Start].\n", m.Name, w.tenon)
		w.f("func (c %s) %s(%s) (%s func() (%s)) {\n", name, m.Name, c.signature, c.wait, c.results)
		w.f("%s := %s.Start(%s, c.caller, %s)\n", c.pending, m.descriptor, c.ctx, c.args)
		w.f("return func() (%s) {\n%s, err := %s.Wait()\nreturn %s\n}\n}\n", c.results, c.r, c.pending, c.returns)
	}
}

// A callText is how a method is called through its descriptor.
type callText struct {
	ctx, signature, args string // the parameters
	results, r, returns  string // the results
	wait, pending        string // names for a started call
}

func (w *writer) callOf(m method) callText {
	local := names{}
	local.reserve("c", "r", "err", m.descriptor, m.args)
	c := callText{ctx: local.unique("ctx"), r: "r"}
	c.signature = c.ctx + " " + w.context + ".Context"
	var args, results, returns []string
	for i, v := range m.Params {
		name := local.unique(v.Name)
		typ := w.typeName(v.Type.Go)
		if m.Variadic && i == len(m.Params)-1 {
			typ = "..." + w.typeName(v.Type.Go.Underlying().(*types.Slice).Elem())
		}
		c.signature += ", " + name + " " + typ
		args = append(args, name)
	}
	for _, v := range m.Results {
		results = append(results, w.typeName(v.Type.Go))
		returns = append(returns, "r."+v.Name)
	}
	if len(m.Results) == 0 {
		c.r = "_"
	}
	c.wait, c.pending = local.unique("wait"), local.unique("p")
	c.args = m.args + "{" + strings.Join(args, ", ") + "}"
	c.results = strings.Join(append(results, "error"), ", ")
	c.returns = strings.Join(append(returns, "err"), ", ")
	return c
}

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
		args, results := []string{"ctx"}, []string{}
		for _, v := range m.Params {
			args = append(args, "a."+v.Name)
		}
		if m.Variadic {
			args[len(args)-1] += "..."
		}
		for _, v := range m.Results {
			results = append(results, "r."+v.Name)
		}
		w.f("%s.Handle(srv, &%s, func(ctx %s.Context, a %s) (r %s, err error) {\n", w.tenon, m.descriptor, w.context, m.args, m.result)
		w.f("impl, err := find(ctx)\nif err != nil {\nreturn r, err\n}\n")
		w.f("%s = impl.%s(%s)\n", strings.Join(append(results, "err"), ", "), m.Name, strings.Join(args, ", "))
		w.f("return r, err\n})\n")
	}
	w.f("}\n")
}

func (w *writer) check(s *model.Service, methods []method) {
	check := load.CheckName(s.Name)
	w.f("\n// %s compares the methods of %s with what caller offers, without calling\n", check, s.Name)
	w.f("// them, and returns all differences.\n")
	w.f("func %s(ctx %s.Context, caller %s.Caller) error {\n", check, w.context, w.tenon)
	w.f("return %s.Check(ctx, caller", w.tenon)
	for _, m := range methods {
		w.f(",\n&%s", m.descriptor)
	}
	w.f(",\n)\n}\n")
}

func (w *writer) descriptor(m method) {
	args, result := w.messageFunctions(m.args), w.messageFunctions(m.result)
	w.f("\nvar %s = %s.Method[%s, %s]{\n", m.descriptor, w.tenon, m.args, m.result)
	w.f("Name: %q,\nShape: %s,\n", m.WireName, quote(shape.Of(m.Method, w.pkg)))
	w.f("Args: %s,\n", w.codecOf(m.args, args, m.Params))
	w.f("Result: %s,\n}\n", w.codecOf(m.result, result, m.Results))
	w.message(m.args, args, m.Params)
	w.message(m.result, result, m.Results)
}

func (w *writer) codecOf(name string, f function, values []*model.Value) string {
	userCode := ""
	if slices.ContainsFunc(values, func(v *model.Value) bool { return v.Type.HasUserCode() }) {
		userCode = ", UserCode: true"
	}
	return w.tenon + ".Codec[" + name + "]{Append: " + f.append + ", Decode: " + f.decode + userCode + "}"
}

// message writes the struct of arguments or results and its two functions.
func (w *writer) message(name string, f function, values []*model.Value) {
	w.f("\ntype %s struct {", name)
	if len(values) > 0 {
		w.f("\n")
	}
	for _, v := range values {
		w.f("%s %s\n", v.Name, w.typeName(v.Type.Go))
	}
	w.f("}\n")
	fields := make([]field, len(values))
	for i, v := range values {
		fields[i] = field{access: "v." + v.Name, label: v.Name, typ: v.Type}
		if !v.Named {
			fields[i].label = unnamedLabel(v.Name, i, len(values))
		}
	}
	w.structFunctions(f, name, fields, false)
}

// unnamedLabel is what errors call a parameter or result without a name.
func unnamedLabel(name string, i, count int) string {
	label := "result"
	if strings.HasPrefix(name, "p") {
		label = "parameter"
	}
	if count > 1 {
		label += " " + strconv.Itoa(i+1)
	}
	return label
}

func quote(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

func withArticle(name string) string {
	if strings.ContainsRune("AEIOUaeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
