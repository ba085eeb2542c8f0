package pool

import (
	"context"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/call"
)

// Local returns a member that serves with srv within this process: beside workers
// it takes its share of the calls, and in tests it takes their place. It is
// isolated from nothing, and ends when it is closed or srv is.
func Local(srv *tenon.Server) Member {
	if srv == nil {
		panic("pool: pool.Local(nil) has no services (tenon.NewServer, and register them)")
	}
	ours, theirs := inproc.Pair()
	l := &local{
		conn: tenon.NewConn(context.Background(), ours, nil, tenon.WithPeerName("local")),
		done: make(chan struct{}),
	}
	go func() {
		defer close(l.done)
		_ = srv.ServeLink(context.WithValue(context.Background(), insideKey{}, l), theirs)
		<-l.conn.Done()
	}()
	return l
}

// insideKey finds the local member in whose handler a context belongs.
type insideKey struct{}

type local struct {
	conn *tenon.Conn
	done chan struct{}
}

func (l *local) Invoke(ctx context.Context, c *call.Call) error { return l.conn.Invoke(ctx, c) }
func (l *local) Conn() *tenon.Conn                              { return l.conn }
func (l *local) Name() string                                   { return "local" }
func (l *local) Done() <-chan struct{}                          { return l.done }
func (l *local) Err() error                                     { return l.conn.Err() }

func (l *local) Close() error {
	err := l.conn.Close()
	<-l.done
	return err
}
