// Package signature shows what a process offers as a person reads it: services
// with the signatures of their methods, in the style of Go, and the types in
// them, each spelled out once.
package signature

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/shape"
)

// A Service is what has one name before the slash of its methods.
type Service struct {
	Name    string   `json:"service"`
	Methods []Method `json:"methods"`
	Types   []Type   `json:"types,omitempty"` // in the order of their first use
}

// A Method has neither the context nor the error that every method has, and
// neither have its functions.
type Method struct {
	Name       string  `json:"name"`
	Parameters []Value `json:"parameters"`
	Results    []Value `json:"results"`
	Shape      string  `json:"shape"`
}

// A Value is a parameter, a result, or a field.
type Value struct {
	Name     string `json:"name,omitempty"`
	Type     string `json:"type"`
	Was      string `json:"was,omitempty"`
	Optional bool   `json:"optional,omitempty"`
}

// A Type is a type with a name.
type Type struct {
	Name      string     `json:"name"`
	Kind      string     `json:"kind"` // struct, text, binary, or the type it is made of
	Fields    []Value    `json:"fields,omitempty"`
	Constants []Constant `json:"constants,omitempty"`
}

// A Constant is a value of an enumeration, written as in Go.
type Constant struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Services describes what a peer offers. Offers are sorted by name.
func Services(offers []tenon.Offer) ([]Service, error) {
	services := []Service{}
	var names *namer
	for _, o := range offers {
		service, method := o.Name, ""
		if i := strings.LastIndexByte(o.Name, '/'); i >= 0 {
			service, method = o.Name[:i], o.Name[i+1:]
		}
		if n := len(services); n == 0 || services[n-1].Name != service {
			services = append(services, Service{Name: service})
			names = newNamer()
		}
		s := &services[len(services)-1]
		parsed, err := shape.Parse(o.Shape)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		results := slices.IndexFunc(parsed.Ports, func(p shape.Port) bool { return p.Kind == shape.OutputStream })
		if results < 0 {
			results = len(parsed.Ports)
		}
		s.Methods = append(s.Methods, Method{
			Name: method, Shape: o.Shape,
			Parameters: names.declared(parsed.Params, parsed.Ports[:results]),
			Results:    names.declared(parsed.Results, parsed.Ports[results:]),
		})
		s.Types = names.list()
	}
	return services, nil
}

// String returns the signature as it stands in an interface.
func (m Method) String() string { return m.Name + signature(m.Parameters, m.Results) }

func signature(parameters, results []Value) string {
	s := "(" + join(parameters) + ")"
	switch {
	case len(results) == 0:
		return s
	case len(results) == 1 && results[0].Name == "":
		return s + " " + results[0].Type
	}
	return s + " (" + join(results) + ")"
}

func join(values []Value) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.String()
	}
	return strings.Join(list, ", ")
}

func (v Value) String() string { return strings.TrimPrefix(v.Name+" "+v.Type, " ") }
