package ring

import (
	"errors"
	"fmt"

	"github.com/tenon-go/tenon/internal/linkerr"
)

var (
	// ErrCorrupt is returned when the shared memory holds what no correct peer
	// writes. It is final: the ring must be given up. What was read before is
	// good.
	ErrCorrupt = errors.New("ring: shared memory is corrupt")

	// ErrTimeout is returned by Write when there was no room within the time
	// given by the option Timeout. Nothing was written; writing again is safe.
	ErrTimeout = errors.New("ring: no room in time, the reader does not read")

	// ErrInterrupted is returned by a wait that Interrupt broke off. Nothing is
	// lost: wait again.
	ErrInterrupted = linkerr.ErrInterrupted

	// ErrFull is returned by Commit when there is no room at the moment.
	// Nothing was taken: Wait, then commit again.
	ErrFull = linkerr.ErrFull

	// ErrTooLarge is returned for a message above MaxRecord. Waiting does not
	// help: split it, or use a larger ring.
	ErrTooLarge = linkerr.ErrTooLarge
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}
