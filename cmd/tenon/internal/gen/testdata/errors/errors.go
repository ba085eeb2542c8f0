package errs

import "errors"

//tenon:error
var (
	ErrA = errors.New("a")
	Two  = 2
)

//tenon:error name=errs.ErrA
var ErrB = errors.New("b")

//tenon:error
type NoError struct{}

//tenon:error
type Alias = error

// Wrapping cannot take its cause along.
//
//tenon:error
type Wrapping struct {
	Message string
	Cause   error
	code    int
}

func (w *Wrapping) Error() string { return w.Message }
