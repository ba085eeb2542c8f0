//go:build linux

package worker_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
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
