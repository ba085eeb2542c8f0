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
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, size)
		for n := 0; n < b.N; n++ {
			p, err := r.Read(context.Background())
			if err != nil {
				panic(err)
			}
			if !inPlace {
				copy(buf, p)
			}
		}
	}()
	b.SetBytes(int64(size))
	b.ResetTimer()
	if err := write(w, b.N, size, inPlace); err != nil {
		b.Fatal(err)
	}
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
}

// write writes n messages, copied or built in place, and publishes every 32.
func write(w *Writer, n, size int, inPlace bool) error {
	ctx, src := context.Background(), make([]byte, size)
	for i := range n {
		if inPlace {
			p := w.Reserve(size)
			for p == nil {
				if err := w.Wait(ctx, size); err != nil {
					return err
				}
				p = w.Reserve(size)
			}
			if err := w.Commit(p[:size]); err != nil {
				return err
			}
		} else if err := w.Write(ctx, src); err != nil {
			return err
		}
		if i&31 == 31 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}
