package codec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tinylib/msgp/msgp"
)

// An Error says where in a message decoding failed, and why. Decoding the same
// bytes again fails again.
type Error struct {
	Path string // such as "user.Tags[1]"; empty for the message itself
	Err  error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Fail records the first failure, in the value that is being read. Every later
// read returns the zero value.
func (d *Decoder) Fail(err error) {
	if d.err == nil {
		d.err = &Error{Err: err}
	}
}

// InField adds to a failure that it happened in field i of those named.
func (d *Decoder) InField(i int, names ...string) {
	name := "#" + strconv.Itoa(i)
	if i < len(names) {
		name = names[i]
	}
	d.within(name)
}

// InElement adds to a failure that it happened in element or entry i.
func (d *Decoder) InElement(i int) { d.within("[" + strconv.Itoa(i) + "]") }

func (d *Decoder) within(place string) {
	var e *Error
	if !errors.As(d.err, &e) {
		return
	}
	if e.Path != "" && !strings.HasPrefix(e.Path, "[") {
		place += "."
	}
	e.Path = place + e.Path
}

// mismatch records that no value of type want could be read, in words that do
// not need knowledge of MessagePack.
func (d *Decoder) mismatch(want string, err error) {
	var (
		tooBig   msgp.IntOverflow
		tooBigU  msgp.UintOverflow
		negative msgp.UintBelowZero
		stamp    msgp.InvalidTimestamp
	)
	switch {
	case errors.Is(err, msgp.ErrShortBytes) && (d.at == len(d.b) || want == "value" || d.got() == family(want)):
		err = errors.New("the message ends within " + article(want))
	case errors.As(err, &tooBig):
		err = fmt.Errorf("%d does not fit into %s", tooBig.Value, want)
	case errors.As(err, &tooBigU):
		err = fmt.Errorf("%d does not fit into %s", tooBigU.Value, want)
	case errors.As(err, &negative):
		err = fmt.Errorf("%d does not fit into %s", negative.Value, want)
	case errors.As(err, &stamp):
		err = errors.New("timestamp is malformed")
	case want == "value":
		err = errors.New("malformed value")
	default:
		err = fmt.Errorf("want %s, got %s", want, d.got())
	}
	d.Fail(err)
}

// got names the type of the value that comes next.
func (d *Decoder) got() string {
	switch t := msgp.NextType(d.rest()); t {
	case msgp.StrType:
		return "string"
	case msgp.BinType:
		return "bytes"
	case msgp.IntType, msgp.UintType:
		return "integer"
	case msgp.Float32Type, msgp.Float64Type:
		return "float"
	case msgp.InvalidType:
		return "nothing that is a value"
	default:
		return t.String()
	}
}

// family is the name that got has for values of type want.
func family(want string) string {
	switch {
	case strings.Contains(want, "int"):
		return "integer"
	case strings.HasPrefix(want, "float"):
		return "float"
	default:
		return want
	}
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) && !strings.HasPrefix(noun, "uint") {
		return "an " + noun
	}
	return "a " + noun
}
