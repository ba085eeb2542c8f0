package check

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// method reports what is wrong with what a method takes and returns. There are three
// forms: values and an error, streams, and nothing at all.
func (c *checker) method(place string, m *model.Method) {
	streams := 0
	for _, v := range m.Results {
		if v.Stream {
			streams++
		}
	}
	switch {
	case streams > 0 && (m.HasError || streams < len(m.Results)):
		c.report(m.Pos, place, "a stream stands beside other results", "return streams alone: the loop over a stream gets every error, and values can be items or have a method of their own")
	case streams > 0 || m.HasError:
	case len(m.Results) > 0 && !slices.ContainsFunc(m.Results, mayTravel):
		// What is meant for a stream, perhaps, needs no error beside it.
	case len(m.Results) > 0:
		c.report(m.Pos, place, "the last result is not an error", "every call can fail: add an error as the last result")
	case m.Ports > 0:
		c.report(m.Pos, place, "a method without results does not wait for the other side, so that nobody would be there for its streams and functions",
			"add an error as the last result")
	}
	if m.Ports > tenon.MaxPorts {
		c.report(m.Pos, place, fmt.Sprintf("it has %d streams and functions, and %d are the most", m.Ports, tenon.MaxPorts), "split it into several methods")
	}
	for _, v := range m.Params {
		path := c.value(place, "parameter", v)
		if v.Func != nil {
			c.function(path, v)
		}
	}
	for _, v := range m.Results {
		path := c.value(place, "result", v)
		if v.Func != nil {
			c.report(v.Pos, path, "a function cannot be a result, since it lives as long as the call", "declare a method that does what it would do")
		}
	}
}

func mayTravel(v *model.Value) bool { return v.Func != nil || v.Type.Kind != model.Unsupported }

// function reports what is wrong with a parameter that is a function.
func (c *checker) function(place string, v *model.Value) {
	f := v.Func
	if f.Variadic {
		c.report(v.Pos, place, "the function is variadic", "let it take a slice")
	}
	if len(f.Results) > 0 && !f.HasError {
		c.report(v.Pos, place, "the function has results and the last one is not an error, so that nobody would learn that the connection was lost",
			"add an error as its last result")
	}
	for _, inner := range f.Params {
		c.functionValue(place, "parameter", v, inner)
	}
	for _, inner := range f.Results {
		c.functionValue(place, "result", v, inner)
	}
}

func (c *checker) functionValue(place, role string, function, v *model.Value) {
	here := *v
	if named, ok := function.Go.(*types.Named); ok && named.Obj().Pkg() != c.pkg {
		here.Pos = function.Pos // where the author can change something
	}
	path := c.value(place, role, &here)
	switch {
	case v.Stream:
		c.report(here.Pos, path, "a function has no streams", "let it take or return a slice, or make the stream a parameter or result of the method")
	case v.Func != nil:
		c.report(here.Pos, path, "a function has no functions", "make it a parameter of the method")
	}
}

// value reports what is wrong with the type of a value, or of the items of a
// stream. It returns the place for what else may be wrong.
func (c *checker) value(place, role string, v *model.Value) string {
	name := v.Name
	if !v.Named {
		name = fmt.Sprint(v.Number)
	}
	context := place + ", " + role + " "
	switch {
	case v.Stream:
		c.walk(context, name+"[]", v.Pos, v.Type)
	case v.Func == nil:
		c.walk(context, name, v.Pos, v.Type)
	}
	return context + name
}
