package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/linktest"
)

// runProgram lets two connected ends do what program says, one byte a step: calls
// of all kinds in both directions, cancels, deadlines, large messages, losses
// and reconnects, all at once. Whatever the order: nothing hangs, every call is
// settled once, with its own result or an error that fits.
func runProgram(t *testing.T, pair func() (a, b tenon.Link), program []byte) {
	d := &driver{t: t, pair: pair}
	d.connect()
	for i, step := range program {
		d.step(i, step)
	}
	d.cancelAll()
	finished := make(chan struct{})
	go func() {
		d.calls.Wait()
		d.disconnect()
		d.served.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-time.After(30 * time.Second):
		t.Fatalf("a call or the end hangs; program %x", program)
	}
}

type driver struct {
	t      *testing.T
	pair   func() (a, b tenon.Link)
	ends   [2]*tenon.Conn
	served sync.WaitGroup
	calls  sync.WaitGroup

	mu      sync.Mutex
	cancels []context.CancelFunc
}

// connect joins two ends that serve each other.
func (d *driver) connect() {
	a, b := d.pair()
	for i, link := range []tenon.Link{a, b} {
		d.ends[i] = tenon.NewConn(context.Background(), link, (&calc{}).server(), tenon.WithLogger(quiet))
	}
}

func (d *driver) disconnect() {
	for _, c := range d.ends {
		c.Close()
	}
}

func (d *driver) step(i int, step byte) {
	from := d.ends[step>>7]
	ctx, cancel := context.WithCancel(context.Background())
	d.mu.Lock()
	d.cancels = append(d.cancels, cancel)
	d.mu.Unlock()
	call := func(f func() error) { d.calls.Go(func() { d.check(f()) }) }
	switch n := int(step & 0x0f); step >> 4 & 7 {
	case 0, 1:
		call(func() error {
			sum, err := add.Call(ctx, from, pair{int64(i), int64(n)})
			return expect(err, sum == int64(i+n), "sum")
		})
	case 2:
		p := bytes.Repeat([]byte{byte(i), step}, 1<<n)
		call(func() error {
			got, err := echo.Call(ctx, from, p)
			return expect(err, bytes.Equal(got, p), "echo")
		})
	case 3: // a handler that calls back
		call(func() error {
			_, err := ask.Call(ctx, from, "")
			if err == nil {
				return errors.New("an endless ask came back")
			}
			return expect(err, true, "")
		})
		time.AfterFunc(time.Millisecond, cancel)
	case 4: // gives up by itself
		short, done := context.WithTimeout(ctx, time.Duration(n)*100*time.Microsecond)
		call(func() error {
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
		case n < 4: // an orderly end
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			from.Shutdown(ctx)
			cancel()
			d.disconnect()
			d.connect()
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
	time.Sleep(200 * time.Microsecond)
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

// programLinks are the links under the driver: those of one process, whole and
// cut to pieces.
func programLinks(t testing.TB) map[string]func() (a, b tenon.Link) {
	all := links(t)
	whole := all["shm"]
	all["shm in pieces"] = func() (tenon.Link, tenon.Link) {
		a, b := whole()
		return linktest.Cut(a, 1), linktest.Cut(b, 2)
	}
	return all
}

func TestPrograms(t *testing.T) {
	programs, length := 24, 60
	if os.Getenv("TENON_SOAK") != "" {
		programs, length = 20_000, 300
	}
	for name, pair := range programLinks(t) {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(programs) {
				random := rand.New(rand.NewPCG(seed, 11))
				program := make([]byte, length)
				for i := range program {
					program[i] = byte(random.Uint32())
				}
				runProgram(t, pair, program)
			}
		})
	}
}

func FuzzProgram(f *testing.F) {
	f.Add([]byte{0x00, 0x80, 0x2f, 0xaf, 0x45, 0xc5, 0x30, 0xb0, 0x52, 0x70, 0x01, 0x81})
	f.Add([]byte{0x2f, 0x71, 0x2f, 0x70, 0xf0, 0x00})
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 200 {
			return
		}
		runProgram(t, links(t)["inproc"], program)
	})
}
