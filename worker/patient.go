package worker

import (
	"errors"
	"os"
	"time"

	"github.com/tenon-go/tenon/internal/proc"
)

// breakRead makes a read of f that waits return with a timeout.
func breakRead(f *os.File) { _ = f.SetReadDeadline(time.Unix(1, 0)) }

// patient reads on after breakRead until nothing is left, and does not wait
// any more.
type patient struct {
	file   *os.File
	broken bool
}

func (p *patient) Read(b []byte) (int, error) {
	if !p.broken {
		n, err := p.file.Read(b)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		p.broken = true
		_ = p.file.SetReadDeadline(time.Time{})
	}
	n, err := proc.ReadNow(p.file, b)
	if n == 0 && err == nil {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}
