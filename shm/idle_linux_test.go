package shm

import (
	"bytes"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/tenon-go/tenon"
)

func threadsOf(t testing.TB) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(tasks)
}

// sleepWord is where l announces that its receiver sleeps: offset 132 of the
// ring that it reads (see RING.md).
func sleepWord(l, peer *Link) *atomic.Uint32 {
	there, back := rings(l.others.m.mem, l.MaxReserve()*2+16)
	if peer != nil { // l attached
		back = there
	}
	return (*atomic.Uint32)(unsafe.Pointer(&back[132]))
}

func await(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("in vain: ", what)
		}
	}
}

const atDoorbell = 2

func TestIdleLinksAreNotThreads(t *testing.T) {
	const links = 200
	threads := threadsOf(t)
	var all sync.WaitGroup
	got := make(chan string, links)
	ends := make([]*Link, links)
	words := make([]*atomic.Uint32, links)
	for i := range ends {
		a, b := pair(t, Size(4096))
		ends[i], words[i] = b, sleepWord(a, nil)
		all.Go(func() {
			p, err := a.Recv()
			if err != nil {
				t.Error(err)
			}
			got <- string(p)
		})
	}
	await(t, "all wait at their doorbells", func() bool {
		for _, w := range words {
			if w.Load() != atDoorbell {
				return false
			}
		}
		return true
	})
	if grown := threadsOf(t) - threads; grown >= 40 {
		t.Errorf("%d idle links cost %d threads", links, grown)
	}
	for _, b := range ends {
		if err := b.Send([]byte("wake up")); err != nil {
			t.Fatal(err)
		}
	}
	for range links {
		select {
		case p := <-got:
			if p != "wake up" {
				t.Errorf("%q", p)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("somebody sleeps on")
		}
	}
	all.Wait()
}

// idle returns a link whose receiver waits at its doorbell, and how the wait
// ended.
func idle(t *testing.T) (a, b *Link, ended chan error) {
	a, b = pair(t, Size(4096))
	ended = make(chan error, 1)
	go func() {
		_, err := a.Recv()
		ended <- err
	}()
	await(t, "it moves to the doorbell", func() bool { return sleepWord(a, nil).Load() == atDoorbell })
	return a, b, ended
}

func TestWaitAtTheDoorbellEndsLikeAnyOther(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(a, b *Link)
		want error
	}{
		"data":      {func(a, b *Link) { b.Send([]byte("data")) }, nil},
		"interrupt": {func(a, b *Link) { a.InterruptRecv() }, tenon.ErrInterrupted},
		"close":     {func(a, b *Link) { a.Close() }, nil},
		"peer":      {func(a, b *Link) { b.Close() }, nil},
		"death":     {func(a, b *Link) { b.socket.Close() }, tenon.ErrPeerGone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, ended := idle(t)
			c.end(a, b)
			reaped(t, name, func() {
				if err := <-ended; c.want != nil && err != c.want {
					t.Error(err)
				}
			})
		})
	}
}

// TestVisitorsLeaveTheRightPlaceBehind has others receive while the base reader
// lies at its doorbell: their Arm must name that place.
func TestVisitorsLeaveTheRightPlaceBehind(t *testing.T) {
	a, b, ended := idle(t)
	for i := range 100 {
		a.Disarm()
		if err := b.Send([]byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
		if p, err := a.TryRecv(); err != nil || !bytes.Equal(p, []byte{byte(i)}) {
			t.Fatal(p, err)
		}
		if p, err := a.TryRecv(); p != nil || err != nil {
			t.Fatal(p, err)
		}
		if !a.Arm() {
			t.Fatal("not armed")
		}
	}
	b.Send([]byte("for the base reader"))
	reaped(t, "the base reader", func() { <-ended })
}

// TestFullSocketHoldsNobodyUp presses a doorbell that nobody answers.
func TestFullSocketHoldsNobodyUp(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[1])
	reaped(t, "presses", func() {
		for range 100_000 {
			sendByte(uintptr(fds[0]))
		}
	})
	syscall.Close(fds[0])
	sendByte(uintptr(fds[0])) // and one that is gone
}

// TestHostilePeerCannotHoldAnIdleWait has a peer that sets the sleep words as it
// likes and rings without end.
func TestHostilePeerCannotHoldAnIdleWait(t *testing.T) {
	a, b, ended := idle(t)
	stop := make(chan struct{})
	var hostile sync.WaitGroup
	hostile.Go(func() {
		ring, err := b.socket.SyscallConn()
		if err != nil {
			t.Error(err)
		}
		ours, theirs := sleepWord(a, nil), sleepWord(b, a)
		for n := uint32(0); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			ours.Store(n % 4)
			theirs.Store(n % 3)
			ring.Control(sendByte)
			runtime.Gosched()
		}
	})
	for range 20 {
		if err := a.Send([]byte("x")); err != nil {
			t.Error(err)
		}
	}
	a.InterruptRecv()
	reaped(t, "the wait", func() {
		if err := <-ended; err != tenon.ErrInterrupted {
			t.Error(err)
		}
	})
	close(stop)
	hostile.Wait()
	reaped(t, "Close", func() { a.Close() })
}
