package worker

import "bytes"

// cutMark ends a piece of a line that was too long to be kept in one.
const cutMark = " [cut: the line goes on]"

// A cutter cuts a stream of bytes into lines.
type cutter struct {
	emit func(line []byte)
	rest []byte // the beginning of a line whose end has not come yet
}

func (c *cutter) write(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		end := i
		if i < 0 {
			end = len(p)
		}
		if room := maxLine - len(c.rest); end > room {
			c.rest = append(c.rest, p[:room]...)
			p = p[room:]
			c.emit(append(c.rest, cutMark...))
			c.rest = c.rest[:0]
			continue
		}
		if i >= 0 && len(c.rest) == 0 {
			c.emit(p[:end])
		} else {
			c.rest = append(c.rest, p[:end]...)
			if i >= 0 {
				c.emit(c.rest)
				c.rest = c.rest[:0]
			}
		}
		if i < 0 {
			return
		}
		p = p[i+1:]
	}
}

// flush delivers a last line that has no newline.
func (c *cutter) flush() {
	if len(c.rest) > 0 {
		c.emit(c.rest)
		c.rest = nil
	}
}
