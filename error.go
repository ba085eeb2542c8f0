package tenon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tenon-go/tenon/internal/wire"
)

// A Code says what kind of failure an [Error] is. The numbers are part of the
// protocol. A handler that returns an error with an *Error within, of a call of its
// own, passes its code on; fmt.Errorf with %v instead of %w does not.
type Code uint32

const (
	Unknown           Code = iota // the handler returned an error
	Canceled                      // the caller gave up
	DeadlineExceeded              // the call's deadline passed
	Unavailable                   // the connection ended, or is ending
	Unimplemented                 // the peer does not have the method
	Mismatch                      // the peer's method has another shape
	InvalidArgument               // the arguments could not be encoded or decoded
	InvalidResult                 // the results could not be encoded or decoded
	ResourceExhausted             // a limit was reached; the message names it
	PermissionDenied              // the peer may not call this
	Panicked                      // the handler panicked or called runtime.Goexit
	Broken                        // the peer sent bytes that are not tenon's protocol
)

var codeNames = [...]string{
	"unknown", "canceled", "deadline exceeded", "unavailable", "unimplemented",
	"contract mismatch", "invalid argument", "invalid result", "resource exhausted",
	"permission denied", "panicked", "broken connection",
}

func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("code %d", uint32(c))
}

// An Error is the failure of one call. errors.Is works with context.Canceled
// and context.DeadlineExceeded on both sides, and errors.As with the cause of a
// connection's end, such as a *worker.ExitError.
//
// A handler may return an *Error to choose Code and Details; of any other error
// its text travels, with code Unknown.
type Error struct {
	Code    Code
	Message string
	Details []byte // whatever the handler attached

	Method string // wire name of the method that was called
	Peer   string // who answered or should have, if it has a name

	// SafeToRetry is true only when the handler cannot have run: the call was
	// never published, or the peer refused it before its handler started.
	SafeToRetry bool

	function bool // Method is a function among the arguments of a call
	cause    error
}

// Error returns the method, the message, who it was, and whether the handler
// may have run where that is in doubt.
func (e *Error) Error() string {
	if e == nil {
		return "nil *tenon.Error"
	}
	var s strings.Builder
	if e.Method != "" {
		s.WriteString(e.Method + ": ")
	}
	s.WriteString(e.Message)
	if e.Message == "" {
		s.WriteString(e.Code.String())
	}
	if e.Peer != "" && !strings.Contains(e.Message, e.Peer) {
		s.WriteString(" [" + e.Peer + "]")
	}
	if e.Code == Unavailable {
		if e.SafeToRetry {
			s.WriteString(" (the call did not run; it is safe to retry)")
		} else {
			s.WriteString(" (the call may have run)")
		}
	}
	return s.String()
}

// Unwrap returns the cause, if there is one on this side.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// Is makes errors.Is work with the errors of contexts.
func (e *Error) Is(target error) bool {
	if e == nil {
		return false
	}
	switch target {
	case context.Canceled:
		return e.Code == Canceled
	case context.DeadlineExceeded:
		return e.Code == DeadlineExceeded
	}
	return false
}

// A PanicError is the panic of a handler, or of a function, as the hook of [WithErrorHook] sees it.
// It does not travel: the caller gets its text.
type PanicError struct {
	Value any    // what panic was called with
	Stack []byte // of the handler's goroutine
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// SafeToRetry reports whether err says that the handler cannot have run, so
// that calling again, here or elsewhere, can do nothing twice.
func SafeToRetry(err error) bool {
	if !endsSomewhere(err) {
		return false
	}
	var e *Error
	return errors.As(err, &e) && e != nil && e.SafeToRetry
}

// CodeOf returns the code with which err, which is not nil, is told to a caller:
// that of the [*Error] in it, the one of a context's error, or else Unknown.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case !endsSomewhere(err):
		return Unknown
	case errors.As(err, &e) && e != nil:
		return e.Code
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return Canceled
	}
	return Unknown
}

// failureOf turns what a handler returned into what travels. It runs methods of
// the user's error, which may panic.
func failureOf(err error) wire.Failure {
	if !endsSomewhere(err) {
		return wire.Failure{Code: uint32(Unknown), Message: err.Error()}
	}
	var (
		e       *Error
		details []byte
	)
	if errors.As(err, &e) && e != nil {
		details = e.Details
	}
	message := err.Error()
	switch direct, _ := err.(*Error); {
	case direct == nil:
	case direct.Method == "":
		message = direct.Message
	case direct.function: // of the one who reads this
		name := direct.Method[strings.LastIndexByte(direct.Method, '.')+1:]
		message = "its function " + name + ": " + cmp.Or(direct.Message, direct.Code.String())
	}
	return wire.Failure{Code: uint32(CodeOf(err)), Message: message, Details: details, Errors: namedErrors(err)}
}

// maxErrors bounds the errors of one tree that are looked at.
const maxErrors = 1 << 20

// endsSomewhere reports whether the tree of err is finite, so that errors.Is and
// errors.As return: an Unwrap may answer its own error.
func endsSomewhere(err error) bool {
	open := []error{err}
	for range maxErrors {
		last := len(open) - 1
		if last < 0 {
			return true
		}
		one := open[last]
		open = open[:last]
		switch e := one.(type) {
		case interface{ Unwrap() error }:
			open = append(open, e.Unwrap())
		case interface{ Unwrap() []error }:
			open = append(open, e.Unwrap()...)
		}
	}
	return false
}

// becauseOf adds the cause of ctx's end, if somebody gave one, to an error that it is.
func (e *Error) becauseOf(ctx context.Context) {
	cause := context.Cause(ctx)
	if end := ctx.Err(); end != nil && e.cause == end && cause != end {
		e.Message = fmt.Sprintf("%s: %v", e.Message, cause)
		e.cause = fmt.Errorf("%w: %w", end, cause)
	}
}

// contextError is the error of a call that ended because its context did.
func contextError(err error) *Error {
	code := Canceled
	if errors.Is(err, context.DeadlineExceeded) {
		code = DeadlineExceeded
	}
	return &Error{Code: code, Message: err.Error(), cause: err}
}
