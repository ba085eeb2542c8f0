package ring

import (
	"encoding/binary"
	"errors"
	"testing"
)

// TestEachLieIsCorrupt tells the reader, or the writer, one lie each.
func TestEachLieIsCorrupt(t *testing.T) {
	put := func(v *victim, at int, x uint32) { binary.LittleEndian.PutUint32(v.mem[at:], x) }
	const length, kind, head, tail = HeaderSize, HeaderSize + 4, 128, 256
	for name, c := range map[string]struct {
		lie    func(v *victim)
		writer bool
	}{
		"honest":                          {lie: func(v *victim) {}},
		"length beyond what is published": {lie: func(v *victim) { put(v, length, 200) }},
		"length beyond the data":          {lie: func(v *victim) { put(v, length, MinCapacity) }},
		"length that overflows":           {lie: func(v *victim) { put(v, length, ^uint32(0)) }},
		"unknown kind":                    {lie: func(v *victim) { put(v, kind, 3) }},
		"padding before the end":          {lie: func(v *victim) { put(v, kind, kindPadding) }},
		"padding without a record":        {lie: func(v *victim) { put(v, kind, kindPadding); put(v, length, MinCapacity-8); put(v, head, MinCapacity) }},
		"head too far":                    {lie: func(v *victim) { put(v, head, MinCapacity+8) }},
		"head unaligned":                  {lie: func(v *victim) { put(v, head, 12) }},
		"head behind the tail":            {lie: func(v *victim) { put(v, head, ^uint32(7)) }},
		"tail beyond what is published":   {lie: func(v *victim) { put(v, tail, 512) }, writer: true},
		"tail that goes back":             {lie: func(v *victim) { put(v, tail, ^uint32(7)) }, writer: true},
		"tail unaligned":                  {lie: func(v *victim) { put(v, tail, 4) }, writer: true},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			v.w.TryWrite(make([]byte, 100))
			if err := v.w.Flush(); err != nil {
				t.Fatal(err)
			}
			c.lie(v)
			ask := func() error {
				_, err := v.r.TryRead()
				return err
			}
			if c.writer {
				for range 2 {
					v.w.TryWrite(make([]byte, 1900))
				}
				ask = func() error {
					_, err := v.w.TryWrite(make([]byte, 1900))
					return err
				}
			}
			for range 2 { // final
				if err := ask(); errors.Is(err, ErrCorrupt) == (name == "honest") {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestTheReaderNoticesAForeignTail(t *testing.T) {
	v := newVictim(t)
	v.r.h.tail.Store(8)
	if _, err := v.r.TryRead(); !errors.Is(err, ErrCorrupt) {
		t.Fatal(err)
	}
}

// TestPaddingBeyondWhatIsPublishedIsCorrupt has old messages at the start of the
// data, which such a padding would deliver again.
func TestPaddingBeyondWhatIsPublishedIsCorrupt(t *testing.T) {
	v := newVictim(t)
	v.w.TryWrite(make([]byte, 1000))
	v.w.TryWrite(make([]byte, 1000))
	v.w.Flush()
	v.r.TryRead()
	v.r.TryRead()
	at := int(v.w.head)
	v.w.TryWrite(make([]byte, 100))
	v.w.Flush()
	binary.LittleEndian.PutUint32(v.mem[HeaderSize+at:], uint32(MinCapacity-at-recordHeader))
	binary.LittleEndian.PutUint32(v.mem[HeaderSize+at+4:], kindPadding)
	if p, err := v.r.TryRead(); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("%d bytes, %v", len(p), err)
	}
}
