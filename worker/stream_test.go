//go:build linux

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/worker"
)

// again sends back each item of its input.
var again = tenon.Method[string, string]{
	Name: "test.Worker/Again", Shape: "(order string, in stream string) (stream string)", Args: text, Result: text, Ports: 2,
}

func handleAgain(ctx context.Context, _ string) (string, error) {
	return "", tenon.Output(ctx, 2, &text, tenon.Input(ctx, 1, &text))
}

// sendAgain has n items sent back, counts them in got, and returns the error that
// ends the loop.
func sendAgain(ctx context.Context, w tenon.Caller, n int, got *atomic.Int64) error {
	return sendAgainWhile(ctx, w, func(i int) bool { return i < n }, got)
}

func sendAgainWhile(ctx context.Context, w tenon.Caller, more func(i int) bool, got *atomic.Int64) error {
	n := 0
	numbers := func(yield func(string, error) bool) {
		for more(n) && yield(strconv.Itoa(n), nil) {
			n++
		}
	}
	next := 0
	for s, err := range tenon.Stream(ctx, &again, w, "", &text, tenon.InputPort(&text, numbers)) {
		if err != nil {
			return err
		}
		if s != strconv.Itoa(next) {
			return fmt.Errorf("item %d came as %q", next, s)
		}
		next++
		got.Add(1)
	}
	if next != n {
		return fmt.Errorf("%d items of %d, and no error", next, n)
	}
	return nil
}

// A worker that stands still for a while in the middle of streams: those with a
// deadline end at it, the others go on afterwards, and lose nothing. TENON_SOAK=1
// has it stand still for half a minute.
func TestStreamsOutliveAStoppedWorkerReport84(t *testing.T) {
	pause := 500 * time.Millisecond
	if os.Getenv("TENON_SOAK") != "" {
		pause = 30 * time.Second
	}
	for _, link := range []worker.Link{worker.SharedMemory, worker.UnixSocket, worker.Pipe} {
		t.Run(string(link), func(t *testing.T) {
			w := start(t, worker.Over(link))
			order(t, w, "echo hello")
			var patient, hurried sync.WaitGroup
			var begun, got, enough atomic.Int64
			enough.Store(math.MaxInt64)
			for range 4 {
				patient.Go(func() {
					if err := sendAgainWhile(t.Context(), w, func(int) bool { return got.Load() < enough.Load() }, &got); err != nil {
						t.Error(err)
					}
				})
				hurried.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
					defer cancel()
					err := sendAgain(ctx, w, 1<<40, &begun)
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%v", err)
					}
				})
			}
			for got.Load() < 100 {
				time.Sleep(time.Millisecond)
			}
			if err := syscall.Kill(w.PID(), syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			stopped := time.Now()
			hurried.Wait()
			if took := time.Since(stopped); took > 5*time.Second {
				t.Errorf("streams with a deadline ended after %v", took)
			}
			time.Sleep(pause - time.Since(stopped))
			enough.Store(got.Load() + 20_000)
			if err := syscall.Kill(w.PID(), syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			patient.Wait()
			order(t, w, "echo it goes on")
		})
	}
}

// A worker that is killed in the middle of streams ends each loop, soon, with an
// error that says who it was.
func TestKill9InTheMiddleOfStreams(t *testing.T) {
	var slowest time.Duration
	for i := range 20 {
		name := fmt.Sprintf("victim-%d", i)
		w := start(t, worker.Name(name))
		const streams = 5
		ended := make(chan error, streams)
		var got atomic.Int64
		for range streams {
			go func() { ended <- sendAgain(t.Context(), w, 1<<40, &got) }()
		}
		for got.Load() < 1000 {
			time.Sleep(100 * time.Microsecond)
		}
		killed := time.Now()
		if err := syscall.Kill(w.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for range streams {
			err := <-ended
			slowest = max(slowest, time.Since(killed))
			var e *tenon.Error
			if !errors.As(err, &e) || e.Code != tenon.Unavailable ||
				!strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), fmt.Sprint(w.PID())) {
				t.Errorf("%v", err)
			}
		}
		<-w.Done()
	}
	if t.Logf("the slowest loop ended after %v", slowest); slowest > 2*time.Second {
		t.Errorf("the slowest loop ended after %v", slowest)
	}
}
