package tenon_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/iolink"
)

func brief(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func TestHangingUpBeforeTheHelloIsAFailedDial(t *testing.T) {
	for name, greet := range map[string]func(net.Conn){
		"closes at once": func(net.Conn) {},
		"speaks HTTP":    func(c net.Conn) { c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) },
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Skip(err)
			}
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					greet(conn)
					conn.Close()
				}
			}()
			var dials atomic.Int64
			c := tenon.NewClient(func(ctx context.Context) (tenon.Link, error) {
				dials.Add(1)
				conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
				if err != nil {
					return nil, err
				}
				return iolink.New(conn), nil
			}, nil)
			defer c.Close()
			says := func(err error) {
				t.Helper()
				for _, part := range []string{"test.Calc/Add", "no hello came", "tcp:" + l.Addr().String()} {
					if err == nil || !tenon.SafeToRetry(err) || !strings.Contains(err.Error(), part) {
						t.Errorf("%v does not say %q", err, part)
					}
				}
			}
			began := time.Now()
			_, err = add.Call(t.Context(), c, pair2())
			if says(err); dials.Load() != 2 || !strings.Contains(err.Error(), "2 times in a row") {
				t.Errorf("%d dials, %v", dials.Load(), err)
			}
			if took := time.Since(began); took < 25*time.Millisecond {
				t.Errorf("twice within %v", took)
			}
			_, err = add.Call(brief(t), c, pair2())
			if says(err); !errors.Is(err, context.DeadlineExceeded) || dials.Load() != 2 {
				t.Errorf("within the pause: %d dials, %v", dials.Load(), err)
			}
		})
	}
}

func TestADialThatIgnoresItsContextHoldsNobodyUp(t *testing.T) {
	var r restartable
	r.start()
	goOn := make(chan struct{})
	c := tenon.NewClient(func(ctx context.Context) (tenon.Link, error) {
		<-goOn
		return r.dial(ctx)
	}, nil)
	if _, err := add.Call(brief(t), c, pair2()); !errors.Is(err, context.DeadlineExceeded) || !tenon.SafeToRetry(err) {
		t.Error(err)
	}
	if c.State() != tenon.Connecting {
		t.Error(c.State())
	}
	time.AfterFunc(time.Millisecond, func() { close(goOn) })
	if sum, err := add.Call(t.Context(), c, pair2()); err != nil || sum != 3 {
		t.Errorf("%d, %v", sum, err)
	}
	if n := r.dials.Load(); n != 1 {
		t.Errorf("the late link was not used: %d dials", n)
	}
	c.Close()
	r.stop(t)
	r.conns.Wait()
}

func TestAClosedClientClosesTheLinkOfALateDial(t *testing.T) {
	goOn, dialing := make(chan struct{}), make(chan struct{})
	a, b := inproc.Pair()
	c := tenon.NewClient(func(context.Context) (tenon.Link, error) {
		close(dialing)
		<-goOn
		return a, nil
	}, nil)
	result := make(chan error, 1)
	go func() {
		_, err := add.Call(t.Context(), c, pair2())
		result <- err
	}()
	<-dialing
	c.Close()
	if err := <-result; !errors.Is(err, net.ErrClosed) || !tenon.SafeToRetry(err) {
		t.Error(err)
	}
	close(goOn)
	if _, err := b.Recv(); err == nil {
		t.Error("the link lives")
	}
	b.Close()
}

func TestAPanicOfADialFunctionIsAnErrorOfTheCall(t *testing.T) {
	c := tenon.NewClient(func(context.Context) (tenon.Link, error) { panic("no idea") }, nil, tenon.WithLogger(quiet))
	defer c.Close()
	if _, err := add.Call(t.Context(), c, pair2()); err == nil || !strings.Contains(err.Error(), "panicked: no idea") {
		t.Error(err)
	}
}
