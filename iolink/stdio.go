package iolink

import (
	"errors"
	"fmt"
	"sync/atomic"
)

var stdioTaken atomic.Bool

// Stdio takes the standard input and output over and returns a link on them. It
// is for a child process whose parent holds the other ends; call it early in
// main, once.
//
// From then on whatever prints to the standard output prints to the standard
// error, so that a stray print cannot get between the bytes of the link, and
// the standard input is empty. A closed standard error no longer kills the
// process by SIGPIPE: the write fails instead.
//
// A pipe or socket is set to non-blocking mode, which processes that share it
// would notice; the pipes that os/exec makes are shared with nobody.
func Stdio() (*Link, error) {
	if !stdioTaken.CompareAndSwap(false, true) {
		return nil, errors.New("iolink: Stdio was called before; a process has only one standard input and output")
	}
	in, out, err := takeStdio()
	if err != nil {
		stdioTaken.Store(false)
		return nil, fmt.Errorf("iolink: taking the standard input and output over: %w", err)
	}
	return NewReadWriter(in, out), nil
}
