package tenon

import (
	"bytes"
	"errors"
	"io"
	"iter"
)

// readSize is how much ReadStream reads at once: a large value, so that it is
// copied only into the link.
const readSize = 64 << 10

// ReadStream returns what r has as a stream of pieces of 64 KiB at most, each of
// which belongs to whoever gets it and holds at most twice its size in memory. It
// ends at io.EOF, and with any other error of r. r is read while the stream is
// ranged over, and is not closed.
func ReadStream(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var buffer []byte
		for {
			if buffer == nil {
				buffer = make([]byte, readSize)
			}
			n, err := r.Read(buffer)
			piece := buffer[:n:n]
			if n < readSize/2 {
				piece = bytes.Clone(piece) // and the buffer is there for the next one
			} else {
				buffer = nil
			}
			if n > 0 && !yield(piece, nil) {
				return
			}
			if err != nil {
				if err != io.EOF {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// WriteStream writes the pieces of a stream to w and returns how many bytes those
// were, and the first error of either.
func WriteStream(w io.Writer, pieces iter.Seq2[[]byte, error]) (int64, error) {
	var written int64
	for piece, err := range pieces {
		if err != nil {
			return written, err
		}
		n, err := w.Write(piece)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// StreamReader returns a reader of what the pieces of a stream have. Its owner has
// to close it, which ends the stream; one goroutine at a time uses it.
func StreamReader(pieces iter.Seq2[[]byte, error]) io.ReadCloser {
	next, stop := iter.Pull2(pieces)
	return &streamReader{next: next, stop: stop}
}

type streamReader struct {
	next func() ([]byte, error, bool)
	stop func()
	rest []byte
	err  error
}

var errReaderClosed = errors.New("tenon: the reader of a stream is closed")

func (r *streamReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.err == nil && len(p) > 0 {
		piece, err, ok := r.next()
		switch {
		case !ok:
			r.err = io.EOF
		case err != nil:
			r.err = err
		default:
			r.rest = piece
		}
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *streamReader) Close() error {
	r.stop()
	if r.err == nil {
		r.err = errReaderClosed
	}
	r.rest = nil
	return nil
}
