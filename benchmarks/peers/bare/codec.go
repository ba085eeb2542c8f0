package bare

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

func appendInt(b []byte, v int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v)) }

func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

func appendUser(b []byte, u *contract.User) []byte {
	b = appendInt(b, u.ID)
	b = appendText(b, u.Name)
	b = appendText(b, u.Email)
	b = binary.LittleEndian.AppendUint32(b, uint32(u.Age))
	active := byte(0)
	if u.Active {
		active = 1
	}
	b = append(b, active)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(u.Score))
	b = appendInt(b, u.Created.UnixNano())
	b = binary.LittleEndian.AppendUint32(b, uint32(len(u.Tags)))
	for _, tag := range u.Tags {
		b = appendText(b, tag)
	}
	return b
}

// A decoder reads what append wrote. Strings are parts of text, a copy of
// the whole input.
type decoder struct {
	rest []byte
	text string
}

func (d *decoder) int() int64 { return int64(binary.LittleEndian.Uint64(d.take(8))) }

func (d *decoder) uint32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }

func (d *decoder) take(n int) []byte {
	p := d.rest[:n]
	d.rest = d.rest[n:]
	return p
}

func (d *decoder) string() string {
	n := int(d.uint32())
	at := len(d.text) - len(d.rest)
	d.take(n)
	return d.text[at : at+n]
}

func (d *decoder) user(u *contract.User) {
	u.ID = d.int()
	u.Name = d.string()
	u.Email = d.string()
	u.Age = int32(d.uint32())
	u.Active = d.take(1)[0] == 1
	u.Score = math.Float64frombits(uint64(d.int()))
	u.Created = time.Unix(0, d.int())
	u.Tags = make([]string, d.uint32())
	for i := range u.Tags {
		u.Tags[i] = d.string()
	}
}

// resize returns b with length n, a new one where it is too small. The content
// does not matter.
func resize(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
