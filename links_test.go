package tenon_test

import (
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/shm"
)

// links are the links that fit into one process, by name.
func links(t testing.TB) map[string]func() (a, b tenon.Link) {
	must := func(a, b tenon.Link, err error) (tenon.Link, tenon.Link) {
		if err != nil {
			t.Fatal(err)
		}
		return a, b
	}
	return map[string]func() (a, b tenon.Link){
		"inproc": func() (a, b tenon.Link) { return inproc.Pair() },
		"plain": func() (tenon.Link, tenon.Link) {
			a, b := inproc.Pair()
			return plain{a}, plain{b}
		},
		"shm": func() (tenon.Link, tenon.Link) {
			a, b, err := shm.Pair()
			return must(a, b, err)
		},
		"small shm": func() (tenon.Link, tenon.Link) {
			a, b, err := shm.Pair(shm.Size(4096))
			return must(a, b, err)
		},
		"unix": func() (tenon.Link, tenon.Link) {
			a, b, err := iolink.Pair()
			return must(a, b, err)
		},
		"pipe": func() (tenon.Link, tenon.Link) {
			a, b, err := iolink.Pipe()
			return must(a, b, err)
		},
	}
}
