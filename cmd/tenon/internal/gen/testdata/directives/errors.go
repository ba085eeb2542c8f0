package directives

import "errors"

//tenon:error
var NotAnError = 1

//tenon:error
var _ = errors.New("nobody finds it")

//tenon:error name=x.Y
var ErrA, ErrB = errors.New("a"), errors.New("b")

//tenon:error name=x/y
var ErrC = errors.New("c")

//tenon:error nam=x
var ErrD = errors.New("d")

//tenon:error
type NoError struct{}

//tenon:error
type Coded interface {
	error
	Code() int
}

//tenon:error
type GenericError[T any] struct{ Value T }

func (GenericError[T]) Error() string { return "" }

//tenon:error
func F() error {
	//tenon:error
	var err = errors.New("local")
	return err
}
