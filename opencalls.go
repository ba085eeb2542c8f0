package tenon

// openCalls are calls by their ids. Ids are given in order, so that those of the
// calls that are open at a time differ in their low bits, nearly always: there
// they have a place without hashing. A map takes four times as long.
type openCalls[T any] struct {
	slots [64]openCall[T]
	more  map[uint32]T // whose place is taken
	n     int
}

type openCall[T any] struct {
	taken bool
	id    uint32
	call  T
}

func (o *openCalls[T]) slot(id uint32) *openCall[T] { return &o.slots[id%uint32(len(o.slots))] }

// get returns the call with the id.
func (o *openCalls[T]) get(id uint32) (c T, ok bool) {
	if s := o.slot(id); s.taken && s.id == id {
		return s.call, true
	}
	c, ok = o.more[id]
	return c, ok
}

// set adds the call, or replaces the one with its id.
func (o *openCalls[T]) set(id uint32, c T) {
	s := o.slot(id)
	_, elsewhere := o.more[id]
	switch {
	case s.taken && s.id == id:
		s.call = c
		return
	case elsewhere:
		o.more[id] = c
		return
	case s.taken:
		if o.more == nil {
			o.more = make(map[uint32]T)
		}
		o.more[id] = c
	default:
		*s = openCall[T]{true, id, c}
	}
	o.n++
}

// take removes the call with the id and returns it.
func (o *openCalls[T]) take(id uint32) (c T, ok bool) {
	if s := o.slot(id); s.taken && s.id == id {
		c, *s = s.call, openCall[T]{}
		o.n--
		return c, true
	}
	if c, ok = o.more[id]; ok {
		delete(o.more, id)
		o.n--
	}
	return c, ok
}

// len returns how many there are.
func (o *openCalls[T]) len() int { return o.n }

// all yields them, in no order. The one just yielded may be set.
func (o *openCalls[T]) all(yield func(uint32, T) bool) {
	for i := range o.slots {
		if s := &o.slots[i]; s.taken && !yield(s.id, s.call) {
			return
		}
	}
	for id, c := range o.more {
		if !yield(id, c) {
			return
		}
	}
}
