package shape

import "strings"

// A Port is a stream or a function among the parameters and results. It is no
// element of the arguments or results: what passes it travels by itself.
type Port struct {
	Kind  PortKind
	Name  string // "" if it has none
	Place int    // among the parameters or results as they are declared, from 0

	Elem            *Type   // of a stream: the type of its items
	Params, Results []Field // of a function
}

// A PortKind says what a port is.
type PortKind int

const (
	InputStream  PortKind = iota + 1 // a parameter: its items go from the caller to the callee
	Function                         // a parameter: the callee calls it, the caller runs it
	OutputStream                     // a result: its items go from the callee to the caller
)

// stream is how the type of a stream begins.
const stream = "stream "

// param takes a parameter that has a port.
func (p *parser) param(name string, place int) bool {
	switch {
	case p.accept(stream):
		p.port(Port{Kind: InputStream, Name: name, Place: place, Elem: p.typ()})
	case strings.HasPrefix(p.rest, "func("):
		p.accept("func")
		f := Port{Kind: Function, Name: name, Place: place, Params: p.values(plain)}
		p.expect(" ")
		f.Results = p.values(plain)
		p.port(f)
	default:
		return false
	}
	return true
}

// result takes a result that has a port.
func (p *parser) result(name string, place int) bool {
	if !p.accept(stream) {
		return false
	}
	p.port(Port{Kind: OutputStream, Name: name, Place: place, Elem: p.typ()})
	return true
}

// plain takes nothing: a function has values only.
func plain(string, int) bool { return false }

func (p *parser) port(v Port) {
	if len(p.ports) == maxPorts {
		p.fail("more than %d streams and functions", maxPorts)
	}
	p.ports = append(p.ports, v)
}

// path names a port in errors, such as `stream parts`.
func (p *Port) path() string {
	kind := map[PortKind]string{InputStream: "stream ", Function: "function ", OutputStream: "result stream "}[p.Kind]
	return at(kind, p.Name, p.Place)
}

// describe says what a port is.
func (p *Port) describe() string {
	switch p.Kind {
	case InputStream:
		return "stream " + p.Elem.String()
	case OutputStream:
		return "result stream " + p.Elem.String()
	}
	return "func" + describe(p.Params) + " " + describe(p.Results)
}

func describe(fields []Field) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = strings.TrimPrefix(f.Name+" "+f.Type.String(), " ")
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// ports compares streams and functions, which have to be the same ones.
func ports(ours, theirs *Shape) ([]*Agreement, error) {
	agreements := make([]*Agreement, max(len(ours.Ports), len(theirs.Ports)))
	for i := range agreements {
		if i >= len(theirs.Ports) {
			o := &ours.Ports[i]
			return nil, &Difference{o.path(), o.describe(), theirs.insteadOf(o)}
		}
		t := &theirs.Ports[i]
		if i >= len(ours.Ports) {
			return nil, &Difference{t.path(), ours.insteadOf(t), t.describe()}
		}
		o := &ours.Ports[i]
		if o.Kind != t.Kind {
			return nil, &Difference{o.path(), o.describe(), t.describe()}
		}
		if o.Name != t.Name && o.Name != "" && t.Name != "" {
			return nil, &Difference{o.path(), "named " + o.Name, "named " + t.Name}
		}
		var err error
		if agreements[i], err = o.compare(t); err != nil {
			return nil, err
		}
	}
	return agreements, nil
}

// insteadOf says what s has in place of a port of the other side's.
func (s *Shape) insteadOf(p *Port) string {
	fields, i := s.Params, p.Place
	if p.Kind == OutputStream {
		fields = s.Results
	}
	for _, q := range s.Ports {
		if (q.Kind == OutputStream) == (p.Kind == OutputStream) && q.Place < p.Place {
			i--
		}
	}
	if i < len(fields) && fields[i].Name == p.Name {
		return fields[i].Type.describe()
	}
	return "missing"
}

// compare compares two ports of the same kind. The agreement is nil if the callee
// knows all that the caller may send through the port.
func (p *Port) compare(theirs *Port) (a *Agreement, err error) {
	path := p.path()
	received, sent := newComparer(), newComparer()
	switch p.Kind {
	case InputStream:
		a = &Agreement{path: path + "[]", item: p.Elem, theirItem: theirs.Elem}
		err = sent.types(a.path, p.Elem, theirs.Elem)
	case OutputStream:
		err = received.types(path+"[]", p.Elem, theirs.Elem)
	case Function:
		if err = received.fields(path+": argument ", p.Params, theirs.Params); err != nil {
			return nil, err
		}
		a = &Agreement{path: path + ": result ", ours: p.Results, theirs: theirs.Results}
		err = sent.fields(a.path, p.Results, theirs.Results)
	}
	if err != nil || !sent.surplus {
		return nil, err
	}
	a.Surplus = true
	return a, nil
}
