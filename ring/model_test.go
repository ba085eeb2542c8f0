package ring

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

func pair(t testing.TB, capacity int, opts ...Option) (*Writer, *Reader) {
	t.Helper()
	mem, err := Alloc(capacity)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(mem, opts...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(mem, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return w, r
}

// TestModelReport64 drives a ring and a plain queue with the same random
// operations: sizes from nothing to three times the ring, every offset, wrap.
func TestModelReport64(t *testing.T) {
	const capacity = MinCapacity
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 64))
		w, r := pair(t, capacity)
		var committed, visible [][]byte
		for range 4_000 {
			switch rnd.IntN(6) {
			case 0, 1, 2: // write
				p := randomMessage(rnd, capacity)
				var ok bool
				var err error
				switch rnd.IntN(3) {
				case 0:
					ok, err = w.TryWrite(p)
				case 1:
					err = w.Commit(p)
					ok = err == nil
				default:
					ok, err = reserveAndCommit(w, rnd, p)
				}
				if errors.Is(err, ErrFull) {
					err = nil
				}
				if tooLarge := len(p) > w.MaxRecord(); tooLarge != errors.Is(err, ErrTooLarge) || !tooLarge && err != nil {
					t.Fatalf("seed %d: %d bytes: %v", seed, len(p), err)
				}
				if !ok && len(p) <= w.MaxRecord() && len(committed)+len(visible) == 0 {
					r.TryRead() // gives back the last message
					if ok, err = w.TryWrite(p); !ok {
						t.Fatalf("seed %d: an empty ring refused %d bytes: %v", seed, len(p), err)
					}
				}
				if ok {
					committed = append(committed, p)
				}
			case 3:
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
				visible = append(visible, committed...)
				committed = committed[:0:0]
			default:
				p, err := r.TryRead()
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if (p == nil) != (len(visible) == 0) {
					t.Fatalf("seed %d: read %v with %d visible", seed, p == nil, len(visible))
				}
				if p != nil {
					if !bytes.Equal(p, visible[0]) {
						t.Fatalf("seed %d: read %d bytes, want %d others", seed, len(p), len(visible[0]))
					}
					visible = visible[1:]
				}
			}
		}
	}
}

func randomMessage(rnd *rand.Rand, capacity int) []byte {
	var n int
	switch rnd.IntN(4) {
	case 0:
		n = rnd.IntN(40)
	case 1:
		n = rnd.IntN(capacity / 2)
	case 2:
		n = capacity/2 - 8 - rnd.IntN(3) + 1
	default:
		n = rnd.IntN(3 * capacity)
	}
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(rnd.Uint32())
	}
	return p
}

// reserveAndCommit reserves less, as much, or more than it then appends.
func reserveAndCommit(w *Writer, rnd *rand.Rand, p []byte) (bool, error) {
	reserve := len(p)
	if rnd.IntN(2) == 0 {
		reserve = rnd.IntN(w.MaxRecord() + 1)
	}
	b := w.Reserve(reserve)
	if b == nil {
		if len(p) > w.MaxRecord() {
			return false, w.Commit(p)
		}
		return false, nil
	}
	err := w.Commit(append(b, p...))
	return err == nil, err
}

func TestReadWaitsForFlush(t *testing.T) {
	w, r := pair(t, MinCapacity)
	go func() {
		w.Write(context.Background(), []byte("hello"))
		w.Flush()
	}()
	p, err := r.Read(context.Background())
	if err != nil || string(p) != "hello" {
		t.Fatalf("%q, %v", p, err)
	}
}

// TestEverySizeAtEveryOffsetReport64 sends each size from each place of a small
// ring, with another message behind it, and is refused those above the maximum.
func TestEverySizeAtEveryOffsetReport64(t *testing.T) {
	const capacity = MinCapacity
	step := 1
	if raceEnabled || testing.Short() {
		step = 37
	}
	w, r := pair(t, capacity)
	noise := make([]byte, capacity)
	rnd := rand.New(rand.NewPCG(6, 4))
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	next := []byte("next")
	for at := uint32(0); at < capacity; at += 8 {
		for size := 0; size <= w.MaxRecord(); size += step {
			w.head, w.published, w.tail = at, at, at
			r.tail, r.next, r.head, r.returned = at, at, at, at
			w.h.head.Store(at)
			w.h.tail.Store(at)
			p := noise[size%7:][:size]
			for _, p := range [][]byte{p, next} {
				if ok, err := w.TryWrite(p); err != nil || !ok && len(p) == size {
					t.Fatalf("%d bytes at %d: %v, %v", size, at, ok, err)
				} else if !ok {
					continue // after the longest ones nothing has room
				}
				w.Flush()
				got, err := r.TryRead()
				if err != nil || len(got) != len(p) || crc32.ChecksumIEEE(got) != crc32.ChecksumIEEE(p) {
					t.Fatalf("%d bytes at %d: %v", size, at, err)
				}
			}
		}
	}
	for size := w.MaxRecord() + 1; size <= 3*capacity+1; size++ {
		if _, err := w.TryWrite(make([]byte, size)); !errors.Is(err, ErrTooLarge) {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
}
