package tenon_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/linktest"
)

// runProgram lets two connected ends, and two clients with their servers, do what
// program says, one byte a step: calls of all kinds in both directions, cancels,
// deadlines, large messages, streams, functions, losses and reconnects, all at
// once. Whatever the order: nothing hangs, every call is settled once, with its own
// result or an error that fits, and every item of a stream comes once and in order.
func runProgram(t *testing.T, pair func() (a, b tenon.Link), program []byte) {
	if len(program) == 0 {
		return
	}
	d := &driver{t: t, pair: pair, opts: settings[int(program[0])%len(settings)], server: talkServer((&calc{}).server())}
	d.opts = append(d.opts[:len(d.opts):len(d.opts)], tenon.WithLogger(quiet))
	d.clients[0] = tenon.NewClient(func(context.Context) (tenon.Link, error) { return d.serve(), nil }, d.server, d.opts...)
	d.clients[1] = tenon.NewClientOver(d.serve(), d.server, d.opts...)
	d.connect()
	for i, step := range program {
		d.step(i, step)
	}
	finished := make(chan struct{})
	go func() {
		d.calls.Wait() // nobody has to give up for these
		d.cancelAll()
		d.endless.Wait()
		d.disconnect()
		for _, c := range d.clients {
			c.Close()
		}
		d.mu.Lock()
		d.over = true
		d.mu.Unlock()
		d.served.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-time.After(30 * time.Second):
		buf := make([]byte, 4<<20)
		t.Fatalf("a call or the end hangs\n%s", buf[:runtime.Stack(buf, true)])
	}
}

// settings are what connections are tried with; the first byte of a program
// chooses.
var settings = [][]tenon.Option{
	nil,
	{tenon.WithPolling(0)},
	{tenon.WithMaxCalls(2)},
	{tenon.WithMaxMessage(300 << 10), tenon.WithMaxReassembly(300 << 10)},
	{tenon.WithStreamWindow(1, 1)},
	{tenon.WithStreamWindow(1000, 10)},
}

type driver struct {
	t       *testing.T
	pair    func() (a, b tenon.Link)
	opts    []tenon.Option
	server  *tenon.Server
	ends    [2]*tenon.Conn
	clients [2]*tenon.Client // over ever new links, and over a single one
	served  sync.WaitGroup
	calls   sync.WaitGroup
	endless sync.WaitGroup // calls that end when they are given up

	mu      sync.Mutex
	cancels []context.CancelFunc
	over    bool
}

// connect joins two ends that serve each other.
func (d *driver) connect() {
	a, b := d.pair()
	for i, link := range []tenon.Link{a, b} {
		d.ends[i] = tenon.NewConn(context.Background(), link, d.server, d.opts...)
	}
}

func (d *driver) disconnect() {
	for _, c := range d.ends {
		c.Close()
	}
}

// serve returns a link whose other end is served until it ends.
func (d *driver) serve() tenon.Link {
	a, b := d.pair()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over { // a client that was closed had begun to dial
		b.Close()
		return a
	}
	d.served.Go(func() { d.server.ServeLink(context.Background(), b, d.opts...) })
	return a
}

func (d *driver) step(i int, step byte) {
	from, client := d.ends[step>>7], d.clients[step>>7]
	ctx, cancel := context.WithCancel(context.Background())
	d.mu.Lock()
	d.cancels = append(d.cancels, cancel)
	d.mu.Unlock()
	call := func(f func() error) { d.calls.Go(func() { d.check(f()) }) }
	endless := func(f func() error) { d.endless.Go(func() { d.check(f()) }) }
	switch n := int(step & 0x0f); step >> 4 & 7 {
	case 0:
		to := tenon.Caller(from)
		if n%2 == 1 {
			to = client
		}
		call(func() error {
			sum, err := add.Call(ctx, to, pair{int64(i), int64(n)})
			return expect(err, sum == int64(i+n), "sum")
		})
	case 1: // streams, functions, progress
		to := tenon.Caller(from)
		if i%2 == 1 {
			to = client
		}
		d.talk(ctx, cancel, to, i, n)
	case 2:
		to := tenon.Caller(from)
		if n%2 == 1 {
			to = client
		}
		p := bytes.Repeat([]byte{byte(i), step}, 8<<n) // up to 256 KiB
		call(func() error {
			got, err := echo.Call(ctx, to, p)
			return expect(err, bytes.Equal(got, p), "echo")
		})
	case 3: // a handler that calls back
		endless(func() error {
			_, err := ask.Call(ctx, from, "")
			if err == nil {
				return errors.New("an endless ask came back")
			}
			return expect(err, true, "")
		})
		time.AfterFunc(time.Millisecond, cancel)
	case 4: // gives up by itself
		short, done := context.WithTimeout(ctx, time.Duration(n)*100*time.Microsecond)
		endless(func() error {
			defer done()
			_, err := block.Call(short, from, "")
			if err == nil {
				return errors.New("a blocked call succeeded")
			}
			return expect(err, true, "")
		})
	case 5: // somebody gives up
		d.mu.Lock()
		d.cancels[(i*7+n)%len(d.cancels)]()
		d.mu.Unlock()
	case 6:
		time.Sleep(time.Duration(n) * 20 * time.Microsecond)
	case 7:
		switch {
		case n == 0: // a loss
			from.Close()
			d.disconnect()
			d.connect()
		case n == 1: // an orderly end
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			from.Shutdown(ctx)
			cancel()
			d.disconnect()
			d.connect()
		case n == 2: // a client loses its connection
			if conn, err := d.clients[0].Conn(ctx); err == nil {
				d.calls.Go(func() { conn.Close() })
			}
		case n < 6: // a client goes, and may come again
			d.calls.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
				client.Disconnect(ctx)
			})
		default:
			how := []string{"panic", "nil", "goexit", "coded", "plain"}[n%5]
			call(func() error {
				_, err := fail.Call(ctx, from, how)
				if err == nil {
					return errors.New("a failure succeeded")
				}
				return expect(err, true, "")
			})
		}
	}
}

func (d *driver) cancelAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, cancel := range d.cancels {
		cancel()
	}
}

func (d *driver) check(err error) {
	if err != nil {
		d.t.Error(err)
	}
}

// expect accepts a right result, or an error of tenon's that says what it is.
func expect(err error, right bool, what string) error {
	var e *tenon.Error
	switch {
	case err == nil && !right:
		return fmt.Errorf("wrong %s", what)
	case err != nil && !errors.As(err, &e):
		return fmt.Errorf("%s: not a *tenon.Error: %w", what, err)
	case err != nil && e.Code == tenon.Broken:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// programLinks are the links under the driver: every kind as it is, in pieces,
// late, and one that breaks in the middle of whatever it carries.
func programLinks(t testing.TB) map[string]func() (a, b tenon.Link) {
	all := make(map[string]func() (a, b tenon.Link))
	kinds := links(t)
	kinds["tls"] = tlsPair(t)
	for name, pair := range kinds {
		var seed atomic.Uint64
		decorated := func(decorate func(l tenon.Link, n uint64) tenon.Link) func() (a, b tenon.Link) {
			return func() (tenon.Link, tenon.Link) {
				a, b := pair()
				return decorate(a, seed.Add(1)), decorate(b, seed.Add(1))
			}
		}
		all[name] = pair
		all[name+" in pieces"] = decorated(linktest.Cut)
		all[name+" late"] = decorated(func(l tenon.Link, _ uint64) tenon.Link { return linktest.Delay(l, 100*time.Microsecond) })
		all[name+" breaking"] = decorated(func(l tenon.Link, n uint64) tenon.Link {
			return linktest.Fail(l, int64(rand.New(rand.NewPCG(n, 3)).IntN(100<<10)))
		})
	}
	return all
}

// TestPrograms runs some programs over each link. With TENON_PROGRAMS, a time for
// all links together, it goes on until that is over: minutes in CI, hours in
// `make soak`.
func TestPrograms(t *testing.T) {
	total := os.Getenv("TENON_PROGRAMS")
	if total == "" && os.Getenv("TENON_SOAK") != "" {
		total = "2h"
	}
	duration, err := time.ParseDuration(cmp.Or(total, "0s"))
	if err != nil {
		t.Fatalf("TENON_PROGRAMS: %v", err)
	}
	all := programLinks(t)
	share := duration / time.Duration(len(all))
	for name, pair := range all {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			seed := uint64(0)
			for ; seed < 5 || time.Since(start) < share; seed++ {
				program := randomBytes(rand.New(rand.NewPCG(seed, 11)), 60)
				runProgram(t, pair, program)
				if t.Failed() {
					t.Fatalf("seed %d, program %x", seed, program)
				}
			}
			t.Logf("%d programs", seed)
		})
	}
}

func FuzzProgram(f *testing.F) {
	f.Add(byte(0), []byte{0x00, 0x80, 0x2f, 0xaf, 0x45, 0xc5, 0x30, 0xb0, 0x52, 0x70, 0x01, 0x81})
	f.Add(byte(1), []byte{0x2f, 0x71, 0x2f, 0x70, 0xf0, 0x00})
	f.Add(byte(3), []byte{0x10, 0x91, 0x12, 0x93, 0x14, 0x95, 0x16, 0x97, 0x70, 0x18, 0x99, 0x1a, 0x52})
	all := programLinks(f)
	names := slices.Sorted(maps.Keys(all))
	f.Fuzz(func(t *testing.T, link byte, program []byte) {
		if len(program) > 200 {
			return
		}
		runProgram(t, all[names[int(link)%len(names)]], program)
	})
}
