package tenon_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/wire"
)

// FuzzHostilePeer lets arbitrary bytes follow a correct hello, while a call of
// ours is open. The connection may end with an error; it must not crash, hang,
// or settle a call twice.
func FuzzHostilePeer(f *testing.F) {
	frame := func(h wire.Header, body []byte) []byte {
		b := append(h.Append(nil), body...)
		wire.SetSize(b)
		return b
	}
	f.Add([]byte{})
	f.Add(frame(wire.Header{Kind: wire.Call, ID: 1, Arg: 0}, []byte{0x92, 1, 2}))
	f.Add(frame(wire.Header{Kind: wire.Call, Flags: wire.More, ID: 1, Arg: 1}, wire.AppendTotal(nil, 1<<31)))
	f.Add(frame(wire.Header{Kind: wire.Answer, Flags: wire.Callee, ID: 1}, []byte{0x01}))
	f.Add(frame(wire.Header{Kind: wire.Error, Flags: wire.Callee, ID: 1}, []byte{0x01}))
	f.Add(frame(wire.Header{Kind: wire.Fragment, ID: 1}, []byte{0x01}))
	f.Add(append(frame(wire.Header{Kind: wire.Call, Flags: wire.More, ID: 2}, wire.AppendTotal(nil, 100)),
		frame(wire.Header{Kind: wire.Cancel, ID: 2}, nil)...))
	f.Fuzz(func(t *testing.T, stream []byte) {
		a, b := inproc.Pair()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		conn := tenon.NewConn(ctx, a, (&calc{}).server(), tenon.WithMaxMessage(1<<20))
		defer conn.Close()
		hello := wire.Greeting{
			Limits:  wire.Limits{Message: 1 << 20, Reassembly: 1 << 20, Calls: 8},
			Methods: []wire.Method{{Name: add.Name, Fingerprint: fingerprint(add.Shape)}},
		}
		go func() {
			for {
				if _, err := b.Recv(); err != nil {
					return
				}
			}
		}()
		result := make(chan error, 1)
		go func() {
			_, err := add.Call(ctx, conn, pair{1, 2})
			result <- err
		}()
		b.Send(frame(wire.Header{Kind: wire.Hello, Arg: wire.Version}, hello.Append(nil)))
		b.Send(stream)
		b.Close()
		<-conn.Done()
		<-result
		if ctx.Err() != nil {
			t.Fatal("it hung")
		}
	})
}

func fingerprint(shape string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(shape) {
		h = (h ^ uint64(shape[i])) * 1099511628211
	}
	return h
}
