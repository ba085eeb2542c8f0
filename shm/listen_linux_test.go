package shm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"golang.org/x/sys/unix"
)

// soon is a context that ends before the test would seem to hang.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// someName is an abstract name of this test alone.
func someName(t testing.TB) string {
	return fmt.Sprintf("@tenon-test-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))
}

func mustListen(t testing.TB, address string, opts ...Option) *Listener {
	t.Helper()
	l, err := Listen(address, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// meet returns both ends of a link through l.
func meet(t testing.TB, l *Listener) (dialed, accepted *Link) {
	t.Helper()
	ctx := soon(t)
	type end struct {
		link *Link
		err  error
	}
	ends := make(chan end, 1)
	go func() {
		link, err := l.Accept(ctx)
		ends <- end{link, err}
	}()
	dialed, err := Dial(ctx, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	other := <-ends
	if other.err != nil {
		t.Fatal(other.err)
	}
	t.Cleanup(func() {
		dialed.Close()
		other.link.Close()
	})
	return dialed, other.link
}

func expectBothWays(t testing.TB, a, b *Link) {
	t.Helper()
	for range 2 {
		if err := a.Send([]byte("over there")); err != nil {
			t.Fatal(err)
		}
		if p, err := b.Recv(); err != nil || string(p) != "over there" {
			t.Fatalf("%q, %v", p, err)
		}
		a, b = b, a
	}
}

func TestStrangersMeetAtANameAndAtAPath(t *testing.T) {
	for kind, address := range map[string]string{"name": someName(t), "path": filepath.Join(t.TempDir(), "socket")} {
		t.Run(kind, func(t *testing.T) {
			l := mustListen(t, address, Size(8192))
			for range 3 {
				a, b := meet(t, l)
				expectBothWays(t, a, b)
				if n := a.MaxReserve(); n != 4096-8 {
					t.Errorf("the listener's size did not count: %d", n)
				}
				a.Close()
				if _, err := b.Recv(); err != io.EOF {
					t.Error(err)
				}
			}
			if l.Addr().String() != address {
				t.Error(l.Addr())
			}
			l.Close()
			if _, err := os.Lstat(address); err == nil {
				t.Error("Close left the file")
			}
			if _, err := Dial(context.Background(), address); !errors.Is(err, unix.ECONNREFUSED) && !errors.Is(err, os.ErrNotExist) {
				t.Error(err)
			}
		})
	}
}

func TestLongPathReport22(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 40))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "socket")
	l := mustListen(t, path)
	a, b := meet(t, l)
	expectBothWays(t, a, b)
	if _, err := Listen(path); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a second listener: %v", err)
	}
	l.Close()
	if _, err := os.Lstat(path); err == nil {
		t.Error("Close left the file")
	}
	for _, address := range []string{filepath.Join(dir, strings.Repeat("x", 120)), "@" + strings.Repeat("x", 120)} {
		_, err := Listen(address)
		_, err2 := Dial(context.Background(), address)
		for _, err := range []error{err, err2} {
			if err == nil || !strings.Contains(err.Error(), "the maximum is 107") {
				t.Error(err)
			}
		}
	}
}

func TestStalePathIsReplacedAndALiveOneIsNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	kill := listenInChild(t, path)
	if _, err := Listen(path); !errors.Is(err, syscall.EADDRINUSE) {
		t.Fatalf("the path of a living process: %v", err)
	}
	kill()
	if _, err := os.Lstat(path); err != nil {
		t.Fatal("nothing to replace: ", err)
	}
	l := mustListen(t, path)
	a, b := meet(t, l)
	expectBothWays(t, a, b)

	// Whoever replaced the file keeps it when the first one closes.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	second := mustListen(t, path)
	l.Close()
	a, b = meet(t, second)
	expectBothWays(t, a, b)
}

func TestListenRemovesNothingButSockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path); !errors.Is(err, syscall.EADDRINUSE) {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); string(b) != "precious" {
		t.Error(err)
	}
}

func TestOneOfManyTakesAStalePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	for range 20 {
		stale, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: path})
		if err != nil {
			t.Fatal(err)
		}
		stale.SetUnlinkOnClose(false)
		stale.Close()
		var all sync.WaitGroup
		winners := make(chan *Listener, 8)
		for range cap(winners) {
			all.Go(func() {
				if l, err := Listen(path); err == nil {
					winners <- l
				} else if !errors.Is(err, syscall.EADDRINUSE) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(winners) != 1 {
			t.Fatalf("%d listeners at one path", len(winners))
		}
		(<-winners).Close()
	}
}

func TestSilentDialerHoldsNobodyUp(t *testing.T) {
	l := mustListen(t, someName(t))
	for range 32 {
		silent, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
	}
	a, b := meet(t, l)
	expectBothWays(t, a, b)
}

func TestStrangeDialersAreToldAndDoNotEndAccept(t *testing.T) {
	l := mustListen(t, someName(t))
	for hello, want := range map[string]string{
		"GET / HTTP/1.1":   "protocol",
		magic[:7] + "\x63": "version 99",
	} {
		conn, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, hello)
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		answer, _ := io.ReadAll(conn)
		if !strings.Contains(string(answer), want) {
			t.Errorf("%q: %q", hello, answer)
		}
		conn.Close()
	}
	a, b := meet(t, l)
	expectBothWays(t, a, b)
}

func TestOtherUsersAreRefused(t *testing.T) {
	nobody := AllowUID(func(uid int) bool { return uid != os.Geteuid() })
	l := mustListen(t, someName(t), nobody)
	_, err := Dial(soon(t), l.Addr().String())
	if err == nil || !strings.Contains(err.Error(), "refused") || !strings.Contains(err.Error(), "AllowUID") {
		t.Errorf("by the listener: %v", err)
	}
	open := mustListen(t, someName(t)+"-open")
	if _, err = Dial(soon(t), open.Addr().String(), nobody); !errors.Is(err, syscall.EACCES) {
		t.Errorf("by the dialer: %v", err)
	}
}

func TestAcceptEndsWithItsContextAndWithClose(t *testing.T) {
	l := mustListen(t, someName(t))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() {
		_, err := l.Accept(ctx)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	go func() {
		_, err := l.Accept(context.Background())
		ended <- err
	}()
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

func TestDialEndsWithItsContext(t *testing.T) {
	l := mustListen(t, someName(t)) // nobody accepts
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, l.Addr().String()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestListenerLeavesNothing(t *testing.T) {
	noCollection(t)
	pair(t)
	before := held(t)
	func() {
		l, err := Listen(filepath.Join(t.TempDir(), "socket"))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			ctx, cancel := context.WithCancel(context.Background())
			var both sync.WaitGroup
			both.Go(func() {
				if link, err := l.Accept(ctx); err == nil {
					link.Close()
				}
			})
			both.Go(func() {
				if link, err := Dial(ctx, l.Addr().String()); err == nil {
					link.Close()
				}
			})
			cancel() // at any moment
			both.Wait()
		}
		silent, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		silent.Close()
	}()
	before.expect(t)
}

// TestLyingListenersAreRefused has listeners that answer with anything else than
// sealed memory.
func TestLyingListenersAreRefused(t *testing.T) {
	pair(t)
	before := held(t)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	fd := int(null.Fd())
	ok := append([]byte(magic), 0)
	for name, answer := range map[string]struct {
		bytes []byte
		files []int
		want  string
	}{
		"hangs up":         {nil, nil, "without a word"},
		"no descriptor":    {ok, nil, "no memory"},
		"not memory":       {ok, []int{fd}, "not shared memory"},
		"two descriptors":  {ok, []int{fd, fd}, "more descriptors"},
		"many descriptors": {ok, []int{fd, fd, fd, fd, fd, fd, fd, fd}, "more descriptors"},
		"other version":    {[]byte(magic[:7] + "\x63\x00"), []int{fd}, "version 99"},
		"other protocol":   {[]byte("HTTP/1.1 "), nil, "protocol"},
		"half an answer":   {[]byte(magic[:4]), []int{fd}, "hung up"},
		"half a refusal":   {append([]byte(magic), 200, 'n', 'o'), []int{fd}, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: someName(t)})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				conn, err := l.AcceptUnix()
				if err != nil {
					return
				}
				io.ReadFull(conn, make([]byte, len(hello)))
				var rights []byte
				if answer.files != nil {
					rights = unix.UnixRights(answer.files...)
				}
				if answer.bytes != nil {
					conn.WriteMsgUnix(answer.bytes, rights, nil)
				}
				conn.Close()
			}()
			_, err = Dial(soon(t), someName(t))
			if err == nil || !strings.Contains(err.Error(), answer.want) {
				t.Errorf("%v, want %q", err, answer.want)
			}
		})
	}
	before.files++ // null
	before.expect(t)
}

// TestListenersOfOtherProtocolsAreKnownAtOnce dials servers that wait for a
// request before they say a word.
func TestListenersOfOtherProtocolsAreKnownAtOnce(t *testing.T) {
	var tenons *tenon.Server
	for name, serve := range map[string]func(net.Listener) error{
		"http": func(l net.Listener) error { return http.Serve(l, nil) },
		"tenon": func(l net.Listener) error {
			return tenons.Serve(context.Background(), l, tenon.WithToken("it waits for"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("unix", someName(t))
			if err != nil {
				t.Fatal(err)
			}
			tenons = tenon.NewServer()
			served := make(chan error, 1)
			go func() { served <- serve(l) }()
			_, err = Dial(soon(t), someName(t))
			if err == nil || !strings.Contains(err.Error(), "does not speak the protocol") && !strings.Contains(err.Error(), "without a word") {
				t.Error(err)
			}
			tenons.Close()
			l.Close()
			<-served
		})
	}
}

func TestWaitingDialersAreToldOfClose(t *testing.T) {
	l := mustListen(t, someName(t))
	dialed := make(chan error, 1)
	go func() {
		_, err := Dial(soon(t), someName(t))
		dialed <- err
	}()
	await(t, "the dialer has been heard", func() bool { return len(l.slots) == 2 }) // and another one is waited for
	l.Close()
	if err := <-dialed; err == nil || !strings.Contains(err.Error(), "has closed") && !strings.Contains(err.Error(), "hung up") {
		t.Error(err)
	}
}

// TestCloseEndsAfterHandingOverReport25 has handed a socket to a child, which
// must not have made our end a blocking one.
func TestCloseEndsAfterHandingOverReport25(t *testing.T) {
	l, cmd := startChild(t, "deaf", nil)
	reaped(t, "Close", func() { l.Close() })
	cmd.Process.Kill()

	// Nor does a start that fails.
	l, peer, err := Create()
	if err != nil {
		t.Fatal(err)
	}
	failing := exec.Command(filepath.Join(t.TempDir(), "nothing"))
	failing.ExtraFiles = []*os.File{peer.Memory, peer.Socket}
	if err := failing.Start(); err == nil {
		t.Fatal("started nothing")
	}
	peer.Close()
	reaped(t, "Close", func() { l.Close() })
}

func TestBothEndsKnowTheOthersUser(t *testing.T) {
	dialed, accepted := meet(t, mustListen(t, someName(t)))
	a, b, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]*Link{"dialed": dialed, "accepted": accepted, "one of a pair": a, "the other": b} {
		if uid, known := link.PeerUID(); uid != os.Geteuid() || !known {
			t.Errorf("%s: %d, %v", name, uid, known)
		}
		link.Close()
		if _, known := link.PeerUID(); known {
			t.Errorf("%s: known after the end", name)
		}
	}
}
