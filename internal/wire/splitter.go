package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A Splitter cuts chunks, whose borders carry no meaning, into frames. The zero
// value is ready. It belongs to one goroutine at a time.
type Splitter struct {
	chunk []byte // what is left of the last chunk
	part  []byte // a frame that a chunk border cut
	held  bool   // the frame last returned lies in part
}

// Feed hands over the next chunk. All frames of the one before must have been
// taken (Next returned false).
func (s *Splitter) Feed(chunk []byte) { s.chunk = chunk }

// Next returns the next whole frame; false when more bytes are needed. An error
// means that the peer does not speak this protocol and the stream is lost.
func (s *Splitter) Next() (Frame, bool, error) {
	if s.held {
		s.held = false
		s.part = s.part[:0]
		if cap(s.part) > 4<<10 {
			s.part = nil // an idle connection keeps no large buffer
		}
	}
	if len(s.part) > 0 || len(s.chunk) < HeaderSize {
		return s.join()
	}
	size, err := frameSize(s.chunk)
	if err != nil {
		return Frame{}, false, err
	}
	if size > len(s.chunk) {
		return s.join()
	}
	frame := s.chunk[:size:size]
	s.chunk = s.chunk[size:]
	return Frame{parseHeader(frame), frame[HeaderSize:]}, true, nil
}

// join completes a frame that lies in several chunks.
func (s *Splitter) join() (Frame, bool, error) {
	if !s.fill(HeaderSize) {
		return Frame{}, false, nil
	}
	size, err := frameSize(s.part)
	if err != nil {
		return Frame{}, false, err
	}
	if !s.fill(size) {
		return Frame{}, false, nil
	}
	s.held = true
	return Frame{parseHeader(s.part), s.part[HeaderSize:size:size]}, true, nil
}

// fill moves bytes from the chunk into part until part has n.
func (s *Splitter) fill(n int) bool {
	take := min(max(n-len(s.part), 0), len(s.chunk))
	s.part = append(s.part, s.chunk[:take]...)
	s.chunk = s.chunk[take:]
	return len(s.part) >= n
}

// Rest returns a copy of the bytes that were fed and not yet returned as frames.
func (s *Splitter) Rest() []byte {
	if s.held {
		return bytes.Clone(s.chunk)
	}
	return append(bytes.Clone(s.part), s.chunk...)
}

// Fed reports whether there may be a frame: bytes that Next has not seen.
func (s *Splitter) Fed() bool { return len(s.chunk) > 0 }

// More reports whether Next has another whole frame in the last chunk.
func (s *Splitter) More() bool {
	if len(s.chunk) < HeaderSize || len(s.part) > 0 && !s.held {
		return false
	}
	return int64(binary.LittleEndian.Uint32(s.chunk)) <= int64(len(s.chunk))
}

// Partial reports whether the stream stops inside a frame.
func (s *Splitter) Partial() bool { return len(s.part) > 0 && !s.held }

func frameSize(b []byte) (int, error) {
	size := binary.LittleEndian.Uint32(b)
	if size < HeaderSize || size > MaxFrame {
		return 0, fmt.Errorf("wire: frame of %d bytes, allowed are %d to %d: the peer does not speak tenon's protocol", size, HeaderSize, MaxFrame)
	}
	return int(size), nil
}
