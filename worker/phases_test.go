//go:build linux

package worker_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/worker"
)

// A worker is killed while it does this and that: every call is settled, every
// function returns, and nothing is left: 60 kills, 1,200 with TENON_SOAK=1.
func TestKilledInEveryPhaseReport43(t *testing.T) {
	n := rounds(10, 200)
	big := "echo " + strings.Repeat("b", 32<<20)
	kill := func(w *worker.Worker) { _ = syscall.Kill(w.PID(), syscall.SIGKILL) }
	for name, phase := range map[string]func(t *testing.T, after time.Duration){
		"starting": func(t *testing.T, after time.Duration) {
			out := new(lines)
			failed := make(chan error, 1)
			go func() {
				_, err := worker.Start(context.Background(), worker.Program("sh", "-c", "echo $$; sleep 1000"),
					worker.Output(out), worker.Name("w"))
				failed <- err
			}()
			pid := 0
			for pid == 0 {
				pid, _ = strconv.Atoi(strings.TrimPrefix(out.list()[0], "w: "))
			}
			time.Sleep(after)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			var exit *worker.ExitError
			if err := <-failed; !errors.As(err, &exit) || exit.Signal != syscall.SIGKILL {
				t.Errorf("%v", err)
			}
		},
		"idle": func(t *testing.T, after time.Duration) {
			w := start(t)
			time.Sleep(after)
			kill(w)
			<-w.Done()
			if _, err := do.Call(context.Background(), w, "echo"); err == nil {
				t.Error("a dead worker answered")
			}
		},
		"reading": func(t *testing.T, after time.Duration) {
			w := start(t)
			failed := make(chan error, 1)
			go func() {
				_, err := do.Call(context.Background(), w, big)
				failed <- err
			}()
			time.Sleep(after)
			kill(w)
			<-failed // it may have been answered before
			<-w.Done()
		},
		"running": func(t *testing.T, after time.Duration) {
			w := start(t)
			failed := begin(t, w, "block")
			time.Sleep(after)
			kill(w)
			if err := <-failed; err == nil {
				t.Error("the call succeeded")
			}
			<-w.Done()
		},
		"writing": func(t *testing.T, after time.Duration) {
			w := start(t)
			failed := make(chan error, 1)
			go func() {
				_, err := do.Call(context.Background(), w, "long")
				failed <- err
			}()
			time.Sleep(after)
			kill(w)
			<-failed // it may have been answered before
			<-w.Done()
		},
		"draining": func(t *testing.T, after time.Duration) {
			w := start(t)
			failed := begin(t, w, "block")
			closed := make(chan error, 1)
			go func() { closed <- w.Close() }()
			time.Sleep(after)
			kill(w)
			if err := <-failed; err == nil || strings.Contains(err.Error(), "being stopped") {
				t.Errorf("%v", err)
			}
			var exit *worker.ExitError
			if err := <-closed; !errors.As(err, &exit) || exit.Signal != syscall.SIGKILL {
				t.Errorf("Close: %v", err)
			}
			<-w.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			for i := range n {
				phase(t, time.Duration(i)*5*time.Millisecond/time.Duration(n))
			}
		})
	}
}
