package pool_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/worker"
)

func TestMain(m *testing.M) {
	worker.Main("test", func(srv *tenon.Server) error {
		tenon.Handle(srv, &do, obey)
		new(flow).register(srv)
		return nil
	})
	// A program built with -race sleeps for a second before it exits, by default.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	// The thread that starts children stays for ever: have it before counting.
	_, _ = worker.Start(context.Background(), worker.Program("true"))
	os.Exit(leak.Main(m))
}

// do is the one method of the tests' contract: an order in words.
var do = tenon.Method[string, string]{
	Name: "test.Pool/Do", Shape: "(order string) (string)", Args: text, Result: text,
}

var text = tenon.Codec[string]{
	Append: func(b []byte, e *codec.Encoder, v *string) []byte { return codec.AppendString(b, e, *v) },
	Decode: func(d *codec.Decoder, v *string) { *v = d.String() },
}

var running atomic.Int64 // calls that block

// obey carries out an order in a worker.
func obey(ctx context.Context, order string) (string, error) {
	word, rest, _ := strings.Cut(order, " ")
	switch word {
	case "pid":
		return fmt.Sprint(os.Getpid()), nil
	case "sleep":
		d, err := time.ParseDuration(rest)
		time.Sleep(d)
		return "slept", err
	case "work": // keeps a core busy
		rounds, err := strconv.Atoi(rest)
		sum := sha256.Sum256(nil)
		for range rounds {
			sum = sha256.Sum256(sum[:])
		}
		return hex.EncodeToString(sum[:4]), err
	case "running":
		return fmt.Sprint(running.Load()), nil
	case "block":
		running.Add(1)
		defer running.Add(-1)
		<-ctx.Done()
		return "", ctx.Err()
	case "ask":
		return do.Call(ctx, tenon.ConnFrom(ctx), rest)
	case "exit":
		os.Exit(1)
	}
	return "", fmt.Errorf("unknown order %q", order)
}

// A local is a member within the test.
type local struct {
	name   string
	handle func(ctx context.Context) error
	busy   atomic.Int64
	most   atomic.Int64
	calls  atomic.Int64
	done   chan struct{}
	once   sync.Once
}

func newLocal(name string, handle func(ctx context.Context) error) *local {
	return &local{name: name, handle: handle, done: make(chan struct{})}
}

func (l *local) Invoke(ctx context.Context, _ *call.Call) error {
	n := l.busy.Add(1)
	defer l.busy.Add(-1)
	for most := l.most.Load(); n > most && !l.most.CompareAndSwap(most, n); most = l.most.Load() {
	}
	l.calls.Add(1)
	select {
	case <-l.done:
		return &tenon.Error{Code: tenon.Unavailable, Message: l.name + " is gone", SafeToRetry: true}
	default:
		return l.handle(ctx)
	}
}

func (l *local) Name() string          { return l.name }
func (l *local) Done() <-chan struct{} { return l.done }

func (l *local) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}
