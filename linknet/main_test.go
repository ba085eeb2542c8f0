package linknet_test

import (
	"errors"
	"net"
	"os"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/linknet"
	"github.com/tenon-go/tenon/shm"
)

func TestMain(m *testing.M) { os.Exit(leak.Main(m)) }

// plain hides all that a link can do beyond Send, Recv and Close.
type plain struct{ tenon.Link }

// overEveryLink runs a test over every link that this system has.
func overEveryLink(t *testing.T, test func(t *testing.T, a, b *linknet.Conn)) {
	for name, pair := range map[string]func() (a, b tenon.Link, err error){
		"shm":       func() (tenon.Link, tenon.Link, error) { return pairOf(shm.Pair()) },
		"small shm": func() (tenon.Link, tenon.Link, error) { return pairOf(shm.Pair(shm.Size(4096))) },
		"inproc": func() (tenon.Link, tenon.Link, error) {
			a, b := inproc.Pair()
			return a, b, nil
		},
		"unix": func() (tenon.Link, tenon.Link, error) { return pairOf(iolink.Pair()) },
		"pipe": func() (tenon.Link, tenon.Link, error) { return pairOf(iolink.Pipe()) },
		"plain": func() (tenon.Link, tenon.Link, error) {
			a, b := inproc.Pair()
			return plain{a}, plain{b}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			x, y, err := pair()
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			a, b := linknet.NewConn(x), linknet.NewConn(y)
			defer a.Close()
			defer b.Close()
			test(t, a, b)
		})
	}
}

func pairOf[L tenon.Link](a, b L, err error) (x, y tenon.Link, _ error) { return a, b, err }

// inprocConns are two joined connections.
func inprocConns(t *testing.T) (a, b net.Conn) {
	x, y := inproc.Pair()
	a, b = linknet.NewConn(x), linknet.NewConn(y)
	t.Cleanup(func() {
		a.Close()
		b.Close()
	})
	return a, b
}
