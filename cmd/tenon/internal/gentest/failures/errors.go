package failures

import (
	"errors"
	"fmt"
	"time"
)

// Errors of the package, known by the comment of the block.
//
//tenon:error
var (
	ErrClosed  = errors.New("failures: closed")
	errPrivate = errors.New("failures: private")
)

// ErrRenamed has another name on the wire.
//
//tenon:error name=limits.ErrRenamed
var ErrRenamed = errors.New("failures: renamed")

// ErrUnmarked loses its identity, and keeps its text.
var ErrUnmarked = errors.New("failures: unmarked")

// A constant can be an error too.
//
//tenon:error
const ErrConstant = text("failures: constant")

type text string

func (t text) Error() string { return string(t) }

// A SizeError is an error by value, and by pointer as well.
//
//tenon:error
type SizeError struct {
	Name  string
	Bytes int64
	When  time.Time
}

func (e SizeError) Error() string { return fmt.Sprintf("%s has %d bytes", e.Name, e.Bytes) }

// A PathError is an error by pointer only.
//
//tenon:error
type PathError struct {
	Path   string
	Inner  *SizeError
	Reason error `tenon:"-"`
}

func (e *PathError) Error() string { return e.Path + ": " + e.Inner.Error() }

// A Status is a plain number.
//
//tenon:error
type Status uint8

func (s Status) Error() string { return fmt.Sprintf("status %d", uint8(s)) }
