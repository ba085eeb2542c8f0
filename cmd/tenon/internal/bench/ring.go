package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/tenon-go/tenon/cmd/tenon/internal/bench/contract"
	"github.com/tenon-go/tenon/ring"
	"github.com/tenon-go/tenon/worker"
)

const (
	// ringCapacity is the size of the ring in bytes.
	ringCapacity = 8 << 20
	// ringBatch is how many messages are published at once.
	ringBatch = 32
)

// ringWriter is the other side's end of the ring.
type ringWriter struct{ *ring.Writer }

func (w *ringWriter) write(ctx context.Context, size, count int) error {
	message := make([]byte, size)
	for i := 1; i <= count; i++ {
		if err := w.Write(ctx, message); err != nil {
			return err
		}
		if i%ringBatch == 0 || i == count {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureRing has another process write messages into a ring in memory that both
// see, and reads and copies them here.
func measureRing(ctx context.Context, t trial, size int) (figures, error) {
	file, memory, unmap, err := newRingMemory()
	if err != nil {
		return figures{}, err
	}
	defer unmap()
	defer file.Close()
	reader, err := ring.NewReader(memory)
	if err != nil {
		return figures{}, err
	}
	w, err := startWorker(ctx, worker.UnixSocket, worker.Files(file))
	if err != nil {
		return figures{}, err
	}
	defer end(ctx, w)
	control := contract.NewControlClient(w)
	t.side = &side{control: control}

	// As many messages as fill the time at the rate that was measured last; at
	// first few, at 20 ns each and 10 GB/s.
	rate := 0.1 / (20e-9 + float64(size)*0.1e-9)
	return t.measure(ctx, func(d time.Duration, into *samples) (counted, error) {
		batches := max(least, int(rate*d.Seconds())/ringBatch)
		n, err := readRing(ctx, reader, control, size, batches, into)
		if err == nil {
			rate = float64(n.calls) / n.took.Seconds()
		}
		return n, err
	})
}

func readRing(ctx context.Context, r *ring.Reader, control contract.Control, size, batches int, into *samples) (n counted, err error) {
	written := make(chan error, 1)
	go func() {
		err := control.WriteRing(ctx, size, batches*ringBatch)
		if err != nil {
			r.End(err)
		}
		written <- err
	}()
	copied := make([]byte, size)
	begin := time.Now()
	for range batches {
		for range ringBatch {
			p, err := r.Read(ctx)
			if err != nil {
				return n, err
			}
			if len(p) != size {
				return n, fmt.Errorf("a message of %d bytes has %d", size, len(p))
			}
			copy(copied, p)
		}
		now := time.Since(begin)
		record(into, now-n.took)
		n.took = now
		n.calls += ringBatch
	}
	return n, <-written
}
