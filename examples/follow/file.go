package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxLine is where a line is cut that is longer, in bytes.
const maxLine = 1 << 20

// A file is a file that is followed by its name.
type file struct {
	name    string
	offset  int64 // of what is read next; AtEnd before the first look at the file
	open    *os.File
	rest    []byte // read, without a newline yet
	trouble string // what was said last of why it cannot be read
}

// read returns the lines that some of what is new in the file has, and notes. It
// returns nothing when nothing is new.
func (f *file) read() []Line {
	if f.open == nil {
		if lines := f.reopen(); f.open == nil || len(lines) > 0 {
			return lines
		}
	}
	for {
		block := make([]byte, 64<<10)
		n, err := f.open.ReadAt(block, f.offset)
		f.offset += int64(n)
		if lines := f.cut(block[:n]); len(lines) > 0 {
			return lines
		}
		switch {
		case err != nil && err != io.EOF:
			return f.inTrouble(err)
		case n == 0:
			return f.atEnd()
		}
	}
}

// cut returns the lines that are complete with block.
func (f *file) cut(block []byte) (lines []Line) {
	f.rest = append(f.rest, block...)
	for {
		line, rest, whole := bytes.Cut(f.rest, []byte("\n"))
		switch {
		case whole:
			f.rest = rest
		case len(f.rest) >= maxLine:
			line, f.rest = f.rest[:maxLine], f.rest[maxLine:]
		default:
			return lines
		}
		lines = append(lines, f.line(line))
	}
}

// line makes the line that ends where f.rest begins.
func (f *file) line(text []byte) Line {
	return Line{Text: string(text), Next: Position{f.name, f.offset - int64(len(f.rest))}}
}

func (f *file) note(format string, args ...any) Line {
	return Line{Text: fmt.Sprintf(format, args...), Note: true, Next: Position{f.name, f.offset - int64(len(f.rest))}}
}

// atEnd looks whether the file, which was read to its end, was cut short or
// replaced.
func (f *file) atEnd() []Line {
	named, missing := os.Stat(f.name)
	ours, err := f.open.Stat() // after named: what is written before a file is replaced is read
	switch {
	case err != nil:
		return f.inTrouble(err)
	case ours.Size() < f.offset:
		f.offset, f.rest = 0, nil
		return []Line{f.note("was cut short; from its beginning")}
	case ours.Size() > f.offset, missing == nil && os.SameFile(ours, named):
		return nil
	}
	var last []Line
	if text := f.rest; len(text) > 0 {
		f.rest = nil
		last = append(last, f.line(text)) // it stays without a newline
	}
	f.close()
	f.offset = 0
	if missing != nil {
		return append(last, f.inTrouble(missing)...)
	}
	return append(last, f.note("was replaced; on in the new one"))
}

// reopen opens the file, if it is there.
func (f *file) reopen() []Line {
	info, err := os.Stat(f.name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	var opened *os.File
	if err == nil {
		opened, err = os.Open(f.name)
	}
	if err != nil {
		if f.offset == AtEnd {
			f.offset = 0 // all of it is new, once it is there
		}
		return f.inTrouble(err)
	}
	f.open = opened
	if f.offset == AtEnd {
		f.offset = info.Size()
	}
	if f.trouble == "" {
		return nil
	}
	f.trouble = ""
	return []Line{f.note("is there")}
}

// inTrouble says why the file cannot be read, if that is new. It is tried again.
func (f *file) inTrouble(err error) []Line {
	f.close()
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	if f.trouble == err.Error() {
		return nil
	}
	f.trouble = err.Error()
	return []Line{f.note("cannot be read: %v; waiting for it", err)}
}

func (f *file) close() {
	if f.open != nil {
		f.open.Close()
		f.open = nil
	}
}
