package tenon_test

import (
	"crypto/tls"
	"net"
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

// tlsPair returns what joins two ends over TCP and TLS.
func tlsPair(t testing.TB) func() (a, b tenon.Link) {
	certificate, pool := selfSigned(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return func() (a, b tenon.Link) {
		x, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		y, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return iolink.New(tls.Client(x, &tls.Config{RootCAs: pool, ServerName: "tenon.test"})),
			iolink.New(tls.Server(y, &tls.Config{Certificates: []tls.Certificate{certificate}}))
	}
}
