package shm

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/ring"
)

// holdings counts what a link may leave behind in this process.
type holdings struct{ goroutines, files, mappings int }

func (h holdings) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d mappings", h.goroutines, h.files, h.mappings)
}

func held(t testing.TB) holdings {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return holdings{runtime.NumGoroutine(), len(fds), bytes.Count(maps, []byte("tenon-shm"))}
}

// expect waits for goroutines that are just ending and then compares.
func (h holdings) expect(t testing.TB) {
	t.Helper()
	var now holdings
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		if now = held(t); now.goroutines <= h.goroutines && now.files <= h.files && now.mappings <= h.mappings {
			return
		}
	}
	t.Fatalf("left behind: %v, before: %v", now, h)
}

// noCollection keeps the collector from freeing what Close should have freed.
func noCollection(t *testing.T) {
	old := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(old) })
}

func TestCloseLeavesNothing(t *testing.T) {
	noCollection(t)
	pair(t) // the netpoller's own descriptors
	before := held(t)
	for range 50 {
		a, b, err := Pair(Size(4096))
		if err != nil {
			t.Fatal(err)
		}
		var waits sync.WaitGroup
		waits.Go(func() { a.Recv() })
		waits.Go(func() { b.Send(make([]byte, 20_000)) })
		if n := len(a.Reserve(10)); n != 0 {
			t.Fatal(n)
		}
		a.Close()
		b.Close()
		a.Flush() // ends the reservation
		waits.Wait()
		a.TryRecv()
		b.TryRecv()
	}
	before.expect(t)
}

func TestFailedStartsLeaveNothing(t *testing.T) {
	pair(t)
	before := held(t)
	null := func() *os.File {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if _, err := Attach(null(), null()); err == nil {
		t.Error("attached to /dev/null")
	}
	l, peer, err := Create(Size(4096))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := Attach(peer.Socket, peer.Memory); err == nil || !strings.Contains(err.Error(), "order") {
		t.Errorf("files in the wrong order: %v", err)
	}
	memory, err := createMemory(memorySize(4096), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Attach(memory, null()); err == nil {
		t.Error("attached to unformatted memory")
	}
	if _, _, err := Create(Size(-1)); err == nil {
		t.Error("negative size")
	}
	before.expect(t)
}

func TestBorrowedMemoryOutlivesClose(t *testing.T) {
	noCollection(t)
	before := held(t)
	rounds := 300
	if soak {
		rounds = 10_000
	}
	for round := range rounds {
		a, b, err := Pair(Size(4096))
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Repeat([]byte{byte(round)}, 100)
		if err := a.Send(want); err != nil {
			t.Fatal(err)
		}
		got, err := b.Recv()
		if err != nil {
			t.Fatal(err)
		}
		room := a.Reserve(200)
		var closes sync.WaitGroup
		for _, l := range []*Link{a, b, a, b} {
			closes.Go(func() { l.Close() })
		}
		room = append(room, want...)
		if !bytes.Equal(got, want) {
			t.Fatal("borrowed bytes changed")
		}
		closes.Wait()
		room = append(room, want...)
		if !bytes.Equal(got, want) {
			t.Fatal("borrowed bytes changed after Close")
		}
		if err := a.Commit(room); !errors.Is(err, net.ErrClosed) {
			t.Fatal(err)
		}
		if _, err := b.TryRecv(); !errors.Is(err, net.ErrClosed) {
			t.Fatal(err)
		}
	}
	before.expect(t)
}

func TestForgottenWindowIsFreedWithItsLink(t *testing.T) {
	before := held(t)
	func() {
		a, b, err := Pair(Size(4096))
		if err != nil {
			t.Fatal(err)
		}
		a.Reserve(10)
		a.Close()
		b.Close()
	}()
	for end := time.Now().Add(10 * time.Second); held(t).mappings > before.mappings; {
		if time.Now().After(end) {
			t.Fatal("still mapped")
		}
		runtime.GC()
	}
	before.expect(t)
}

func TestCloseAgainstEverythingElse(t *testing.T) {
	before := held(t)
	for range 200 {
		a, b, err := Pair(Size(4096))
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for _, l := range []*Link{a, b} {
			all.Go(func() {
				for l.Send(make([]byte, 1000)) == nil {
				}
			})
			all.Go(func() {
				for {
					l.Disarm()
					p, err := l.TryRecv()
					if err != nil {
						return
					}
					if p == nil && l.Arm() {
						runtime.Gosched()
					}
				}
			})
			all.Go(func() {
				for range 20 {
					l.WaitRecv()
				}
			})
			all.Go(func() {
				for range 20 {
					l.InterruptRecv()
					runtime.Gosched()
				}
				l.Close()
			})
		}
		reaped(t, "closing", all.Wait)
	}
	before.expect(t)
}

func TestSealsSurviveAnOldKernelReport57(t *testing.T) {
	real := memfdCreate
	defer func() { memfdCreate = real }()
	refused := false
	memfdCreate = func(name string, flags int) (int, error) {
		if flags&unix.MFD_NOEXEC_SEAL != 0 {
			refused = true
			return -1, unix.EINVAL
		}
		return real(name, flags)
	}
	l, peer, err := Create()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !refused {
		t.Fatal("never asked for the newer flag")
	}
	for _, size := range []int64{0, 1 << 30} {
		if err := peer.Memory.Truncate(size); err == nil {
			t.Fatalf("the size could be changed to %d", size)
		}
	}
	other, err := Attach(peer.Memory, peer.Socket)
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
}

func TestAttachRefusesUnsealedMemoryReport57(t *testing.T) {
	fd, err := unix.MemfdCreate("tenon-shm", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	memory := os.NewFile(uintptr(fd), "memory")
	if err := memory.Truncate(int64(memorySize(4096))); err != nil {
		t.Fatal(err)
	}
	ours, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	if _, err := Attach(memory, theirs); err == nil || !strings.Contains(err.Error(), "sealed") {
		t.Fatal(err)
	}
}

func TestFullMemoryIsAnErrorReport55(t *testing.T) {
	real := fallocate
	defer func() { fallocate = real }()
	fallocate = func(int, uint32, int64, int64) error { return unix.ENOSPC }
	before := held(t)
	_, _, err := Create(Size(64 << 20))
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{fmt.Sprint(memorySize(64 << 20)), "shm.Size", "limit"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Error(err)
	}
	link, peer, err := Create(Size(64<<20), ReserveLater())
	if err != nil {
		t.Fatal("that was to be found later: ", err)
	}
	if err := peer.Reserve(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("later: %v", err)
	}
	link.Close()
	peer.Close()
	before.expect(t)
}

func TestReservationThatComesLater(t *testing.T) {
	link, peer, err := Create(Size(1<<20), ReserveLater())
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	defer peer.Close()
	blocks := func() int64 {
		var st unix.Stat_t
		if err := unix.Fstat(int(peer.Memory.Fd()), &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512
	}
	if early := blocks(); early >= 1<<20 {
		t.Errorf("%d bytes are reserved already", early)
	}
	if err := peer.Reserve(); err != nil {
		t.Fatal(err)
	}
	if late := blocks(); late < 2<<20 {
		t.Errorf("only %d bytes are reserved", late)
	}
}

func TestAttachRefusesAHeaderThatDoesNotFit(t *testing.T) {
	pair(t)
	before := held(t)
	for name, lie := range map[string]func(mem []byte){
		"larger rings": func(mem []byte) { binary.LittleEndian.PutUint32(mem[sizeAt:], 8192) },
		"no size":      func(mem []byte) { binary.LittleEndian.PutUint32(mem[sizeAt:], 0) },
		"huge size":    func(mem []byte) { binary.LittleEndian.PutUint32(mem[sizeAt:], 1<<31) },
		"no magic":     func(mem []byte) { mem[0] = 0 },
		"version":      func(mem []byte) { mem[7]++ },
		"no ring":      func(mem []byte) { clear(mem[block:][:ring.HeaderSize]) },
	} {
		t.Run(name, func(t *testing.T) {
			memory, m, err := newMemory(4096, true)
			if err != nil {
				t.Fatal(err)
			}
			lie(m.mem)
			m.free()
			ours, theirs, err := socketPair()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			if _, err := Attach(memory, theirs); err == nil {
				t.Fatal("attached")
			}
		})
	}
	before.expect(t)
}

// TestSlowReaderBoundsBothSidesReport61 sends a hundred times what the link holds
// to somebody who reads a little now and then.
func TestSlowReaderBoundsBothSidesReport61(t *testing.T) {
	const size = 64 << 10
	a, b := pair(t, Size(size))
	var sent atomic.Int64
	done := make(chan error, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	shared := sharedMemory(t)
	go func() {
		p := make([]byte, 1000)
		for range 100 * size / len(p) {
			if err := a.Send(p); err != nil {
				done <- err
				return
			}
			sent.Add(int64(len(p)))
		}
		done <- a.Close()
	}()
	for read := int64(0); ; {
		p, err := b.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		// What is sent and not read lies in the ring; the message being
		// counted may be read before it counts.
		if ahead := sent.Load() - read; ahead > size {
			t.Fatalf("%d bytes are on their way, the link holds %d", ahead, size)
		}
		read += int64(len(p))
		if read%50_000 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	if grown := sharedMemory(t) - shared; grown > 64<<20 {
		t.Errorf("shared memory grew by %d bytes", grown)
	}
}

// TestExhaustedLinkHoldsNobodyUpReport62 fills a link: moving answers at once,
// waiting can be broken off, and with room all goes on.
func TestExhaustedLinkHoldsNobodyUpReport62(t *testing.T) {
	a, b := pair(t, Size(4096))
	for a.Reserve(1000) != nil {
		if err := a.Commit(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if a.Reserve(1000) != nil || !errors.Is(a.Commit(make([]byte, 1000)), tenon.ErrFull) {
			t.Fatal("there is room all at once")
		}
		a.InterruptSend()
		if err := a.WaitSend(1000); err != tenon.ErrInterrupted {
			t.Fatal(err)
		}
	}
	for p := []byte{0}; p != nil; {
		var err error
		if p, err = b.TryRecv(); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.WaitSend(1000); err != nil || a.Reserve(1000) == nil {
		t.Fatal("no room: ", err)
	}
}

// TestKilledPairsLeaveNoMemoryReport52 kills parent and child 30 times and more;
// had their memory stayed, it would be 240 MiB.
func TestKilledPairsLeaveNoMemoryReport52(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	before := sharedMemory(t)
	rounds := 30
	if soak {
		rounds = 1000
	}
	for range rounds {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		parent := exec.Command(exe)
		parent.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", roleVariable+"=parent", "TENON_SHM_TEST_SIZE=4194304")
		parent.ExtraFiles = []*os.File{w}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if _, err := r.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		parent.Process.Kill()
		parent.Wait()
		io.Copy(io.Discard, r) // until the orphan is gone too
		r.Close()
	}
	if grown := sharedMemory(t) - before; grown > 150<<20 {
		t.Fatalf("%d MiB of shared memory are left", grown>>20)
	}
}

// sharedMemory returns the bytes of shared memory in use on this machine.
func sharedMemory(t *testing.T) int {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kib int
		if _, err := fmt.Sscanf(s.Text(), "Shmem: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	t.Skip("no Shmem in /proc/meminfo")
	return 0
}

// TestForeignProcessesInheritNothingReport24 starts other programs while links
// come and go: they hold their own descriptors and no more.
func TestForeignProcessesInheritNothingReport24(t *testing.T) {
	l := mustListen(t, someName(t))
	link, peer, err := Create(Size(4096))
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	defer peer.Close()
	stop := make(chan struct{})
	var links sync.WaitGroup
	links.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if a, b, err := Pair(Size(4096)); err == nil {
				a.Close()
				b.Close()
			}
			a, b := meet(t, l)
			a.Close()
			b.Close()
		}
	})
	for range 30 {
		out, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
		if err != nil {
			t.Skip(err)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "tenon-shm") || strings.Contains(line, "socket:") {
				t.Errorf("inherited: %s", line)
			}
		}
	}
	close(stop)
	links.Wait()
}

func TestCommitTakesOnlyItsReservation(t *testing.T) {
	a, b := pair(t, Size(4096))
	room := append(a.Reserve(10), "0123456789"...)
	if err := a.Commit(room[2:]); err == nil {
		t.Error("took a slice that starts later than the reservation")
	}
	if err := a.Commit(append(a.Reserve(4), "moved out of the ring"...)); err != nil {
		t.Error(err)
	}
	if err := a.Commit(make([]byte, a.MaxReserve()+1)); err == nil {
		t.Error("took more than MaxReserve")
	}
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	if p, err := b.Recv(); err != nil || string(p) != "moved out of the ring" {
		t.Fatalf("%q, %v", p, err)
	}
	if p, err := b.TryRecv(); p != nil || err != nil {
		t.Fatalf("%q, %v", p, err)
	}
}
