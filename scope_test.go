package tenon_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

// A desk is the state of one connection.
type desk struct {
	conn    *tenon.Conn
	running *atomic.Int64 // handlers of its connection
	closed  chan<- deskEnd
}

// A deskEnd is what a desk saw when it was closed.
type deskEnd struct {
	peer    string
	why     error
	running int64
}

func (d *desk) Close() error {
	d.closed <- deskEnd{d.conn.Peer(), d.conn.Err(), d.running.Load()}
	return nil
}

// deskServer has one desk per connection; count streams for ever, and takes its time
// to end.
func deskServer(closed chan<- deskEnd) (srv *tenon.Server, opened *atomic.Int64) {
	opened = new(atomic.Int64)
	srv = tenon.NewServer(tenon.WithLogger(quiet))
	desks := tenon.NewPerConn(func(c *tenon.Conn) (*desk, error) {
		opened.Add(1)
		return &desk{c, new(atomic.Int64), closed}, nil
	})
	tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
		d, err := desks.For(ctx)
		if err != nil {
			return 0, err
		}
		d.running.Add(1)
		defer d.running.Add(-1)
		defer time.Sleep(5 * time.Millisecond)
		return 0, tenon.Output(ctx, 1, &intItem, func(yield func(int, error) bool) {
			for i := 0; yield(i, nil); i++ {
			}
		})
	})
	return srv, opened
}

// A connection's own value is closed after the last stream has ended, and told why
// the connection did. The streams do not outlive it.
func TestOwnServicesAreClosedAfterTheLastStreamAndKnowWhy(t *testing.T) {
	broken := errors.New("cable cut")
	for name, c := range map[string]struct {
		end  func(client, server *tenon.Conn)
		want error
	}{
		"the client closes": {func(client, _ *tenon.Conn) { client.Close() }, io.EOF},
		"the server closes": {func(_, server *tenon.Conn) { server.Close() }, net.ErrClosed},
		"its context ends":  {nil, broken},
	} {
		t.Run(name, func(t *testing.T) {
			closed := make(chan deskEnd, 1)
			srv, _ := deskServer(closed)
			a, b := inproc.Pair()
			serving, cut := context.WithCancelCause(context.Background())
			server := tenon.NewConn(serving, b, srv, tenon.WithPeerName("visitor"))
			client := tenon.NewConn(context.Background(), a, nil)
			var streams sync.WaitGroup
			var ended atomic.Int64
			begun := make(chan struct{}, 3)
			for range 3 {
				streams.Go(func() {
					for v, err := range tenon.Stream(t.Context(), &count, client, 0, &intItem) {
						if v == 100 {
							begun <- struct{}{}
						}
						if err != nil {
							ended.Add(1)
						}
					}
				})
			}
			for range 3 {
				<-begun
			}
			if c.end != nil {
				c.end(client, server)
			} else {
				cut(broken)
			}
			streams.Wait()
			if ended.Load() != 3 {
				t.Errorf("%d of 3 streams ended with an error", ended.Load())
			}
			end := <-closed
			if end.peer != "visitor" || !errors.Is(end.why, c.want) || end.running != 0 {
				t.Errorf("%+v", end)
			}
			client.Close()
			<-client.Done()
			<-server.Done()
			cut(nil)
		})
	}
}

func TestAnotherConnectionOverTheLinkGetsAFreshServiceThoughStreamsRan(t *testing.T) {
	closed := make(chan deskEnd, 3)
	srv, opened := deskServer(closed)
	a, b := inproc.Pair()
	served := make(chan error, 1)
	go func() { served <- srv.ServeLink(context.Background(), b) }()
	client := tenon.NewClientOver(a, nil)
	for round := int64(1); round <= 3; round++ {
		left := 50
		for _, err := range tenon.Stream(t.Context(), &count, client, 0, &intItem) {
			if err != nil {
				t.Fatal(err)
			}
			if left--; left == 0 {
				break
			}
		}
		if err := client.Disconnect(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end := <-closed; end.why == nil || end.running != 0 || opened.Load() != round {
			t.Errorf("round %d: %+v, %d were opened", round, end, opened.Load())
		}
	}
	client.Close()
	<-served
}

// Shutdown returns when they are closed, also those of connections that have ended
// by themselves.
func TestShutdownWaitsForOwnServices(t *testing.T) {
	var closed atomic.Int64
	release := make(chan struct{})
	srv := tenon.NewServer()
	slow := tenon.NewPerConn(func(*tenon.Conn) (closer, error) {
		return func() error {
			<-release
			closed.Add(1)
			return nil
		}, nil
	})
	tenon.Handle(srv, &add, func(ctx context.Context, _ pair) (int64, error) {
		_, err := slow.For(ctx)
		return 0, err
	})
	gone, stays := serve(t, srv), serve(t, srv)
	for _, conn := range []*tenon.Conn{gone, stays} {
		if _, err := add.Call(t.Context(), conn, pair{}); err != nil {
			t.Fatal(err)
		}
	}
	gone.Close()
	eventually(t, "one is left", func() bool { return len(srv.Conns()) == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := srv.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	time.AfterFunc(10*time.Millisecond, func() { close(release) })
	if err := srv.Shutdown(t.Context()); err != nil || closed.Load() != 2 {
		t.Errorf("%v, %d of 2 are closed", err, closed.Load())
	}
}

type closer func() error

func (c closer) Close() error { return c() }

// What goes wrong in a value's functions is an error of calls, and nothing else.
func TestOwnServicesThatPanic(t *testing.T) {
	srv := tenon.NewServer(tenon.WithLogger(quiet))
	closed := make(chan struct{}, 1)
	opens := tenon.NewPerConn(func(*tenon.Conn) (int, error) { panic("no") })
	closes := tenon.NewPerConn(func(*tenon.Conn) (closer, error) {
		return func() error { closed <- struct{}{}; panic("no") }, nil
	})
	late := make(chan context.Context, 1)
	tenon.Handle(srv, &add, func(ctx context.Context, p pair) (int64, error) {
		if _, err := closes.For(ctx); err != nil {
			return 0, err
		}
		_, err := opens.For(ctx)
		return 0, err
	})
	tenon.Handle(srv, &echo, func(ctx context.Context, p []byte) ([]byte, error) {
		late <- ctx
		return p, nil
	})
	conn := serve(t, srv)
	for _, want := range []tenon.Code{tenon.Panicked, tenon.Unknown} {
		if _, err := add.Call(t.Context(), conn, pair{}); tenon.CodeOf(err) != want {
			t.Errorf("%v", err)
		}
	}
	if _, err := echo.Call(t.Context(), conn, nil); err != nil {
		t.Error(err)
	}
	conn.Close()
	<-closed
	eventually(t, "it is over", func() bool { return len(srv.Conns()) == 0 })
	fresh := tenon.NewPerConn(func(*tenon.Conn) (int, error) { t.Error("nobody closes it any more"); return 0, nil })
	ctx := <-late
	eventually(t, "a handler that is late gets an error", func() bool {
		_, err := closes.For(ctx)
		return err != nil
	})
	if _, err := fresh.For(ctx); err == nil {
		t.Error("a value without a connection")
	}
}
