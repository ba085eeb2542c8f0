package shm

import (
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkCreate is what a link costs at the start of a worker.
func BenchmarkCreate(b *testing.B) {
	for b.Loop() {
		l, peer, err := Create()
		if err != nil {
			b.Fatal(err)
		}
		peer.Close()
		l.Close()
	}
}

// BenchmarkRegimes plays ping-pong with another process over shared memory and
// over a Unix socket, a hundred rounds each in turn, in the regimes that decide
// how a waiting side should wait.
func BenchmarkRegimes(b *testing.B) {
	for _, c := range []struct {
		name string
		gap  time.Duration
		busy int // goroutines that compute beside it, on both sides
		cpus int // GOMAXPROCS of both sides; 0: all
	}{
		{"hot", 0, 0, 0},
		{"cold", time.Millisecond, 0, 0},
		{"one", 0, 0, 1},
		{"one-cold", time.Millisecond, 0, 1},
		{"busy", 0, 1, 0},
		{"one-busy", 0, 1, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.cpus > 0 {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.cpus))
			}
			env := []string{"TENON_SHM_TEST_BUSY=" + strconv.Itoa(c.busy)}
			if c.cpus > 0 {
				env = append(env, "GOMAXPROCS="+strconv.Itoa(c.cpus))
			}
			l, _ := startChild(b, "echo", env)
			s := startSocketChild(b, env)
			defer compute(c.busy)()
			msg, buf := make([]byte, 8), make([]byte, 8)
			overMemory := func() error {
				if err := l.Send(msg); err != nil {
					return err
				}
				_, err := l.Recv()
				return err
			}
			overSocket := func() error {
				if _, err := s.Write(msg); err != nil {
					return err
				}
				_, err := s.Read(buf)
				return err
			}
			var took [2][]time.Duration
			for b.Loop() {
				for k, call := range []func() error{overMemory, overSocket} {
					for range 100 {
						if c.gap > 0 {
							time.Sleep(c.gap)
						}
						begun := time.Now()
						if err := call(); err != nil {
							b.Fatal(err)
						}
						took[k] = append(took[k], time.Since(begun))
					}
				}
			}
			b.StopTimer()
			for k, name := range []string{"shm", "unix"} {
				d := took[k]
				slices.Sort(d)
				sum := time.Duration(0)
				for _, x := range d {
					sum += x
				}
				b.ReportMetric(float64(d[len(d)/2])/1e3, name+"-p50-us")
				b.ReportMetric(float64(d[len(d)*99/100])/1e3, name+"-p99-us")
				b.ReportMetric(float64(sum)/float64(len(d))/1e3, name+"-mean-us")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// compute keeps n goroutines busy until the function that it returns is called.
func compute(n int) (stop func()) {
	done := make(chan struct{})
	for range n {
		go func() {
			for x := uint64(1); ; x = x*6364136223846793005 + 1 {
				if x&0xFFFF == 1 {
					select {
					case <-done:
						return
					default:
					}
				}
			}
		}()
	}
	return func() { close(done) }
}

// startSocketChild runs the echo role over a Unix socket in place of a link.
func startSocketChild(b *testing.B, env []string) net.Conn {
	b.Helper()
	ours, theirs, err := socketPair()
	if err != nil {
		b.Fatal(err)
	}
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		b.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = slices.Concat(os.Environ(), []string{roleVariable + "=echo over a socket"}, env)
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{theirs}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	theirs.Close()
	b.Cleanup(func() {
		conn.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return conn
}

func init() {
	strangers["echo over a socket"] = func(string) error {
		conn, err := net.FileConn(os.NewFile(3, "socket"))
		if err != nil {
			return err
		}
		compute(busyOfChild())
		buf := make([]byte, 64)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return nil
			}
			if _, err := conn.Write(buf[:n]); err != nil {
				return nil
			}
		}
	}
	plain := roles["echo"]
	roles["echo"] = func(l *Link) error {
		compute(busyOfChild())
		return plain(l)
	}
}

func busyOfChild() int {
	n, _ := strconv.Atoi(os.Getenv("TENON_SHM_TEST_BUSY"))
	return n
}
