package tenon

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenon-go/tenon/inproc"
)

// What changes between a party's look and its wait is not missed: nobody tells it
// then.
func TestPartyLooksAgainBeforeItWaits(t *testing.T) {
	a, b := inproc.Pair()
	defer b.Close()
	conn := NewConn(t.Context(), a, nil)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for range 100 {
		p := newParty(conn)
		looks := 0
		err := p.wait(ctx, func() bool {
			if looks++; looks == 1 {
				p.wake(nil) // it does not wait yet
			}
			return looks > 1
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	p := newParty(conn)
	p.act = func() error { return errInput }
	if err := p.wait(ctx, func() bool { p.call(nil); return false }); !errors.Is(err, errInput) {
		t.Fatal(err)
	}
}
