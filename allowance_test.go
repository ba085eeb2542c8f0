package tenon

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/tenon-go/tenon/internal/wire"
)

func TestRoomOfWhatWasCutOffComesBackWithTheEndOfItsCall(t *testing.T) {
	var a allowance
	over := make(chan struct{})
	a.set(10)
	taken := func() chan error {
		result := make(chan error, 1)
		go func() { result <- a.take(context.Background(), over, 8) }()
		return result
	}
	waits := func(result chan error) {
		t.Helper()
		select {
		case err := <-result:
			t.Fatalf("it did not wait: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := <-taken(); err != nil {
		t.Fatal(err)
	}
	a.cutOff(wire.Header{ID: 7}, 8)
	second := taken()
	waits(second)
	a.over(7, true) // a call of the other side
	a.over(8, false)
	waits(second)
	a.over(7, false)
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	a.over(7, false) // once
	third := taken()
	waits(third)
	close(over)
	if err := <-third; !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
}
