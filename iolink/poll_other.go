//go:build !unix

package iolink

import (
	"os"
)

// On systems without descriptors that can be tried without waiting every stream
// is driven by package pump.

type pollConn struct{}

func pollable(any) (*pollConn, bool) { return nil, false }

type tryWriter struct{}

func newTryWriter(*pollConn, *ending) *tryWriter { panic("unreachable") }
func (*tryWriter) try([]byte) (int, error)       { panic("unreachable") }
func newPolled(*pollConn, *ending) receiver      { panic("unreachable") }

func fileKind(f *os.File) string {
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return "pipe"
	}
	return "stream"
}
