package ring

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
)

var soak = os.Getenv("TENON_SOAK") == "1"

func stressMessages() int {
	switch {
	case soak:
		return 5_000_000
	case raceEnabled || testing.Short():
		return 20_000
	default:
		return 200_000
	}
}

// feed writes n messages of random length: number, checksum, random bytes.
func feed(w *Writer, n int) error {
	rnd := rand.New(rand.NewPCG(uint64(n), 5))
	noise := make([]byte, 1<<16)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	p := make([]byte, w.MaxRecord())
	ctx := context.Background()
	for i := range n {
		length := 12 + rnd.IntN(200)
		if rnd.IntN(16) == 0 {
			length = 12 + rnd.IntN(len(p)-11)
		}
		p := p[:length]
		copy(p[12:], noise[rnd.IntN(1000):])
		binary.LittleEndian.PutUint64(p, uint64(i))
		binary.LittleEndian.PutUint32(p[8:], crc32.ChecksumIEEE(p[12:]))
		if err := w.Write(ctx, p); err != nil {
			return err
		}
		if rnd.IntN(8) == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if rnd.IntN(1000) == 0 {
			runtime.Gosched()
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return w.Close()
}

// verify reads until the end and checks that n messages came whole and in order.
func verify(r *Reader, n int) error {
	for i := 0; ; i++ {
		p, err := r.Read(context.Background())
		if err == io.EOF {
			if i != n {
				return fmt.Errorf("%d of %d messages arrived", i, n)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if len(p) < 12 || binary.LittleEndian.Uint64(p) != uint64(i) || binary.LittleEndian.Uint32(p[8:]) != crc32.ChecksumIEEE(p[12:]) {
			return fmt.Errorf("message %d of %d bytes is damaged", i, len(p))
		}
	}
}

func TestChecksummedStressBetweenGoroutines(t *testing.T) {
	for _, spin := range []Option{Spin(0), func(*options) {}} {
		w, r := pair(t, MinCapacity, spin)
		n := stressMessages()
		fed := make(chan error, 1)
		go func() { fed <- feed(w, n) }()
		if err := verify(r, n); err != nil {
			t.Fatal(err)
		}
		if err := <-fed; err != nil {
			t.Fatal(err)
		}
	}
}

// TestIndexesPassTheirEnd begins just below 2^32.
func TestIndexesPassTheirEnd(t *testing.T) {
	mem, err := Alloc(MinCapacity)
	if err != nil {
		t.Fatal(err)
	}
	start := ^uint32(0) - 2*MinCapacity + 1
	for _, at := range []int{128, 256} {
		binary.LittleEndian.PutUint32(mem[at:], start)
	}
	w, err := NewWriter(mem)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(mem)
	if err != nil {
		t.Fatal(err)
	}
	fed := make(chan error, 1)
	go func() { fed <- feed(w, 1000) }()
	if err := errors.Join(verify(r, 1000), <-fed); err != nil {
		t.Fatal(err)
	}
}

// TestWriterNeverLapsItsReader fills the ring while nobody reads, and again.
func TestWriterNeverLapsItsReader(t *testing.T) {
	w, r := pair(t, MinCapacity)
	sent, read := 0, 0
	for range 50 {
		for {
			ok, err := w.TryWrite(binary.LittleEndian.AppendUint64(nil, uint64(sent)))
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			sent++
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		for range 1 + read%300 {
			p, err := r.TryRead()
			if err != nil {
				t.Fatal(err)
			}
			if p == nil {
				break
			}
			if got := binary.LittleEndian.Uint64(p); got != uint64(read) {
				t.Fatalf("read %d, want %d", got, read)
			}
			read++
		}
	}
	if laps := sent / (MinCapacity / 16); laps < 10 {
		t.Fatalf("only %d laps", laps)
	}
}

// TestLentMessageIsNotOverwritten holds each message while the writer takes all
// the room that it believes to have.
func TestLentMessageIsNotOverwritten(t *testing.T) {
	w, r := pair(t, MinCapacity)
	sent := 0
	fillUp := func() {
		for {
			p := bytes.Repeat([]byte{byte(sent)}, 100+sent%50)
			if ok, err := w.TryWrite(p); err != nil {
				t.Fatal(err)
			} else if !ok {
				break
			}
			sent++
		}
		w.Flush()
	}
	fillUp()
	for i := range 1000 {
		p, err := r.TryRead()
		if err != nil {
			t.Fatal(err)
		}
		fillUp()
		if !bytes.Equal(p, bytes.Repeat([]byte{byte(i)}, 100+i%50)) {
			t.Fatalf("message %d was overwritten while it was lent out", i)
		}
	}
}
