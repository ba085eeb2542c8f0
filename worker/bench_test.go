//go:build linux

package worker_test

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/tenon-go/tenon/worker"
)

// BenchmarkProgram is the floor of the next one: to start this very program and to
// see it exit.
func BenchmarkProgram(b *testing.B) {
	for b.Loop() {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), "TENON_TEST_PROGRAM=exit")
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStartToFirstAnswer(b *testing.B) {
	for b.Loop() {
		w, err := worker.Start(context.Background(), worker.Self("test"))
		if err != nil {
			b.Fatal(err)
		}
		order(b, w, "echo hi")
		b.StopTimer()
		w.Kill()
		b.StartTimer()
	}
}

func BenchmarkCall(b *testing.B) {
	w := start(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := do.Call(ctx, w, "echo hi"); err != nil {
			b.Fatal(err)
		}
	}
}
