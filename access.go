package tenon

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"time"
)

// WithToken makes a side show the token when it connects, and makes a server
// demand it from whoever connects. Both sides compare it in constant time. It
// travels as it is: use it over TLS or within one machine.
func WithToken(token string) Option { return func(o *options) { o.token = token } }

// AllowAnonymous lets anybody call who can reach the listener.
func AllowAnonymous() Option { return func(o *options) { o.anonymous = true } }

// A gate decides by the peer's hello whether it may call us. It is only closed
// on the accepting side of a connection with a token.
type gate struct {
	token string
	open  chan struct{} // closed when the peer has shown the token
}

func newGate(o *options) *gate {
	g := &gate{open: make(chan struct{})}
	if o.accepts {
		g.token = o.token
	}
	if g.token == "" && o.refused == nil {
		close(g.open)
	}
	return g
}

var errToken = errors.New("the token is missing or wrong (tenon.WithToken)")

// enter takes what the peer's hello shows.
func (g *gate) enter(shown []byte) error {
	if g.token == "" {
		return nil
	}
	want, got := sha256.Sum256([]byte(g.token)), sha256.Sum256(shown)
	if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
		return errToken
	}
	close(g.open)
	return nil
}

// refusalTime is how long a refused peer has to take its refusal.
const refusalTime = time.Second

// refuse ends the connection with a bye that says why.
func (c *Conn) refuse(code Code, why error) {
	_, _ = c.served.drain()
	said := c.outbox.farewell(0, &Error{Code: code, Message: why.Error()})
	c.work.Go(func() {
		select {
		case <-said:
		case <-time.After(refusalTime):
		case <-c.running.Done():
		}
		c.end(why)
	})
}
