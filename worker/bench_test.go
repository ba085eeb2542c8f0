//go:build linux

package worker_test

import (
	"context"
	"testing"

	"github.com/tenon-go/tenon/worker"
)

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
