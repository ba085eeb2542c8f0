package main

import (
	"net"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/linknet"
	"github.com/tenon-go/tenon/linktest"
	"github.com/tenon-go/tenon/shm"
	"golang.org/x/net/nettest"
)

// plain hides all that a link can do beyond Send, Recv and Close.
type plain struct{ tenon.Link }

func TestEveryLinkIsANetConn(t *testing.T) {
	unix := func() (tenon.Link, tenon.Link, error) { return pairOf(iolink.Pair()) }
	for name, pair := range map[string]func() (a, b tenon.Link, err error){
		"shm":       func() (tenon.Link, tenon.Link, error) { return pairOf(shm.Pair()) },
		"small shm": func() (tenon.Link, tenon.Link, error) { return pairOf(shm.Pair(shm.Size(4096))) },
		"inproc": func() (tenon.Link, tenon.Link, error) {
			a, b := inproc.Pair()
			return a, b, nil
		},
		"unix": unix,
		"pipe": func() (tenon.Link, tenon.Link, error) { return pairOf(iolink.Pipe()) },
		"plain": func() (tenon.Link, tenon.Link, error) {
			a, b, err := unix()
			return plain{a}, plain{b}, err
		},
		"plain, in pieces": func() (tenon.Link, tenon.Link, error) {
			a, b, err := unix()
			return plain{linktest.Cut(a, 1)}, plain{linktest.Cut(b, 2)}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nettest.TestConn(t, func() (a, b net.Conn, stop func(), err error) {
				x, y, err := pair()
				if err != nil {
					return nil, nil, nil, err
				}
				a, b = linknet.NewConn(x), linknet.NewConn(y)
				return a, b, func() {
					a.Close()
					b.Close()
				}, nil
			})
		})
	}
}

func pairOf[L tenon.Link](a, b L, err error) (x, y tenon.Link, _ error) { return a, b, err }
