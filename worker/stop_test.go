//go:build linux

package worker_test

import (
	"context"
	"errors"
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

func TestStopLetsRunningCallsFinish(t *testing.T) {
	w := start(t)
	done := begin(t, w, "sleep 200ms")
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the running call failed: %v", err)
	}
	_, err := do.Call(context.Background(), w, "echo late")
	if !tenon.SafeToRetry(err) {
		t.Errorf("a call after Close: %v", err)
	}
}

// One-way calls of a moment ago are handled, and what the worker keeps for the
// connection is closed, before it ends.
func TestStopWaitsForOneWayCallsAndOwnServices(t *testing.T) {
	var handled atomic.Int64
	back := tenon.NewServer()
	tenon.Handle(back, &do, func(context.Context, string) (string, error) {
		handled.Add(1)
		return "", nil
	})
	for name, stop := range map[string]func(w *worker.Worker) error{
		"Stop":  func(w *worker.Worker) error { return w.Stop(t.Context()) },
		"Close": (*worker.Worker).Close,
	} {
		t.Run(name, func(t *testing.T) {
			handled.Store(0)
			var said lines
			w := start(t, worker.Back(back), worker.Output(&said))
			for i := range 100 {
				call := func() error { _, err := note.Call(t.Context(), w, "news"); return err }
				if i%2 == 0 {
					call = func() error { _, err := note.Start(t.Context(), w, "news").Wait(); return err }
				}
				if err := call(); err != nil {
					t.Error(err)
				}
			}
			if err := stop(w); err != nil {
				t.Error(err)
			}
			if n := handled.Load(); n != 100 {
				t.Errorf("%d of 100 calls were handled", n)
			}
			if text := strings.Join(said.list(), "\n"); !strings.Contains(text, "the desk is closed: ") {
				t.Errorf("it said %q", text)
			}
		})
	}
}

// A parent that closes the connection has told the worker to end, over every link
// and in the middle of calls.
func TestClosingTheConnectionIsAnEndInOrder(t *testing.T) {
	for _, link := range []worker.Link{worker.SharedMemory, worker.UnixSocket, worker.Pipe} {
		t.Run(string(link), func(t *testing.T) {
			w := start(t, worker.Over(link))
			calls := begin(t, w, "block")
			go func() { // leaves bytes behind that nobody reads
				for w.Conn().Err() == nil {
					_, _ = do.Call(context.Background(), w, "echo "+strings.Repeat("x", 100_000))
				}
			}()
			time.Sleep(10 * time.Millisecond)
			_ = w.Conn().Close()
			began := time.Now()
			<-w.Done()
			if took := time.Since(began); w.Err() != nil || took > 900*time.Millisecond {
				t.Errorf("after %v: %v", took, w.Err())
			}
			<-calls
		})
	}
}

// Whoever takes the output and never returns holds Close up for a second.
func TestCloseDoesNotWaitLongForABlockedWriter(t *testing.T) {
	release := make(chan struct{})
	w := start(t, worker.Output(blocked(release)))
	order(t, w, "print 10 hello")
	began := time.Now()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("Close took %v", took)
	}
	close(release)
}

type blocked chan struct{}

func (b blocked) Write(p []byte) (int, error) { <-b; return len(p), nil }

func TestStopKillsAWorkerThatIgnoresItReport8(t *testing.T) {
	w := start(t, worker.Grace(100*time.Millisecond))
	grandchild, _ := strconv.Atoi(order(t, w, "spawn"))
	order(t, w, "ignore")
	if !alive(grandchild) {
		t.Fatal("no grandchild")
	}
	err := w.Close()
	var exit *worker.ExitError
	if !errors.As(err, &exit) || exit.Signal != syscall.SIGKILL || !strings.Contains(exit.Reason, "SIGTERM") {
		t.Errorf("%v", err)
	}
	gone(t, grandchild, time.Second)
	gone(t, w.PID(), 0)
}

func TestGrandchildrenEndWithAWorkerThatDies(t *testing.T) {
	w := start(t)
	grandchild, _ := strconv.Atoi(order(t, w, "spawn"))
	_ = syscall.Kill(w.PID(), syscall.SIGKILL)
	<-w.Done()
	gone(t, grandchild, time.Second)
}

func TestStopBreaksOffACallThatDoesNotEnd(t *testing.T) {
	w := start(t)
	failed := begin(t, w, "block")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := w.Stop(ctx); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "is being stopped, and the call did not end in time") {
		t.Errorf("%v", err)
	}
}

func TestStopFromManySides(t *testing.T) {
	w := start(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { _ = w.Close() })
	}
	all.Wait()
	<-w.Done()
}

func TestInterruptIsLeftToTheParentReport6(t *testing.T) {
	w := start(t)
	done := begin(t, w, "sleep 100ms")
	_ = syscall.Kill(-w.PID(), syscall.SIGINT) // to its whole group
	if err := <-done; err != nil {
		t.Errorf("the running call failed: %v", err)
	}
	order(t, w, "echo still there")
}

func TestTerminationEndsAWorkerInOrder(t *testing.T) {
	w := start(t)
	order(t, w, "echo hi")
	_ = syscall.Kill(w.PID(), syscall.SIGTERM)
	<-w.Done()
	var exit *worker.ExitError
	if !errors.As(w.Err(), &exit) || exit.Status != 0 {
		t.Errorf("%v", w.Err())
	}
}
