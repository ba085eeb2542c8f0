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

// A regime decides how a waiting side should wait.
type regime struct {
	name string
	gap  time.Duration // between calls
	busy int           // goroutines that compute beside it, on both sides
	cpus int           // GOMAXPROCS of both sides; 0: all
}

var regimes = []regime{
	{"hot", 0, 0, 0},
	{"cold", time.Millisecond, 0, 0},
	{"one", 0, 0, 1},
	{"one-cold", time.Millisecond, 0, 1},
	{"busy", 0, 1, 0},
	{"one-busy", 0, 1, 1},
}

// BenchmarkRegimes plays ping-pong with another process over shared memory and
// over a Unix socket, a hundred rounds each in turn.
func BenchmarkRegimes(b *testing.B) {
	for _, c := range regimes {
		b.Run(c.name, func(b *testing.B) {
			took := c.play(b, b.Loop)
			b.StopTimer()
			for k, name := range []string{"shm", "unix"} {
				b.ReportMetric(percentile(took[k], 50), name+"-p50-us")
				b.ReportMetric(percentile(took[k], 99), name+"-p99-us")
				b.ReportMetric(mean(took[k]), name+"-mean-us")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// TestNeverSlowerThanASocket allows a quarter for noise.
func TestNeverSlowerThanASocket(t *testing.T) {
	if !soak {
		t.Skip("a timing: set TENON_SOAK=1")
	}
	for _, c := range regimes {
		t.Run(c.name, func(t *testing.T) {
			rounds := 30
			if c.busy > 0 && c.cpus == 1 {
				rounds = 1 // a socket takes 40 ms a call there
			}
			took := c.play(t, func() bool { rounds--; return rounds >= 0 })
			ours, theirs := percentile(took[0], 50), percentile(took[1], 50)
			t.Logf("p50 %.2f us over shared memory, %.2f us over a Unix socket; mean %.2f and %.2f", ours, theirs, mean(took[0]), mean(took[1]))
			if ours > 1.25*theirs {
				t.Error("slower")
			}
		})
	}
}

// play returns how long calls took over shared memory and over a socket.
func (c regime) play(tb testing.TB, more func() bool) (took [2][]time.Duration) {
	env := []string{"TENON_SHM_TEST_BUSY=" + strconv.Itoa(c.busy)}
	if c.cpus > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.cpus))
		env = append(env, "GOMAXPROCS="+strconv.Itoa(c.cpus))
	}
	l, _ := startChild(tb, "echo", env)
	s := startSocketChild(tb, env)
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
	for more() {
		for k, call := range []func() error{overMemory, overSocket} {
			for range 100 {
				if c.gap > 0 {
					time.Sleep(c.gap)
				}
				begun := time.Now()
				if err := call(); err != nil {
					tb.Fatal(err)
				}
				took[k] = append(took[k], time.Since(begun))
			}
		}
	}
	slices.Sort(took[0])
	slices.Sort(took[1])
	return took
}

// percentile returns microseconds; d is sorted.
func percentile(d []time.Duration, p int) float64 { return float64(d[len(d)*p/100]) / 1e3 }

func mean(d []time.Duration) float64 {
	sum := time.Duration(0)
	for _, x := range d {
		sum += x
	}
	return float64(sum) / float64(len(d)) / 1e3
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
func startSocketChild(b testing.TB, env []string) net.Conn {
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
