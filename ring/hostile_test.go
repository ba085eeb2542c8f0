package ring

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// A victim is both sides of a ring whose memory somebody else owns too. It lies
// between guards, which nobody may touch.
type victim struct {
	t    *testing.T
	all  []byte
	mem  []byte
	w    *Writer
	r    *Reader
	rerr error
}

const guard = 4096

func newVictim(t *testing.T) *victim {
	size := MemorySize(MinCapacity)
	words := make([]uint64, (size+2*guard)/8)
	all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	for i := range all {
		all[i] = 0xA5
	}
	v := &victim{t: t, all: all, mem: all[guard : guard+size : guard+size]}
	if err := Format(v.mem); err != nil {
		t.Fatal(err)
	}
	var err error
	if v.w, err = NewWriter(v.mem); err != nil {
		t.Fatal(err)
	}
	if v.r, err = NewReader(v.mem); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *victim) check() {
	v.t.Helper()
	for _, g := range [][]byte{v.all[:guard], v.all[len(v.all)-guard:]} {
		if len(bytes.TrimLeft(g, "\xA5")) != 0 {
			v.t.Fatal("wrote outside the ring")
		}
	}
}

// play runs a program: each step is four bytes, an operation and its argument.
// Half of the operations are the hostile peer's.
func (v *victim) play(program []byte) {
	for len(program) >= 4 {
		op, x, y := program[0], program[1], binary.LittleEndian.Uint16(program[2:])
		program = program[4:]
		switch op % 12 {
		case 0: // any word becomes anything
			binary.LittleEndian.PutUint32(v.mem[int(y)*4%len(v.mem):], uint32(x)*0x01010101)
		case 1: // a shared word moves a little
			word := v.words()[int(x)%8]
			word.Add(uint32(int32(int16(y))))
		case 2: // a shared word moves by whole units
			word := v.words()[int(x)%8]
			word.Add(uint32(int32(int8(x))) * 8)
		case 3: // the record that comes next is changed
			at := HeaderSize + int(v.r.next&v.r.mask)
			binary.LittleEndian.PutUint32(v.mem[at:], uint32(int32(int16(y))))
		case 4:
			at := HeaderSize + int(v.r.next&v.r.mask)
			binary.LittleEndian.PutUint32(v.mem[at+4:], uint32(x)%4)
		case 5, 6:
			p, err := v.r.TryRead()
			v.lent(p)
			if v.rerr != nil && !errors.Is(err, v.rerr) {
				v.t.Fatalf("%v was not final: %v", v.rerr, err)
			}
			if errors.Is(err, ErrCorrupt) {
				v.rerr = err
			}
		case 7:
			v.w.TryWrite(make([]byte, int(y)%(MinCapacity/2)))
		case 8:
			if b := v.w.Reserve(int(y) % (MinCapacity / 2)); b != nil {
				v.lent(b[:cap(b)])
				v.w.Commit(b[:int(x)%(cap(b)+1)])
			}
		case 9:
			v.w.Flush()
		case 10:
			v.r.Ready()
			v.r.Arm()
			v.r.Disarm()
			v.r.Buffered()
			v.w.Available()
		case 11:
			v.r.Drain(func(p []byte) bool { v.lent(p); return x&1 == 0 })
		}
	}
	v.check()
}

func (v *victim) words() [8]*atomic.Uint32 {
	h := v.r.h
	return [8]*atomic.Uint32{&h.head, &h.tail, &h.head, &h.tail, &h.readerSleeps, &h.writerSleeps, &h.readerWake, &h.capacity}
}

// lent reads all of p, which must lie in the ring's data.
func (v *victim) lent(p []byte) {
	if len(p) == 0 {
		return
	}
	data := v.mem[HeaderSize:]
	off := uintptr(unsafe.Pointer(&p[0])) - uintptr(unsafe.Pointer(&data[0]))
	if off >= uintptr(len(data)) || off+uintptr(cap(p)) > uintptr(len(data)) {
		v.t.Fatalf("lent out memory at %d, %d bytes, of %d", off, cap(p), len(data))
	}
}

func TestHostileMemoryGivesErrCorrupt(t *testing.T) {
	rounds := 10_000 // of 64 steps, five of twelve of them the peer's: a quarter of a million mutations
	if soak {
		rounds *= 200
	} else if testing.Short() || raceEnabled {
		rounds = 2_000
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	program := make([]byte, 4*64)
	corrupt, slowest := 0, time.Duration(0)
	for range rounds {
		for i := range program {
			program[i] = byte(rnd.Uint32())
		}
		v := newVictim(t)
		begun := time.Now()
		v.play(program)
		slowest = max(slowest, time.Since(begun))
		if v.rerr != nil {
			corrupt++
		}
	}
	if slowest > time.Second {
		t.Errorf("a round took %v", slowest)
	}
	if corrupt < rounds/10 {
		t.Fatalf("only %d of %d rounds met corrupt memory: the test does not attack", corrupt, rounds)
	}
}

func FuzzHostileMemory(f *testing.F) {
	f.Add([]byte{7, 0, 10, 0, 9, 0, 0, 0, 5, 0, 0, 0})
	f.Add([]byte{7, 0, 255, 7, 9, 0, 0, 0, 3, 0, 255, 127, 5, 0, 0, 0})
	f.Add([]byte{1, 0, 8, 0, 5, 0, 0, 0})
	f.Fuzz(func(t *testing.T, program []byte) { newVictim(t).play(program) })
}

// TestHostilePeerCannotHoldAWait has a peer that takes back every wake-up while
// both sides wait: an interrupt and a context still end each wait.
func TestHostilePeerCannotHoldAWait(t *testing.T) {
	full, empty := newVictim(t), newVictim(t)
	for ok := true; ok; {
		ok, _ = full.w.TryWrite(make([]byte, 500))
	}
	stop := make(chan struct{})
	var attackers sync.WaitGroup
	for _, h := range []*header{full.r.h, empty.r.h} {
		attackers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				h.readerWake.Store(0)
				h.writerWake.Store(0)
				h.readerSleeps.Store(rand.Uint32N(3))
				h.writerSleeps.Store(rand.Uint32N(3))
				runtime.Gosched()
			}
		})
	}
	begun := time.Now()
	var waits sync.WaitGroup
	waits.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := full.w.Write(ctx, make([]byte, 500)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Write: %v", err)
		}
		go full.w.Interrupt()
		if err := full.w.Write(context.Background(), make([]byte, 500)); !errors.Is(err, ErrInterrupted) {
			t.Errorf("Write: %v", err)
		}
	})
	waits.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if _, err := empty.r.Read(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Read: %v", err)
		}
		go empty.r.Interrupt()
		if _, err := empty.r.Read(context.Background()); !errors.Is(err, ErrInterrupted) {
			t.Errorf("Read: %v", err)
		}
	})
	waits.Wait()
	close(stop)
	attackers.Wait()
	if d := time.Since(begun); d > 20*time.Second {
		t.Fatalf("the waits were held for %v", d)
	}
}

func TestOpenRefusesWhatIsNoRing(t *testing.T) {
	good, err := Alloc(MinCapacity)
	if err != nil {
		t.Fatal(err)
	}
	broken := func(change func(mem []byte)) []byte {
		mem, _ := Alloc(MinCapacity)
		change(mem)
		return mem
	}
	put := func(at int, v uint32) []byte {
		return broken(func(mem []byte) { binary.LittleEndian.PutUint32(mem[at:], v) })
	}
	for name, mem := range map[string][]byte{
		"nothing":        nil,
		"too short":      good[:100],
		"odd length":     good[:len(good)-8],
		"unaligned":      append(make([]byte, 0, len(good)+9), good...)[:len(good)],
		"magic":          put(0, 1),
		"version":        put(4, 99),
		"capacity":       put(8, 8192),
		"head too far":   put(128, MinCapacity+8),
		"head unaligned": put(128, 4),
		"tail ahead":     put(256, 8),
	} {
		if name == "unaligned" {
			big := make([]uint64, (len(good)+8)/8)
			mem = unsafe.Slice((*byte)(unsafe.Pointer(&big[0])), len(good)+8)[4 : len(good)+4]
			copy(mem, good)
		}
		if _, err := NewReader(mem); err == nil {
			t.Errorf("%s: NewReader took it", name)
		}
		if _, err := NewWriter(mem); err == nil {
			t.Errorf("%s: NewWriter took it", name)
		}
	}
}

func TestAnySizeThatMemorySizeNamesIsTaken(t *testing.T) {
	for _, capacity := range []int{1, MinCapacity - 1, 5000, 8192, 8193} {
		mem, err := Alloc(capacity)
		if err != nil || len(mem) != MemorySize(capacity) || len(mem) < HeaderSize+capacity {
			t.Errorf("%d: %d bytes, MemorySize %d, %v", capacity, len(mem), MemorySize(capacity), err)
		}
		if err := Format(mem); err != nil {
			t.Errorf("%d: %v", capacity, err)
		}
	}
	for _, capacity := range []int{-1, 0, MaxCapacity + 1} {
		if _, err := Alloc(capacity); err == nil || !strings.Contains(err.Error(), "want 1 to") {
			t.Errorf("%d: %v", capacity, err)
		}
	}
	if err := Format(make([]byte, MemorySize(MaxCapacity+1)-MaxCapacity)); err == nil {
		t.Error("Format took a capacity of 1")
	}
}
