package shape_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/shape"
)

// Peers parse shapes, so every shape must be a sentence of the grammar in
// PROTOCOL.md, and refer only to labels that were spelled out before.
func TestShapesFollowTheGrammar(t *testing.T) {
	packages, _, err := load.Load(context.Background(), load.Options{Dir: "../../gentest", Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range packages {
		for _, file := range model.Build(p).Files {
			for _, s := range file.Services {
				for _, m := range s.Methods {
					seen++
					text := shape.Of(&m.Signature, p.Types)
					if err := parse(text); err != nil {
						t.Errorf("%s: %v in\n%s", m.WireName, err, text)
					}
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d methods were looked at", seen)
	}
}

func TestWrongShapesDoNotFollowTheGrammar(t *testing.T) {
	for _, text := range []string{
		"", "()", "() ", "(int) (int) ", "(a int, ) ()", "(User) ()", "(a User{ID}) ()", "([]) ()", "([x]int) ()",
		"(m map[string) ()", "(a []stream int) ()", "(stream) ()", "(a {B stream int}) ()", "() (func() ())",
		"(f func() int) ()", "(f func(func() ()) ()) ()", "(f func() (stream int)) ()", "(stream stream int) ()", "(E:int{}) ()", "(E:int{A=}) ()", "(a U{A int}, b U{A int}) ()", "(a {F< int}) ()",
	} {
		if parse(text) == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

type parser struct {
	rest   string
	labels map[string]bool
}

func parse(text string) (err error) {
	p := &parser{rest: text, labels: map[string]bool{}}
	defer func() {
		if failure, ok := recover().(error); ok {
			err = failure
		}
	}()
	p.list("(", ")", func() { p.value(true, true) })
	p.expect(" ")
	p.list("(", ")", func() { p.value(true, false) })
	if p.rest != "" {
		p.fail("the end")
	}
	return nil
}

func (p *parser) fail(want string) { panic(fmt.Errorf("want %s at %q", want, p.rest)) }

func (p *parser) accept(text string) bool {
	rest, ok := strings.CutPrefix(p.rest, text)
	p.rest = rest
	return ok
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail(text)
	}
}

func (p *parser) list(open, end string, item func()) {
	p.expect(open)
	for first := true; !p.accept(end); first = false {
		if !first {
			p.expect(", ")
		}
		item()
	}
}

// word returns the characters up to the next one of those that end a word.
func (p *parser) word(ends string) string {
	n := strings.IndexAny(p.rest, ends)
	if n <= 0 {
		p.fail("a word")
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return word
}

func (p *parser) value(streams, funcs bool) {
	if n := strings.IndexAny(p.rest, " ,()[{:*"); n > 0 && p.rest[n] == ' ' && !strings.HasPrefix(p.rest, "stream ") {
		p.word(" ")
		p.expect(" ")
	}
	switch {
	case streams && p.accept("stream "):
		p.typ()
	case funcs && p.accept("func("):
		p.rest = "(" + p.rest
		plain := func() { p.value(false, false) }
		p.list("(", ")", plain)
		p.expect(" ")
		p.list("(", ")", plain)
	default:
		p.typ()
	}
}

var basics = map[string]bool{"bytes": true, "time": true, "duration": true, "bool": true, "string": true, "float32": true, "float64": true, "uintptr": true}

func init() {
	for _, size := range []string{"", "8", "16", "32", "64"} {
		basics["int"+size], basics["uint"+size] = true, true
	}
}

func (p *parser) typ() {
	switch {
	case p.accept("[]"), p.accept("*"):
		p.typ()
	case p.accept("["):
		if length := p.word("]"); strings.Trim(length, "0123456789") != "" {
			p.fail("a length")
		}
		p.expect("]")
		if !p.accept("byte") {
			p.typ()
		}
	case p.accept("map["):
		p.typ()
		p.expect("]")
		p.typ()
	case strings.HasPrefix(p.rest, "{"):
		p.list("{", "}", p.field)
	default:
		p.named()
	}
}

func (p *parser) named() {
	name := p.word(" ,)]}[{:")
	if basics[name] {
		return
	}
	if strings.HasPrefix(p.rest, "[") { // type arguments
		depth := 0
		end := strings.IndexFunc(p.rest, func(r rune) bool {
			switch r {
			case '[':
				depth++
			case ']':
				depth--
			}
			return depth == 0
		})
		name += p.rest[:end+1]
		p.rest = p.rest[end+1:]
	}
	if p.accept("#") {
		name += "#" + p.word(" ,)]}{:")
	}
	known := p.labels[name]
	p.labels[name] = true
	switch {
	case known: // a reference; spelling it out again would be ambiguous
	case strings.HasPrefix(p.rest, "{"):
		p.list("{", "}", p.field)
	case !p.accept(":"):
		p.fail("the type " + name + " spelled out")
	case p.accept("text"), p.accept("binary"):
	default:
		p.typ()
		if strings.HasPrefix(p.rest, "{") {
			if strings.HasPrefix(p.rest, "{}") {
				p.fail("a constant")
			}
			p.list("{", "}", p.constant)
		}
	}
}

func (p *parser) field() {
	p.word(" <?")
	if p.accept("<") {
		p.word(" ?")
	}
	p.accept("?")
	p.expect(" ")
	p.typ()
}

func (p *parser) constant() {
	p.word("=")
	p.expect("=")
	if !p.accept(`"`) {
		p.word(",}")
		return
	}
	for !p.accept(`"`) {
		if p.accept(`\`); p.rest == "" {
			p.fail("a closing quote")
		}
		p.rest = p.rest[1:]
	}
}
