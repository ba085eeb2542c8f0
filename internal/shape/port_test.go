package shape

import (
	"errors"
	"strings"
	"testing"

	"github.com/tinylib/msgp/msgp"
)

const withPorts = "(n Page{N int}, stream#2 stream Page, m int, report func(done int, Page) (bool, err string), stream *Page) " +
	"(int, out stream Page, stream Item{P Page, In Page}, string)"

func TestStreamsAndFunctionsArePorts(t *testing.T) {
	s := parse(t, withPorts)
	if got := describe(s.Params) + describe(s.Results); got != "(n Page, m int)(int, string)" {
		t.Errorf("values are %s", got)
	}
	want := []struct {
		kind  PortKind
		path  string
		place int
		what  string
	}{
		{InputStream, "stream stream", 1, "stream Page"},
		{Function, "function report", 3, "func(done int, Page) (bool, err string)"},
		{InputStream, "stream (number 5)", 4, "stream *Page"},
		{OutputStream, "result stream out", 1, "result stream Page"},
		{OutputStream, "result stream (number 3)", 2, "result stream Item"},
	}
	if len(s.Ports) != len(want) {
		t.Fatalf("%d ports", len(s.Ports))
	}
	for i, w := range want {
		p := s.Ports[i]
		if p.Kind != w.kind || p.path() != w.path || p.Place != w.place || p.describe() != w.what {
			t.Errorf("port %d: %d, %s, %d, %s; wanted %v", i+1, p.Kind, p.path(), p.Place, p.describe(), w)
		}
	}
	if page := s.Params[0].Type; s.Ports[0].Elem != page || s.Ports[1].Params[1].Type != page || s.Ports[3].Elem != page {
		t.Error("a label stands for another type in a port")
	}
}

// Names and labels that begin with a word of the grammar, or are one.
func TestWordsThatAreNoPorts(t *testing.T) {
	for text, want := range map[string]string{
		"(stream#2 int) ()":                      "(stream int)",
		"(streams int, function int) ()":         "(streams int, function int)",
		"(a {stream int, func int}) ()":          "(a struct{stream int, func int})",
		"(a stream#2{A int}, stream#2) ()":       "(a stream#2, stream#2)",
		"(func#2{A int}, funcs{}, stream_{}) ()": "(func#2, funcs, stream_)",
	} {
		s := parse(t, text)
		if got := describe(s.Params); got != want || len(s.Ports) > 0 {
			t.Errorf("%s: %s and %d ports", text, got, len(s.Ports))
		}
	}
}

func TestPortsStandOnlyInParametersAndResults(t *testing.T) {
	for _, text := range []string{
		"([]stream int) ()", "(a {B stream int}) ()", "(a map[int]stream int) ()", "(a *stream int) ()", "(a stream stream int) ()",
		"(a []func() ()) ()", "(a {B func() ()}) ()", "(a stream func() ()) ()",
		"() (func() ())", "(f func(func() ()) ()) ()", "(f func() (func() ())) ()", "(f func(in stream int) ()) ()", "(f func() (stream int)) ()",
		"(stream) ()", "(stream ) ()", "(func) ()", "(f func()) ()", "(f func() int) ()", "(f func () ()) ()", "(a stream{A int}) ()", "(a func{A int}) ()",
		"(" + strings.Repeat("stream int, ", maxPorts) + "stream int) ()",
	} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%.40s was read: %v", text, s)
		}
	}
}

// A type that was compared among the arguments is compared in each port too.
func TestEachPortHasASurplusOfItsOwn(t *testing.T) {
	const ours = "(p Page{N int, M int}, in stream Page, ask func(Page) (Page, x int), same stream Other{A int}, all stream []*Page) (stream Page)"
	const theirs = "(p Page{N int}, in stream Page, ask func(Page) (Page), same stream Other{A int}, all stream []*Page) (stream Page)"
	a, err := Compare(parse(t, ours), parse(t, theirs))
	if err != nil {
		t.Fatal(err)
	}
	if !a.Surplus || len(a.Ports) != 5 || a.Ports[2] != nil || a.Ports[4] != nil {
		t.Fatalf("%v, ports %v", a.Surplus, a.Ports)
	}
	array := func(elements ...[]byte) (b []byte) {
		b = msgp.AppendArrayHeader(nil, uint32(len(elements)))
		for _, e := range elements {
			b = append(b, e...)
		}
		return b
	}
	number := func(n int64) []byte { return msgp.AppendInt64(nil, n) }
	page := func(m int64) []byte { return array(number(1), number(m)) }
	for _, c := range []struct {
		port    int
		encoded []byte
		path    string
	}{
		{1, page(0), ""},
		{1, page(2), "stream in[].M"},
		{2, array(page(0), number(0)), ""},
		{2, array(page(2), number(0)), "function ask: result (number 1).M"},
		{2, array(page(0), number(3)), "function ask: result x"},
		{4, array(page(0), msgp.AppendNil(nil)), ""},
		{4, array(page(0), page(2)), "stream all[][1].M"},
	} {
		port := a.Ports[c.port-1]
		if !port.Surplus {
			t.Errorf("port %d has no surplus", c.port)
		}
		err := port.Check(c.encoded)
		var s *Surplus
		if c.path == "" && err != nil || c.path != "" && (!errors.As(err, &s) || s.Path != c.path) {
			t.Errorf("port %d, %q: %v", c.port, c.path, err)
		}
	}
}

func TestTheSliceInPlaceOfAStreamIsNamed(t *testing.T) {
	for _, c := range []struct{ ours, theirs, want string }{
		{"(a stream int, n int, b stream int) ()", "(a stream int, n int, b []int) ()", "stream b is stream int here and []int on the other side"},
		{"(n int, b []int) (int)", "(n int, b stream int) (int)", "stream b is []int here and stream int on the other side"},
		{"(stream int, stream int) ()", "([]int, stream int) ()", "stream (number 2) is stream int here and missing on the other side"},
		{"(int, bool) (stream int, []int)", "(int, bool) (stream int, stream int)", "result stream (number 2) is []int here and result stream int on the other side"},
	} {
		if _, err := Compare(parse(t, c.ours), parse(t, c.theirs)); err == nil || err.Error() != c.want {
			t.Errorf("%s, %s: %v", c.ours, c.theirs, err)
		}
	}
}
