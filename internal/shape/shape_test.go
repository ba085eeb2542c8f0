package shape

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tinylib/msgp/msgp"
)

func parse(t *testing.T, text string) *Shape {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// changes is the table of PROTOCOL.md: what a caller with the first shape gets
// who calls a method with the second.
var changes = []struct {
	name         string
	ours, theirs string
	want         string // part of the error; "" when it may be called
	surplus      bool   // the caller has values that the callee does not know
}{
	{"nothing", "(a int) (b string)", "(a int) (b string)", "", false},
	{"int to int64", "(a int) (int)", "(a int64) (int64)", "", false},
	{"uint to uint64", "(a uint) ()", "(a uint64) ()", "", false},
	{"int32 to int64", "(a int32) ()", "(a int64) ()", "argument a is int32 here and int64 on the other side", false},
	{"int to string", "(a int) ()", "(a string) ()", "argument a is int here and string on the other side", false},
	{"T to *T", "(a int) ()", "(a *int) ()", "argument a is int here and *int", false},
	{"bytes to string", "(a bytes) ()", "(a string) ()", "argument a is bytes here and string", false},
	{"slice to array", "(a []int) ()", "(a [3]int) ()", "argument a", false},
	{"array of other length", "(a [2]int) ()", "(a [3]int) ()", "argument a is [2]int here and [3]int", false},
	{"parameter renamed", "(a int) ()", "(b int) ()", "argument (number 1) is named a here and named b", false},
	{"name given to a parameter", "(int) ()", "(b int) ()", "", false},
	{"parameters swapped", "(x int, y int) ()", "(y int, x int) ()", "named x here and named y", false},
	{"parameter appended by the caller", "(a int, b int) ()", "(a int) ()", "", true},
	{"parameter appended by the callee", "(a int) ()", "(a int, b int) ()", "", false},
	{"result appended by the callee", "() (a int)", "() (a int, b int)", "", false},
	{"result appended by the caller", "() (a int, b int)", "() (a int)", "", false},
	{"result of another type", "() (a int)", "() (a bool)", "result a is int here and bool", false},
	{"field appended by the caller", "(u U{A int, B int}) ()", "(u U{A int}) ()", "", true},
	{"field appended by the callee", "(u U{A int}) ()", "(u U{A int, B int}) ()", "", false},
	{"field inserted", "(u U{A int, C int}) ()", "(u U{A int, B int, C int}) ()", "(number 2) is named C here and named B", false},
	{"field renamed", "(u U{A int}) ()", "(u U{B int}) ()", "named A here and named B", false},
	{"field renamed with a tag here", "(u U{B<A int}) ()", "(u U{A int}) ()", "", false},
	{"field renamed with a tag there", "(u U{A int}) ()", "(u U{B<A int}) ()", "", false},
	{"type of a nested field", "(u U{A V{B []W{C int}}}) ()", "(u U{A V{B []W{C bool}}}) ()", "argument u.A.B[].C is int here and bool", false},
	{"type renamed", "(u U{A int}) ()", "(u User{A int}) ()", "", false},
	{"embedded instead of own fields", "(u U{Base Base{ID int}, A int}) ()", "(u U{ID int, A int}) ()", "named Base here and named ID", false},
	{"enumeration gains a name", `(l L:int{Low=1}) ()`, `(l L:int{Low=1, High=2}) ()`, "", false},
	{"enumeration loses a name", `(l L:int{Low=1, High=2}) ()`, `(l L:int{Low=1}) ()`, "", false},
	{"enumeration changes a value", `(l L:int{Low=1}) ()`, `(l L:int{Low=2}) ()`, "argument l: Low is 1 here and 2", false},
	{"enumeration renames a value", `(l L:int{Low=1}) ()`, `(l L:int{Small=1}) ()`, "the value 1 is named Low here and named Small", false},
	{"enumeration to int", `(l L:int{Low=1}) ()`, `(l int) ()`, "argument l is L (enumeration of int) here and int", false},
	{"strings of an enumeration", `(m M:string{Fast="fast", Slow="a, \"b\"}"}) ()`, `(m M:string{Fast="fast"}) ()`, "", false},
	{"marshaler to another form", "(a netip.Addr:text) ()", "(a netip.Addr:binary) ()", "argument a is netip.Addr (text) here and netip.Addr (binary)", false},
	{"map key", "(m map[string]int) ()", "(m map[int]int) ()", "argument m[key]", false},
	{"map value", "(m map[string]int) ()", "(m map[string]bool) ()", "argument m[]", false},
	{"recursive", "(t Tree{Name string, Kids []Tree}) (Tree)", "(t Tree{Name string, Kids []Tree, Age int}) (Tree)", "", false},
	{"recursive through a slice", "(f Forest:[]Forest) ()", "(f Forest:[]Forest) ()", "", false},
	{"generic", "(p geo.Pair[string, []Base]{A string, B Base{X int}}) (geo.Pair[string, []Base])", "(p Pair{A string, B Base{X int}}) (Pair)", "", false},
	{"time to duration", "(t time) ()", "(t duration) ()", "argument t is time here and duration", false},
	{"stream to slice", "(in stream int) ()", "(in []int) ()", "stream in is stream int here and []int on the other side", false},
	{"slice to result stream", "() ([]Page{N int})", "() (stream Page{N int})", "result stream (number 1) is []Page here and result stream Page", false},
	{"items of another type", "(in stream Page{N int}) ()", "(in stream Page{N string}) ()", "stream in[].N is int here and string", false},
	{"items of a result stream of another type", "() (stream int)", "() (stream string)", "result stream (number 1)[] is int here and string", false},
	{"items to the callee gain a field at the caller", "(in stream Page{N int, M int}) ()", "(in stream Page{N int}) ()", "", true},
	{"items to the callee gain a field at the callee", "(in stream Page{N int}) ()", "(in stream Page{N int, M int}) ()", "", false},
	{"items of a result stream gain a field at the caller", "() (stream Page{N int, M int})", "() (stream Page{N int})", "", false},
	{"items of a result stream gain a field at the callee", "() (stream Page{N int})", "() (stream Page{N int, M int})", "", false},
	{"stream renamed", "(in stream int) ()", "(pages stream int) ()", "stream in is named in here and named pages", false},
	{"streams swapped", "(a stream int, b stream int) ()", "(b stream int, a stream int) ()", "stream a is named a here and named b", false},
	{"stream moved behind a parameter", "(in stream int, n int) ()", "(n int, in stream int) ()", "", false},
	{"stream in the other direction", "(stream int) ()", "() (stream int)", "stream (number 1) is stream int here and result stream int", false},
	{"stream appended by the caller", "(n int, in stream int) ()", "(n int) ()", "stream in is stream int here and missing on the other side", false},
	{"stream appended by the callee", "(n int) ()", "(n int, in stream int) ()", "stream in is missing here and stream int on the other side", false},
	{"result stream appended by the callee", "() (n int)", "() (n int, more stream int)", "result stream more is missing here and result stream int", false},
	{"function appended by the callee", "() (int)", "(report func(int) ()) (int)", "function report is missing here and func(int) () on the other side", false},
	{"function to stream", "(next func() (int)) ()", "(next stream int) ()", "function next is func() (int) here and stream int", false},
	{"parameter of a function of another type", "(report func(done int) ()) ()", "(report func(done string) ()) ()", "function report: argument done is int here and string", false},
	{"parameter of a function renamed", "(report func(done int) ()) ()", "(report func(all int) ()) ()", "function report: argument (number 1) is named done here and named all", false},
	{"result of a function of another type", "(ask func() (int)) ()", "(ask func() (bool)) ()", "function ask: result (number 1) is int here and bool", false},
	{"function gains a parameter at the caller", "(report func(done int, all int) ()) ()", "(report func(done int) ()) ()", "", false},
	{"function gains a parameter at the callee", "(report func(done int) ()) ()", "(report func(done int, all int) ()) ()", "", false},
	{"function gains a result at the caller", "(ask func() (int, bool)) ()", "(ask func() (int)) ()", "", true},
	{"function gains a result at the callee", "(ask func() (int)) ()", "(ask func() (int, bool)) ()", "", false},
	{"parameter appended beside a stream by the caller", "(a int, in stream int, b int) ()", "(a int, in stream int) ()", "", true},
}

func TestChangesOfAContract(t *testing.T) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			agreement, err := Compare(parse(t, c.ours), parse(t, c.theirs))
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want == "":
				surplus := agreement.Surplus || slices.ContainsFunc(agreement.Ports, func(a *Agreement) bool { return a != nil })
				if surplus != c.surplus {
					t.Errorf("surplus is %v", surplus)
				}
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("%v; wanted %q", err, c.want)
			}
		})
	}
}

func TestTheTableInPROTOCOLIsThisOne(t *testing.T) {
	protocol, err := os.ReadFile("../../PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes[1:] {
		verdict := "run"
		if c.want != "" {
			verdict = "fail"
		} else if c.surplus {
			verdict = "run, as long as the value is zero or optional"
		}
		row := fmt.Sprintf("| %s | `%s` | `%s` | %s |\n", c.name, c.ours, c.theirs, verdict)
		if !strings.Contains(string(protocol), row) {
			t.Errorf("PROTOCOL.md lacks\n%s", row)
		}
	}
	if rows := strings.Count(string(protocol), ")` | run") + strings.Count(string(protocol), ")` | fail"); rows != len(changes)-1 {
		t.Errorf("PROTOCOL.md has %d rows, there are %d changes", rows, len(changes)-1)
	}
}

func TestSurplusThatIsNotZeroIsNamed(t *testing.T) {
	array := func(b []byte, n uint32) []byte { return msgp.AppendArrayHeader(b, n) }
	number := func(b []byte, n int64) []byte { return msgp.AppendInt64(b, n) }
	const ours, theirs = "(u U{A int, B string, C? int, D V{X int}}, n int) ()", "(u U{A int}) ()"
	message := func(b string, c, x, n int64) []byte {
		m := array(array(nil, 2), 4)
		m = number(msgp.AppendString(number(m, 1), b), c)
		m = number(array(m, 1), x)
		return number(m, n)
	}
	a, err := Compare(parse(t, ours), parse(t, theirs))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		message []byte
		path    string
	}{
		{message("", 0, 0, 0), ""},
		{message("", 7, 0, 0), ""}, // optional
		{message("x", 0, 0, 0), "argument u.B"},
		{message("", 0, 3, 0), "argument u.D"},
		{message("", 0, 0, 5), "argument n"},
	} {
		err := a.Check(c.message)
		var s *Surplus
		if c.path == "" && err != nil || c.path != "" && (!errors.As(err, &s) || s.Path != c.path) {
			t.Errorf("%q: %v", c.path, err)
		}
	}
}

func TestZeroOfEveryKind(t *testing.T) {
	for name, b := range map[string][]byte{
		"nil": msgp.AppendNil(nil), "false": msgp.AppendBool(nil, false), "0": msgp.AppendInt64(nil, 0),
		"0.0": msgp.AppendFloat64(nil, 0), "empty string": msgp.AppendString(nil, ""),
		"zeros": msgp.AppendInt64(msgp.AppendArrayHeader(nil, 1), 0),
	} {
		if !zero(b) {
			t.Errorf("%s is not zero", name)
		}
	}
	for name, b := range map[string][]byte{
		"true": msgp.AppendBool(nil, true), "-1": msgp.AppendInt64(nil, -1), "max": msgp.AppendUint64(nil, math.MaxUint64),
		"NaN": msgp.AppendFloat64(nil, math.NaN()), "string": msgp.AppendString(nil, "x"), "empty map": msgp.AppendMapHeader(nil, 0),
	} {
		if zero(b) {
			t.Errorf("%s is zero", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range changes {
		f.Add(c.ours, c.theirs)
	}
	f.Add(withPorts, "(n Page{N int}, in stream Page, ask func(Page) (Page)) (out stream Page)")
	f.Add("(a int, f func() (int, T{A int, B int})) ()", "(f func() (int)) ()")
	f.Fuzz(func(t *testing.T, a, b string) {
		ours, err := Parse(a)
		if err != nil {
			return
		}
		if _, err := Compare(ours, ours); err != nil {
			t.Fatalf("%q differs from itself: %v", a, err)
		}
		theirs, err := Parse(b)
		if err != nil {
			return
		}
		if agreement, err := Compare(ours, theirs); err == nil {
			agreement.Check([]byte(b))
			for _, port := range agreement.Ports {
				if port != nil {
					port.Check([]byte(b))
				}
			}
		}
	})
}
