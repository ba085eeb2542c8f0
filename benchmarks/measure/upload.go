package measure

import (
	"context"
	"time"

	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// upload sends arguments of a size again and again and returns GB/s.
func upload(ctx context.Context, c peer.Client, size int, each time.Duration) (float64, error) {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * 7)
	}
	send := func() error {
		if n, err := c.Upload(ctx, data); err != nil || n != size {
			return wrong("Upload", err)
		}
		return nil
	}
	if err := warm(each/4, send); err != nil {
		return 0, err
	}
	settle()
	begin := time.Now()
	n := 0
	for took := time.Duration(0); n < 3 || took < each; took = time.Since(begin) {
		if err := send(); err != nil {
			return 0, err
		}
		n++
	}
	return float64(n*size) / float64(time.Since(begin).Nanoseconds()), nil
}
