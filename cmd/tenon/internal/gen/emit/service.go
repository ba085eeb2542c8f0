package emit

import (
	"strconv"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// A method, or a function among its parameters, has these names in the file.
type method struct {
	*model.Signature
	wireName                 string
	descriptor, args, result string

	// Only methods of the service have these.
	name       string
	ports      map[*model.Value]port
	idempotent bool
}

// A port has these names in the file.
type port struct {
	item     string // the codec of a stream's items
	function method // the descriptor of a function
	give     string // makes a port of a function
	take     string // makes a function of what came through a port
}

func (w *writer) service(s *model.Service) {
	base := unexported(s.Name)
	client := w.names.unique(base + "Client")
	methods := make([]method, len(s.Methods))
	for i, m := range s.Methods {
		methods[i] = w.methodNames(base+m.Name, m.WireName, &m.Signature)
		methods[i].name, methods[i].idempotent = m.Name, m.Idempotent
	}
	for i, m := range s.Methods {
		methods[i].ports = w.portNames(base+m.Name, m)
	}
	w.client(s, client, methods)
	w.starter(s, methods)
	w.register(s, methods)
	w.check(s, methods)
	for _, m := range methods {
		w.descriptor(m)
		w.ports(m)
	}
}

func (w *writer) methodNames(base, wireName string, s *model.Signature) method {
	return method{
		Signature:  s,
		wireName:   wireName,
		descriptor: w.names.unique(base),
		args:       w.names.unique(base + "Args"),
		result:     w.names.unique(base + "Result"),
	}
}

func (w *writer) portNames(base string, m *model.Method) map[*model.Value]port {
	ports := map[*model.Value]port{}
	for _, v := range append(m.Params[:len(m.Params):len(m.Params)], m.Results...) {
		name := base + exported(v.Name)
		switch {
		case v.Stream:
			ports[v] = port{item: w.names.unique(name + "Item")}
		case v.Func != nil:
			wire := v.Name
			if !v.Named {
				wire = strconv.Itoa(v.Number)
			}
			ports[v] = port{
				function: w.methodNames(name, m.WireName+"."+wire, v.Func),
				give:     w.names.unique(name + "Port"),
				take:     w.names.unique(name + "Func"),
			}
		}
	}
	return ports
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
