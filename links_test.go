package tenon_test

import (
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

// links are the links that fit into one process, by name.
func links(t testing.TB) map[string]func() (a, b tenon.Link) {
	return map[string]func() (a, b tenon.Link){
		"inproc": func() (a, b tenon.Link) { return inproc.Pair() },
		"plain": func() (tenon.Link, tenon.Link) {
			a, b := inproc.Pair()
			return plain{a}, plain{b}
		},
	}
}
