package codec

// AppendStrings appends a []string, nil included.
func AppendStrings(b []byte, e *Encoder, v []string) []byte {
	if v == nil {
		return AppendNil(b)
	}
	b = AppendArray(b, e, len(v))
	for _, s := range v {
		b = AppendString(b, e, s)
	}
	return b
}

// Strings reads a []string, nil included. Appending to it does not disturb
// other values.
func (d *Decoder) Strings() []string {
	if d.Nil() || d.err != nil {
		return nil
	}
	v := d.slab.take(d.Array())
	for i := range v {
		v[i] = d.String()
		if d.err != nil {
			d.InElement(i)
			return nil
		}
	}
	return v
}

// A slab is memory from which the many small []string of a message are cut.
// The first one has its own size, so that a message with a single one pays for
// no more; each further slab has room for twice as many as all before.
type slab struct {
	free  []string
	given int
}

const maxSlab = 256 // strings: what a single one of them can keep alive

func (s *slab) take(n int) []string {
	if n == 0 {
		return []string{}
	}
	if n > len(s.free) {
		if n > maxSlab/4 {
			return make([]string, n)
		}
		s.free = make([]string, max(n, min(2*s.given, maxSlab)))
	}
	v := s.free[:n:n]
	s.free = s.free[n:]
	s.given += n
	return v
}
