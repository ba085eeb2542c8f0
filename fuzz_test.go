package tenon_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/wire"
)

// hostile is a method with a port of each kind.
var hostile = tenon.Method[int, int]{
	Name: "flow.Flow/All", Shape: "(n int, in stream int, f func(int) (int)) (stream int)", Args: intCodec, Result: intCodec, Ports: 3,
}

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
	// Of a stream's ports: of the call that is open, of one of the peer's, of none.
	for _, h := range []wire.Header{
		{Kind: wire.Item, Flags: wire.Callee, Port: 3, ID: 1, Arg: 1},
		{Kind: wire.Item, Flags: wire.Callee | wire.More, Port: 3, ID: 1, Arg: 1},
		{Kind: wire.End, Flags: wire.Callee, Port: 3, ID: 1},
		{Kind: wire.Credit, Flags: wire.Callee, Port: 1, ID: 1, Arg: 100},
		{Kind: wire.Reset, Flags: wire.Callee, Port: 1, ID: 1},
		{Kind: wire.Progress, Flags: wire.Callee, ID: 1},
		{Kind: wire.Function, Port: 2, ID: 1, Arg: 1},
		{Kind: wire.Fragment, Flags: wire.Callee, Port: 3, ID: 1},
		{Kind: wire.Item, Port: 1, ID: 7, Arg: 1},
		{Kind: wire.Cancel, ID: 7},
	} {
		f.Add(append(frame(wire.Header{Kind: wire.Call, ID: 7, Arg: 1}, []byte{0x91, 5}), frame(h, []byte{0x91, 1, 0, 0})...))
	}
	f.Fuzz(hearLies)
}

// TestRandomLies sends frames that are made at random, but look as if they belonged
// to calls.
func TestRandomLies(t *testing.T) {
	rounds := long(100_000, 500/tenon.Scale)
	random := rand.New(rand.NewPCG(uint64(rounds), 5))
	bodies := [][]byte{{}, {0x91, 1}, {1}, {1, 2, 3}, {0x93, 1, 2, 0xa1, 'x'}, {1, 0, 0, 0}, {5, 0, 0, 0, 1, 2}, {0x94, 1, 0xa1, 'x', 0xc0, 0x90}, {255, 255, 0, 0}}
	flags := []uint8{0, 0, wire.Callee, wire.Callee, wire.Callee, wire.More, wire.Callee | wire.More, wire.Refused | wire.Callee, wire.HasMetadata, wire.HasDeadline, wire.Final}
	for range rounds {
		var stream []byte
		for range 1 + random.IntN(20) {
			h := wire.Header{
				Kind: wire.Kind(2 + random.IntN(17)), Flags: flags[random.IntN(len(flags))], Port: uint16(random.IntN(5)),
				ID: uint32(1 + random.IntN(2)), Arg: uint32(random.IntN(4)),
			}
			f := append(h.Append(nil), bodies[random.IntN(len(bodies))]...)
			wire.SetSize(f)
			stream = append(stream, f...)
		}
		if hearLies(t, stream); t.Failed() {
			t.Fatalf("%x", stream)
		}
	}
}

// hearLies sends what follows a hello to a connection.
func hearLies(t *testing.T, stream []byte) {
	a, b := inproc.Pair()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	srv := flowServer(tenon.WithLogger(quiet))
	(&calc{}).register(srv)
	conn := tenon.NewConn(ctx, a, srv, tenon.WithMaxMessage(1<<20))
	defer conn.Close()
	hello := wire.Greeting{
		Limits:  wire.Limits{Message: 1 << 20, Reassembly: 1 << 20, Calls: 8},
		Methods: []wire.Method{{Name: hostile.Name, Fingerprint: fingerprint(hostile.Shape)}},
	}
	greeting := append(wire.Header{Kind: wire.Hello, Arg: wire.Version}.Append(nil), hello.Append(nil)...)
	wire.SetSize(greeting)
	go func() {
		for {
			if _, err := b.Recv(); err != nil {
				return
			}
		}
	}()
	result := make(chan error, 1)
	go func() {
		var failure error
		input, f := tenon.InputPort(&intItem, upTo(3)), tenon.FuncPort(&askF, func(_ context.Context, n int) (int, error) { return n, nil })
		for _, err := range tenon.Stream(tenon.WithProgress(ctx, func(tenon.Progress) {}), &hostile, conn, 1, &intItem, input, f) {
			failure = err
		}
		result <- failure
	}()
	b.Send(greeting)
	b.Send(stream)
	b.Close()
	<-conn.Done()
	<-result
	if ctx.Err() != nil {
		t.Fatal("it hung")
	}
}

func fingerprint(shape string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(shape) {
		h = (h ^ uint64(shape[i])) * 1099511628211
	}
	return h
}
