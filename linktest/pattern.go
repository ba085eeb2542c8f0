package linktest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A pattern is an endless stream of bytes in which each place can be told from
// every other, so that a wrong byte says where it really belongs.
type pattern uint64

func (s pattern) word(i uint64) uint64 { // splitmix64
	z := uint64(s) + (i+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// fill writes the bytes from offset on into p, block by block: the race detector
// looks at each copy.
func (s pattern) fill(p []byte, offset int64) {
	var block [1024]byte
	for len(p) > 0 {
		skip := int(offset % 8)
		words := block[:min(len(block), (skip+len(p)+7)&^7)]
		s.write(words, uint64(offset)/8)
		n := copy(p, words[skip:])
		p = p[n:]
		offset += int64(n)
	}
}

// write writes the words from the one with this index on. The race detector, for
// which each byte would be a write, need not look: words belongs to fill.
//
//go:norace
func (s pattern) write(words []byte, index uint64) {
	for ; len(words) >= 8; words = words[8:] {
		binary.LittleEndian.PutUint64(words, s.word(index))
		index++
	}
}

// A reader of a pattern checks what arrives.
type patternReader struct {
	pattern pattern
	offset  int64
	want    []byte
}

// check reports how p differs from the stream at this place and moves on.
func (r *patternReader) check(p []byte) error {
	if cap(r.want) < len(p) {
		r.want = make([]byte, len(p))
	}
	want := r.want[:len(p)]
	r.pattern.fill(want, r.offset)
	if !bytes.Equal(p, want) {
		i := 0
		for p[i] == want[i] {
			i++
		}
		return r.explain(p, i)
	}
	r.offset += int64(len(p))
	return nil
}

func (r *patternReader) explain(p []byte, i int) error {
	at := r.offset + int64(i)
	err := fmt.Errorf("byte %d of the stream is wrong (byte %d of a chunk of %d)", at, i, len(p))
	found := p[i:min(i+16, len(p))]
	if len(found) < 8 {
		return err
	}
	const around = 1 << 20
	from := max(0, at-around)
	window := make([]byte, 2*around)
	r.pattern.fill(window, from)
	place := bytes.Index(window, found)
	if place < 0 {
		return fmt.Errorf("%w: it belongs nowhere near", err)
	}
	switch real := from + int64(place); {
	case real > at:
		return fmt.Errorf("%w: it is byte %d, so %d bytes were lost or come later", err, real, real-at)
	default:
		return fmt.Errorf("%w: it is byte %d, which has been there before", err, real)
	}
}

// drain receives and checks until total bytes have arrived.
func (r *patternReader) drain(recv func() ([]byte, error), total int64) error {
	for r.offset < total {
		p, err := recv()
		if err != nil {
			return fmt.Errorf("after %d of %d bytes: %w", r.offset, total, err)
		}
		if len(p) == 0 {
			return errors.New("Recv returned no byte and no error")
		}
		if err := r.check(p); err != nil {
			return err
		}
	}
	if r.offset > total {
		return fmt.Errorf("%d bytes arrived, only %d were sent", r.offset, total)
	}
	return nil
}

// drainToEnd receives and checks until the link ends with io.EOF and tells
// whether that was after total bytes.
func (r *patternReader) drainToEnd(recv func() ([]byte, error), total int64) error {
	if err := r.drain(recv, total); err != nil {
		return err
	}
	p, err := recv()
	if err != io.EOF {
		return fmt.Errorf("after the last byte: got %d bytes and error %v, want io.EOF", len(p), err)
	}
	return nil
}
