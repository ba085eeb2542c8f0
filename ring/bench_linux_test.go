package ring

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

const benchVariable = "TENON_RING_TEST_BENCH" // messages, size, built in place

// BenchmarkThroughputBetweenProcesses has another process write, publishing
// every 32 messages, and this one read: copied in and out, or built and read
// where they lie.
func BenchmarkThroughputBetweenProcesses(b *testing.B) {
	for _, size := range []int{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10} {
		for _, inPlace := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dB/inplace=%v", size, inPlace), func(b *testing.B) {
				mem, file := sharedRing(b, 8<<20)
				r, err := NewReader(mem)
				if err != nil {
					b.Fatal(err)
				}
				exe, err := os.Executable()
				if err != nil {
					b.Fatal(err)
				}
				cmd := exec.Command(exe)
				cmd.Env = append(os.Environ(), benchVariable+"="+fmt.Sprint(b.N, size, inPlace))
				cmd.Stderr = os.Stderr
				cmd.ExtraFiles = []*os.File{file}
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				ctx, buf := context.Background(), make([]byte, size)
				read := func() {
					p, err := r.Read(ctx)
					if err != nil {
						b.Fatal(err)
					}
					if !inPlace {
						copy(buf, p)
					}
				}
				read() // the other process is there
				b.SetBytes(int64(size))
				b.ResetTimer()
				for range b.N {
					read()
				}
				b.StopTimer()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
				if err := cmd.Wait(); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

func sharedRing(t testing.TB, capacity int) ([]byte, *os.File) {
	t.Helper()
	fd, err := unix.MemfdCreate("ring-test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "ring-test")
	t.Cleanup(func() { file.Close() })
	if err := file.Truncate(int64(MemorySize(capacity))); err != nil {
		t.Fatal(err)
	}
	mem, err := mapRing(fd, capacity)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	if err := Format(mem); err != nil {
		t.Fatal(err)
	}
	return mem, file
}

func mapRing(fd, capacity int) ([]byte, error) {
	return unix.Mmap(fd, 0, MemorySize(capacity), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// benchWriter is the other process.
func benchWriter(arg string) error {
	var n, size int
	var inPlace bool
	if _, err := fmt.Sscan(arg, &n, &size, &inPlace); err != nil {
		return err
	}
	mem, err := mapRing(3, 8<<20)
	if err != nil {
		return err
	}
	w, err := NewWriter(mem)
	if err != nil {
		return err
	}
	return write(w, n+1, size, inPlace)
}
