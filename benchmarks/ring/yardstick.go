package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
)

// All yardsticks but the channels use a ring of so many bytes and publish so
// many messages at once.
const (
	capacity = 8 << 20
	batch    = 32
)

var sizes = []int{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10}

// A yardstick is one way to bring messages from a writer to a reader.
type yardstick struct {
	name, about, kind string
	version           string

	missing error // why it cannot be measured here
	measure func(context.Context, work) (time.Duration, error)
}

// A work is what a writer writes and a reader reads: timed messages of size
// bytes, with skip of them before and skip behind, so that both sides are busy
// as long as the reader's clock runs.
type work struct{ skip, timed, size int }

func newWork(timed, size int) work { return work{timed/4 + 1, timed, size} }

func (w work) total() int { return w.skip + w.timed + w.skip }

func (w work) args() []string {
	return []string{fmt.Sprint(w.skip), fmt.Sprint(w.timed), fmt.Sprint(w.size)}
}

func yardsticks(ctx context.Context, dir string) []yardstick {
	cpp, node := spsc(ctx, dir), seed(ctx, dir)
	list := tenonRings()
	list = append(list, cpp...)
	return append(list, node, channels())
}

// Each message has its number in its first and in its last four bytes. The
// readers check both and the length, so that a message that is lost, doubled,
// torn or late ends the measurement.

func stamp(p []byte, number int) {
	binary.LittleEndian.PutUint32(p, uint32(number))
	binary.LittleEndian.PutUint32(p[len(p)-4:], uint32(number))
}

func check(p []byte, size, number int) error {
	if len(p) != size {
		return fmt.Errorf("message %d has %d bytes, not %d", number, len(p), size)
	}
	first, last := binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[len(p)-4:])
	if first != uint32(number) || last != uint32(number) {
		return fmt.Errorf("message %d is numbered %d and %d", number, first, last)
	}
	return nil
}

// timed calls read for each message of the work and times the middle.
func timed(w work, read func(number int) error) (time.Duration, error) {
	span := func(from, to int) error {
		for number := from; number < to; number++ {
			if err := read(number); err != nil {
				return err
			}
		}
		return nil
	}
	if err := span(0, w.skip); err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := span(w.skip, w.skip+w.timed); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	return took, span(w.skip+w.timed, w.total())
}
