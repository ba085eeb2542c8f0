package tenon_test

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/wire"
)

// A liar is the other side of a connection, in frames.
type liar struct {
	t        *testing.T
	link     tenon.Link
	splitter wire.Splitter
}

// lie returns a connection whose other side is a liar that has said hello, and
// offers the methods.
func lie(t *testing.T, srv *tenon.Server, methods ...*tenon.Method[int, int]) (*tenon.Conn, *liar) {
	t.Helper()
	a, b := inproc.Pair(inproc.Capacity(32 << 10))
	conn := tenon.NewConn(t.Context(), a, srv, tenon.WithLogger(quiet), tenon.WithMaxMessage(1<<20), tenon.WithMaxReassembly(1<<20), tenon.WithMaxCalls(200))
	l := &liar{t: t, link: b}
	hello := wire.Greeting{Limits: wire.Limits{Message: 1 << 20, Reassembly: 1 << 20, Calls: 1 << 10, StreamBytes: 1 << 16, StreamItems: 1 << 10}}
	for _, m := range methods {
		hello.Methods = append(hello.Methods, wire.Method{Name: m.Name, Fingerprint: fingerprint(m.Shape)})
	}
	l.send(wire.Header{Kind: wire.Hello, Arg: wire.Version}, hello.Append(nil))
	l.next(wire.Hello)
	t.Cleanup(func() {
		conn.Close()
		b.Close()
	})
	return conn, l
}

func (l *liar) send(h wire.Header, body []byte) {
	f := append(h.Append(nil), body...)
	wire.SetSize(f)
	if err := l.link.Send(f); err != nil && !errors.Is(err, tenon.ErrPeerGone) {
		l.t.Error(err)
	}
}

// next returns the next frame of a kind, and passes over others. Its body is valid
// until the next call.
func (l *liar) next(kind wire.Kind) wire.Frame {
	l.t.Helper()
	for {
		f, ok, err := l.splitter.Next()
		if err != nil {
			l.t.Fatal(err)
		}
		if ok && f.Kind == kind {
			return f
		}
		if ok {
			continue
		}
		chunk, err := l.link.Recv()
		if err != nil {
			l.t.Fatalf("no frame of kind %v: %v", kind, err)
		}
		l.splitter.Feed(chunk)
	}
}

// expect wants the connection to end with an error that has want in it, or to go
// on if that is empty.
func (l *liar) expect(conn *tenon.Conn, want string) {
	l.t.Helper()
	if want == "" {
		l.send(wire.Header{Kind: wire.Ping, Arg: 77}, nil)
		for l.next(wire.Pong).Arg != 77 { // there may be others
		}
		return
	}
	select {
	case <-conn.Done():
	case <-time.After(soon):
		l.t.Fatalf("the connection goes on; want %q", want)
	}
	if err := conn.Err(); err == nil || !strings.Contains(err.Error(), "broke the protocol") || !strings.Contains(err.Error(), want) {
		l.t.Errorf("%v; want %q", err, want)
	}
}

func credit(items uint32) []byte { return binary.LittleEndian.AppendUint32(nil, items) }

// What a callee may send for a call of ours that has an input, a function, and a
// result that is a stream: "" means that it is taken or skipped.
func TestCalleeThatLies(t *testing.T) {
	const in, function, out = 1, 2, 3
	// port makes a header of the call's.
	port := func(k wire.Kind, n uint16, arg uint32) wire.Header {
		return wire.Header{Kind: k, Flags: wire.Callee, Port: n, Arg: arg, ID: 1}
	}
	ints := func(n int) []byte { return make([]byte, n) } // zeros
	for name, c := range map[string]struct {
		lie  func(l *liar)
		want string
	}{
		"no item": {func(l *liar) { l.send(port(wire.Item, out, 0), ints(1)) }, "0 items in 1 bytes"},
		"more items than bytes": {func(l *liar) {
			l.send(port(wire.Item, out, 3), ints(2))
		}, "3 items in 2 bytes"},
		"more items than a word has": {func(l *liar) {
			l.send(port(wire.Item, out, 1<<32-1), ints(2))
		}, "items in 2 bytes"},
		"items beyond the credit": {func(l *liar) {
			for range 3 { // the loop may have taken the first ones, and given credit
				l.send(port(wire.Item, out, 16<<10), ints(16<<10))
			}
		}, "that it may not send"},
		"bytes beyond the credit": {func(l *liar) {
			for range 6 { // more than twice the window and what the loop takes
				l.send(port(wire.Item, out, 1), ints(40<<10))
			}
		}, "that it may not send"},
		"the last bytes of the credit and more": {func(l *liar) {
			l.send(port(wire.Item, out, 1), ints(63<<10))
			l.send(port(wire.Item, out, 1), ints(40<<10))
		}, ""},
		"an item after the end": {func(l *liar) {
			l.send(port(wire.End, out, 0), nil)
			l.send(port(wire.Item, out, 1), ints(1))
		}, "that it may not send"},
		"two ends":                   {func(l *liar) { l.send(port(wire.End, out, 0), nil); l.send(port(wire.End, out, 0), nil) }, ""},
		"an item for the call":       {func(l *liar) { l.send(port(wire.Item, 0, 1), ints(1)) }, "a port that the call does not have"},
		"an item for no port":        {func(l *liar) { l.send(port(wire.Item, 4, 1), ints(1)) }, "a port that the call does not have"},
		"an item for the last port":  {func(l *liar) { l.send(port(wire.Item, 1<<16-1, 1), ints(1)) }, "a port that the call does not have"},
		"an item for an input":       {func(l *liar) { l.send(port(wire.Item, in, 1), ints(1)) }, "a port that the call does not have"},
		"an item for a function":     {func(l *liar) { l.send(port(wire.Item, function, 1), ints(1)) }, "a port that the call does not have"},
		"credit for a result":        {func(l *liar) { l.send(port(wire.Credit, out, 1), credit(1)) }, "a port that the call does not have"},
		"an end of a function":       {func(l *liar) { l.send(port(wire.End, function, 1), nil) }, "a port that the call does not have"},
		"credit for what never came": {func(l *liar) { l.send(port(wire.Credit, in, 1), credit(1<<20)) }, "credit for more items than were sent"},
		"credit without end": {func(l *liar) {
			for range 1 << 9 {
				l.send(port(wire.Credit, in, 1<<32-1), credit(0))
			}
		}, "credit for more"},
		"credit of three bytes":   {func(l *liar) { l.send(port(wire.Credit, in, 1), ints(3)) }, "credit of 3 bytes"},
		"two resets":              {func(l *liar) { l.send(port(wire.Reset, in, 0), nil); l.send(port(wire.Reset, in, 0), nil) }, ""},
		"reset of a result":       {func(l *liar) { l.send(port(wire.Reset, out, 0), nil) }, "a port that the call does not have"},
		"a fragment of no item":   {func(l *liar) { l.send(port(wire.Fragment, out, 0), ints(9)) }, ""},
		"a fragment of no answer": {func(l *liar) { l.send(port(wire.Fragment, 0, 0), ints(9)) }, "no message is unfinished"},
		"an item in an item": {func(l *liar) {
			h := port(wire.Item, out, 1)
			h.Flags |= wire.More
			l.send(h, wire.AppendTotal(nil, 100))
			l.send(h, wire.AppendTotal(nil, 100))
		}, "inside of another one"},
		"an item that is too large": {func(l *liar) {
			h := port(wire.Item, out, 1)
			h.Flags |= wire.More
			l.send(h, append(wire.AppendTotal(nil, 1<<30), 1))
		}, ""},
		"an end that cannot be read":   {func(l *liar) { l.send(port(wire.End, out, 0), []byte{0xc1, 1, 2}) }, ""},
		"progress that cannot be read": {func(l *liar) { l.send(port(wire.Progress, 0, 0), []byte{0x92, 1, 2}) }, "progress that cannot be read"},
		"progress of another port":     {func(l *liar) { l.send(port(wire.Progress, 9, 0), []byte{0x93, 1, 2, 0xa0}) }, ""},
		"progress with huge numbers": {func(l *liar) {
			l.send(port(wire.Progress, 0, 0), []byte{0x93, 0xd3, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0, 0xa0})
		}, ""},
		"items that are no numbers": {func(l *liar) { l.send(port(wire.Item, out, 2), []byte{0xc1, 0xc1}) }, ""},
		"a call of an input": {func(l *liar) {
			l.send(wire.Header{Kind: wire.Function, ID: 9, Port: in, Arg: 1}, []byte{0x91, 1})
		}, "a port that the call does not have"},
		"a call of no function": {func(l *liar) {
			l.send(wire.Header{Kind: wire.Function, ID: 9, Port: 7, Arg: 1}, []byte{0x91, 1})
		}, "a port that the call does not have"},
		"a function of no call": {func(l *liar) {
			l.send(wire.Header{Kind: wire.Function, ID: 9, Port: function, Arg: 5}, []byte{0x91, 1})
			if f := l.next(wire.Error); f.ID != 9 || f.Flags&wire.Refused == 0 {
				l.t.Errorf("%v", f)
			}
		}, ""},
		"two calls of a function with one id": {func(l *liar) {
			for range 2 {
				l.send(wire.Header{Kind: wire.Function, ID: 9, Port: function, Arg: 1}, []byte{0x91, 1})
			}
		}, "second call with the id 9"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, l := lie(t, tenon.NewServer(), &hostile)
			result := make(chan error, 1)
			go func() {
				var failure error
				ctx := tenon.WithProgress(t.Context(), func(tenon.Progress) {})
				input := func(yield func(int, error) bool) { yield(1, nil) }
				called := func(ctx context.Context, n int) (int, error) {
					<-ctx.Done()
					return 0, ctx.Err()
				}
				for _, err := range tenon.Stream(ctx, &hostile, conn, 0, &intItem, tenon.InputPort(&intItem, input), tenon.FuncPort(&askF, called)) {
					if failure = err; err == nil { // reads one item, and then no more
						<-ctx.Done()
						break
					}
				}
				result <- failure
			}()
			l.next(wire.Call)
			c.lie(l)
			l.expect(conn, c.want)
			// It may go on, or be answered: both settle the call.
			l.send(wire.Header{Kind: wire.Answer, Flags: wire.Callee, ID: 1}, []byte{0x91, 0})
			conn.Close()
		})
	}
}

// What a caller may send for a call of its own.
func TestCallerThatLies(t *testing.T) {
	const in, out = 1, 2
	port := func(k wire.Kind, n uint16, arg uint32) wire.Header {
		return wire.Header{Kind: k, Port: n, Arg: arg, ID: 1}
	}
	for name, c := range map[string]struct {
		lie  func(l *liar)
		want string
	}{
		"items beyond the credit": {func(l *liar) {
			for range 3 { // the handler may have taken the first ones, and given credit
				l.send(port(wire.Item, in, 16<<10), make([]byte, 16<<10))
			}
		}, "that it may not send"},
		"an item for no port":        {func(l *liar) { l.send(port(wire.Item, 3, 1), make([]byte, 1)) }, "a port that the call does not have"},
		"an item for the call":       {func(l *liar) { l.send(port(wire.Item, 0, 1), make([]byte, 1)) }, "a port that the call does not have"},
		"credit for what never came": {func(l *liar) { l.send(port(wire.Credit, out, 1), credit(1)) }, "credit for more items than were sent"},
		"items of a call that is not open": {func(l *liar) {
			h := port(wire.Item, in, 1)
			h.ID = 99
			l.send(h, make([]byte, 1))
		}, ""},
		"cancel in the middle of an item": {func(l *liar) {
			h := port(wire.Item, in, 1)
			for i := range 100 { // each takes all the room there is
				call := wire.Header{Kind: wire.Call, ID: uint32(2 + i)}
				l.send(call, []byte{0x91, 0})
				h.ID, h.Kind, h.Flags = call.ID, wire.Item, wire.More
				l.send(h, append(wire.AppendTotal(nil, 1<<20), 1))
				l.send(wire.Header{Kind: wire.Cancel, ID: call.ID}, nil)
				h.Kind, h.Arg = wire.Fragment, 0
				l.send(h, []byte{1, 2, 3})
				if f := l.next(wire.Error); f.ID != call.ID || f.Flags&wire.Refused != 0 {
					l.t.Errorf("%v", f)
				}
			}
			large := make([]byte, 1<<20)
			call := wire.Header{Kind: wire.Call, Flags: wire.More, ID: 1000}
			l.send(call, append(wire.AppendTotal(nil, uint32(len(large))), large[:60_000]...))
			for at := 60_000; at < len(large); at += 60_000 {
				end := min(at+60_000, len(large))
				call = wire.Header{Kind: wire.Fragment, ID: 1000}
				if end < len(large) {
					call.Flags = wire.More
				}
				l.send(call, large[at:end])
			}
			f := l.next(wire.Error) // there was room, but the bytes are no arguments
			if why, err := wire.ParseFailure(f.Body); f.ID != 1000 || err != nil || why.Code != uint32(tenon.InvalidArgument) {
				l.t.Errorf("%v: %v, %v", f, why, err)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			srv := tenon.NewServer(tenon.WithLogger(quiet))
			tenon.Handle(srv, &double, func(ctx context.Context, n int) (int, error) {
				for _, err := range tenon.Input(ctx, in, &intItem) {
					if err != nil {
						return 0, err
					}
					<-ctx.Done() // takes one, and no more
				}
				<-ctx.Done()
				return 0, ctx.Err()
			})
			conn, l := lie(t, srv)
			l.send(wire.Header{Kind: wire.Call, ID: 1}, []byte{0x91, 0})
			c.lie(l)
			l.expect(conn, c.want)
		})
	}
}

// Frames for calls that are over are skipped, however many come, and keep nothing.
func TestFloodForCallsThatAreOver(t *testing.T) {
	conn, l := lie(t, tenon.NewServer(), &count)
	result := make(chan error, 1)
	go func() {
		_, err := count.Call(t.Context(), conn, 0)
		result <- err
	}()
	l.next(wire.Call)
	l.send(wire.Header{Kind: wire.Answer, Flags: wire.Callee, ID: 1}, []byte{0x91, 0})
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	flood := func(n int) {
		for i := range n {
			h := wire.Header{Flags: wire.Callee, Port: 1, ID: uint32(1 + i%5), Arg: 1}
			for _, h.Kind = range []wire.Kind{wire.Item, wire.End, wire.Reset, wire.Progress, wire.Fragment} {
				l.send(h, []byte{1})
				h.Flags ^= wire.Callee
			}
			h.Kind = wire.Credit
			l.send(h, credit(1))
		}
		l.expect(conn, "")
	}
	flood(100)
	goroutines, before := runtime.NumGoroutine(), heap()
	flood(20_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d KiB are left of them", grown>>10)
	}
	if n := runtime.NumGoroutine(); n > goroutines+3 { // timers that fire meanwhile
		t.Errorf("%d goroutines of %d", n, goroutines)
	}
}

// What a peer sends that never reads: either it keeps nothing here, or it ends the
// connection before that is much.
func TestFloodOfOneWhoDoesNotRead(t *testing.T) {
	const flood = 20_000 // whose answers the link does not hold
	call := func(i int) wire.Header { return wire.Header{Kind: wire.Call, ID: uint32(2 + i)} }
	more := wire.Header{Kind: wire.Call, Flags: wire.More, ID: 1}
	for name, c := range map[string]struct {
		before func(l *liar, conn *tenon.Conn)
		send   func(l *liar, i int)
		want   string
	}{
		"calls that are answered": {nil, func(l *liar, i int) { l.send(call(i), []byte{0x91, 0}) }, "calls at once"},
		"calls of no method": {nil, func(l *liar, i int) {
			h := call(i)
			h.Arg = 9
			l.send(h, nil)
		}, "calls at once that were refused"},
		"functions of no call": {nil, func(l *liar, i int) {
			h := call(i)
			h.Kind, h.Arg, h.Port = wire.Function, 9, 1
			l.send(h, nil)
		}, "calls at once that were refused"},
		"calls that there is no room for": {func(l *liar, _ *tenon.Conn) { l.send(more, wire.AppendTotal(nil, 1<<20)) }, func(l *liar, i int) {
			h := call(i)
			h.Flags = wire.More
			l.send(h, append(wire.AppendTotal(nil, 2), 0x91))
			h.Kind, h.Flags = wire.Fragment, 0
			l.send(h, []byte{0})
		}, "calls at once that were refused"},
		"calls that are cut off": {nil, func(l *liar, i int) {
			l.send(more, wire.AppendTotal(nil, 2))
			l.send(wire.Header{Kind: wire.Cancel, ID: 1}, nil)
		}, "calls at once that were refused"},
		"calls of a side that shuts down": {func(l *liar, conn *tenon.Conn) {
			h := call(-1)
			h.Arg = 1
			l.send(h, []byte{0x91, 0})
			l.expect(conn, "")
			go conn.Shutdown(t.Context())
			l.next(wire.Bye)
		}, func(l *liar, i int) { l.send(call(i), []byte{0x91, 0}) }, "calls at once that were refused"},
		"what needs one answer, or none": {nil, func(l *liar, i int) {
			l.send(wire.Header{Kind: wire.Ping, Arg: 7}, nil)
			l.send(wire.Header{Kind: wire.Describe}, nil)
			l.send(wire.Header{Kind: wire.Cancel, ID: uint32(2 + i)}, nil)
			l.send(wire.Header{Kind: wire.Progress, Flags: wire.Callee, ID: 1}, nil)
			l.send(wire.Header{Kind: wire.Description, Arg: uint32(i)}, make([]byte, 1000))
			l.send(wire.Header{Kind: 99, ID: uint32(i)}, nil)
		}, ""},
		"announced names": {nil, func(l *liar, i int) { l.announce(i, 1, 2000) }, "a method's name of 2000 bytes"},
		"announced methods": {nil, func(l *liar, i int) {
			l.announce(1000*i, 1000, 3)
		}, "methods, at most 65536 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := tenon.NewServer(tenon.WithLogger(quiet))
			tenon.Handle(srv, &double, func(_ context.Context, n int) (int, error) { return n, nil })
			tenon.Handle(srv, &hostile, func(ctx context.Context, n int) (int, error) {
				<-ctx.Done()
				return n, nil
			})
			conn, l := lie(t, srv)
			if c.before != nil {
				c.before(l, conn)
			}
			before := heap()
			for i := 0; i < flood && conn.Err() == nil; i++ {
				c.send(l, i)
			}
			if grown := int64(heap()) - int64(before); c.want == "" && grown > 1<<20 {
				t.Errorf("%d KiB more", grown>>10)
			}
			l.expect(conn, c.want)
		})
	}
}

// announce announces methods from a number on, with names of so many bytes.
func (l *liar) announce(number, count, bytes int) {
	methods := slices.Repeat([]wire.Method{{Name: strings.Repeat("x", bytes)}}, count)
	l.send(wire.Header{Kind: wire.Announce, Arg: uint32(number)}, wire.AppendMethods(nil, methods))
}
