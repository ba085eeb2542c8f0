package shape

import "fmt"

// A Difference is why one side cannot read what the other sends.
type Difference struct {
	Path         string // such as `argument user.Address.Zip`
	Ours, Theirs string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s is %s here and %s on the other side", d.Path, d.Ours, d.Theirs)
}

// An Agreement is what two different shapes allow.
type Agreement struct {
	// Surplus says that what we send has elements that the other side does not
	// know: Check must pass it first.
	Surplus bool

	// Ports has an entry for each port, the first one for port 1. It is nil if
	// nothing that goes through the port has to be checked. Otherwise its Check
	// takes one encoded item of a stream to the callee, or the encoded array of
	// results of a function.
	Ports []*Agreement

	path            string // where Check begins
	ours, theirs    []Field
	item, theirItem *Type // of a stream
}

// Compare decides whether a caller with the shape ours may call a method with
// the shape theirs.
//
// Structs and lists of parameters are append-only: surplus at the end of what
// is received is skipped, and what is missing stays zero. Names count; a field
// that was renamed is known by its old name too. int and int64, uint and uint64
// are the same; an enumeration may gain names. Both sides have the same ports.
// Everything else must be equal.
func Compare(ours, theirs *Shape) (*Agreement, error) {
	c := newComparer()
	a := &Agreement{path: "argument ", ours: ours.Params, theirs: theirs.Params}
	if err := c.fields(a.path, ours.Params, theirs.Params); err != nil {
		return nil, err
	}
	a.Surplus = c.surplus
	if err := c.fields("result ", ours.Results, theirs.Results); err != nil {
		return nil, err
	}
	var err error
	if a.Ports, err = ports(ours, theirs); err != nil {
		return nil, err
	}
	return a, nil
}

type comparer struct {
	seen    map[[2]*Type]bool // pairs that are being compared or are equal
	surplus bool
}

func newComparer() *comparer { return &comparer{seen: make(map[[2]*Type]bool)} }

func (c *comparer) fields(path string, ours, theirs []Field) error {
	for i := range min(len(ours), len(theirs)) {
		o, t := ours[i], theirs[i]
		if !sameName(o, t) {
			return &Difference{at(path, "", i), "named " + o.Name, "named " + t.Name}
		}
		if err := c.types(at(path, o.Name, i), o.Type, t.Type); err != nil {
			return err
		}
	}
	c.surplus = c.surplus || len(ours) > len(theirs)
	return nil
}

// at is the path of an element: by its name, or by its place.
func at(path, name string, place int) string {
	if name == "" {
		return fmt.Sprintf("%s(number %d)", path, place+1)
	}
	return path + name
}

func sameName(a, b Field) bool {
	return a.Name == b.Name || a.Name == "" || b.Name == "" || a.Name == b.Was || a.Was == b.Name
}

func (c *comparer) types(path string, o, t *Type) error {
	if pair := [2]*Type{o, t}; c.seen[pair] {
		return nil
	} else {
		c.seen[pair] = true
	}
	if wide(o.Kind) != wide(t.Kind) || o.Len != t.Len {
		return &Difference{path, o.describe(), t.describe()}
	}
	switch o.Kind {
	case Slice, Array, Pointer:
		return c.types(path+suffix[o.Kind], o.Elem, t.Elem)
	case Map:
		if err := c.types(path+"[key]", o.Key, t.Key); err != nil {
			return err
		}
		return c.types(path+"[]", o.Elem, t.Elem)
	case Struct:
		return c.fields(path+".", o.Fields, t.Fields)
	}
	return enums(path, o, t)
}

var suffix = map[Kind]string{Slice: "[]", Array: "[]", Pointer: ""}

// wide makes kinds equal that have the same values.
func wide(k Kind) Kind {
	switch k {
	case "int":
		return "int64"
	case "uint":
		return "uint64"
	}
	return k
}

// enums compares names that both sides know.
func enums(path string, o, t *Type) error {
	if (o.Enum == nil) != (t.Enum == nil) {
		return &Difference{path, o.describe(), t.describe()}
	}
	theirs := make(map[string]string, len(t.Enum))
	names := make(map[string]string, len(t.Enum))
	for _, k := range t.Enum {
		theirs[k.Name], names[k.Value] = k.Value, k.Name
	}
	for _, k := range o.Enum {
		if value, ok := theirs[k.Name]; ok && value != k.Value {
			return &Difference{path + ": " + k.Name, k.Value, value}
		} else if name := names[k.Value]; !ok && name != "" {
			return &Difference{path + ": the value " + k.Value, "named " + k.Name, "named " + name}
		}
	}
	return nil
}

// describe says what a type is, beyond its label.
func (t *Type) describe() string {
	s := t.String()
	if t.Label == "" {
		return s
	}
	if t.Enum != nil {
		return fmt.Sprintf("%s (enumeration of %s)", s, t.Kind)
	}
	return fmt.Sprintf("%s (%s)", s, t.Kind)
}
