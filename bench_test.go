package tenon_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/shm"
)

// BenchmarkCall measures typed calls into another process over shared memory.
func BenchmarkCall(b *testing.B) {
	conn := servedElsewhere(b)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if _, err := add.Call(ctx, conn, pair{1, 2}); err != nil {
		b.Fatal(err)
	}
	b.Run("lone", func(b *testing.B) {
		b.ReportAllocs()
		took := make([]time.Duration, 0, 1<<20)
		for b.Loop() {
			start := time.Now()
			if _, err := add.Call(ctx, conn, pair{1, 2}); err != nil {
				b.Fatal(err)
			}
			if len(took) < cap(took) {
				took = append(took, time.Since(start))
			}
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
		b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
	})
	b.Run("64callers", func(b *testing.B) {
		var callers sync.WaitGroup
		for range 64 {
			callers.Go(func() {
				for range b.N/64 + 1 {
					if _, err := add.Call(ctx, conn, pair{1, 2}); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		callers.Wait()
	})
	for name, size := range map[string]int{"1MiB": 1 << 20, "16MiB": 16 << 20} {
		p := make([]byte, size)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := length.Call(ctx, conn, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// servedElsewhere is a connection to a calc in another process.
func servedElsewhere(t testing.TB) *tenon.Conn {
	t.Helper()
	link, peer, err := shm.Create()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("/proc/self/exe")
	child.Env = append(os.Environ(), "TENON_TEST_SERVE=1")
	child.ExtraFiles = []*os.File{peer.Memory, peer.Socket}
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	peer.Close()
	conn := tenon.NewConn(context.Background(), link, nil)
	t.Cleanup(func() {
		conn.Close()
		child.Wait()
	})
	return conn
}

func serveBenchmark() {
	link, err := shm.Attach(os.NewFile(3, "memory"), os.NewFile(4, "socket"))
	if err == nil {
		err = (&calc{}).server().ServeLink(context.Background(), link)
	}
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}
