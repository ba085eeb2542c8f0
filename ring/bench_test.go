package ring

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkThroughput copies messages in and out between two goroutines and
// publishes every 32 messages.
func BenchmarkThroughput(b *testing.B) {
	for _, size := range []int{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10} {
		for _, inPlace := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dB/inplace=%v", size, inPlace), func(b *testing.B) {
				throughput(b, size, inPlace)
			})
		}
	}
}

func throughput(b *testing.B, size int, inPlace bool) {
	mem, err := Alloc(8 << 20)
	if err != nil {
		b.Fatal(err)
	}
	w, _ := NewWriter(mem)
	r, _ := NewReader(mem)
	ctx := context.Background()
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, size)
		for n := 0; n < b.N; n++ {
			p, err := r.Read(ctx)
			if err != nil {
				panic(err)
			}
			if !inPlace {
				copy(buf, p)
			}
		}
	}()
	src := make([]byte, size)
	b.SetBytes(int64(size))
	b.ResetTimer()
	for n := range b.N {
		if inPlace {
			p := w.Reserve(size)
			for p == nil {
				w.Wait(ctx, size)
				p = w.Reserve(size)
			}
			w.Commit(p[:size])
		} else {
			w.Write(ctx, src)
		}
		if n&31 == 31 {
			w.Flush()
		}
	}
	w.Flush()
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
}
