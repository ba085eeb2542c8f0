package tenon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/tenon-go/tenon/iolink"
)

// ServeLinks serves every link that accept returns, each on a goroutine of its
// own, until ctx ends or accept fails for good. It closes the links and waits
// for their connections to end. It returns nil when ctx ended, ErrServerClosed
// after Shutdown or Close, or accept's error. When descriptors run out it waits a
// moment and goes on.
func (s *Server) ServeLinks(ctx context.Context, accept func(context.Context) (Link, error), opts ...Option) error {
	serve, cut := context.WithCancel(ctx)
	listen, stop := context.WithCancel(serve)
	var serving sync.WaitGroup
	defer serving.Wait()
	defer func() {
		if !s.isClosed() { // else Shutdown or Close ends the connections, in its way
			cut()
		}
	}()
	defer stop()
	if !s.onClose(stop) {
		return ErrServerClosed
	}
	pause := time.Duration(0)
	for {
		link, err := accept(listen)
		switch {
		case s.isClosed():
			if err == nil {
				link.Close()
			}
			return ErrServerClosed
		case ctx.Err() != nil:
			if err == nil {
				link.Close()
			}
			return nil
		case err == nil:
			pause = 0
			serving.Go(func() {
				if err := s.ServeLink(serve, link, append(opts[:len(opts):len(opts)], fromStranger)...); err != nil && serve.Err() == nil && !s.isClosed() {
					newOptions(s.opts).tellOfEnd(link, err)
				}
			})
			continue
		case !passing(err):
			return fmt.Errorf("tenon: accept: %w", err)
		}
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		newOptions(s.opts).logger.Warn("tenon: accept failed, trying again", "error", err, "pause", pause)
		select {
		case <-time.After(pause):
		case <-listen.Done():
		}
	}
}

func fromStranger(o *options) { o.strict = true }

// tellOfEnd logs how a connection to a stranger ended that did not end in order.
func (o options) tellOfEnd(link Link, err error) {
	log, what := o.logger.Info, "tenon: a connection ended"
	if errors.Is(err, errToken) {
		log, what = o.logger.Warn, refused
	}
	if a, ok := link.(*acceptedLink); ok {
		log(what, "from", nameOf(a.from, a.who), "error", err)
	} else {
		log(what, "error", err)
	}
}

const refused = "tenon: a connection was refused"

// An acceptedLink knows where its peer is.
type acceptedLink struct {
	*iolink.Link
	from net.Addr
	who  identity
}

// nameOf names who has connected, for the log: a client of a Unix socket seldom has an
// address.
func nameOf(from net.Addr, who identity) string {
	if name := who.name(); name != "" {
		return name
	}
	return from.String()
}

// passing reports whether accepting may work again in a moment.
func passing(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ECONNABORTED)
}

// Serve serves the connections of a listener, as ServeLinks does, and closes it.
//
// Who may connect: a process of the same user over a Unix socket; over TLS who
// shows a client certificate that the listener's configuration has verified; who
// knows the token, with [WithToken]; anybody, with [AllowAnonymous]. Everybody
// else is refused, and told so.
func (s *Server) Serve(ctx context.Context, l net.Listener, opts ...Option) error {
	defer l.Close()
	o := newOptions(append(s.opts[:len(s.opts):len(s.opts)], opts...))
	accepted := make(chan Link)
	failed := make(chan error)
	ctx, stop := context.WithCancel(ctx)
	var accepting sync.WaitGroup
	defer accepting.Wait()
	defer stop()
	defer l.Close()
	accepting.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				select {
				case failed <- err:
					continue
				case <-ctx.Done():
					return
				}
			}
			// Each has to prove itself on its own time.
			accepting.Go(func() {
				who, err := admit(ctx, conn, o)
				if err != nil {
					o.logger.Warn(refused, "from", nameOf(conn.RemoteAddr(), who), "error", err)
				}
				link := &acceptedLink{iolink.New(conn), conn.RemoteAddr(), who}
				switch {
				case errors.Is(err, errRefused): // it is told why
					refused := NewConn(ctx, link, nil, func(o *options) { o.refused = err })
					<-refused.Done()
					return
				case err != nil:
					link.Close()
					return
				}
				select {
				case accepted <- link:
				case <-ctx.Done():
					link.Close()
				}
			})
		}
	})
	var first sync.Once
	return s.ServeLinks(ctx, func(ctx context.Context) (Link, error) {
		// ServeLinks waits for running calls in the end; nobody may come meanwhile.
		first.Do(func() { context.AfterFunc(ctx, func() { l.Close() }) })
		select {
		case link := <-accepted:
			return link, nil
		case err := <-failed:
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, opts...)
}

// handshakeTime bounds how long a stranger may take to introduce itself.
const handshakeTime = 10 * time.Second

// errRefused concerns one peer, not the listener.
var errRefused = errors.New("tenon: the peer was refused")

// admit decides by the kind of the connection whether its peer may come in.
func admit(ctx context.Context, conn net.Conn, o options) (identity, error) {
	if c, ok := conn.(*tls.Conn); ok {
		ctx, cancel := context.WithTimeout(ctx, handshakeTime)
		defer cancel()
		if err := c.HandshakeContext(ctx); err != nil {
			return identity{}, err
		}
	}
	who, err := identify(conn)
	switch _, local := conn.(*net.UnixConn); {
	case o.anonymous || o.token != "" || len(who.certificates) > 0:
		return who, nil
	case err != nil:
		return who, err
	case local:
		return who, who.sameUser()
	default:
		return who, fmt.Errorf("%w: over %s a peer needs a TLS client certificate or a token (tenon.WithToken), or the server tenon.AllowAnonymous", errRefused, conn.LocalAddr().Network())
	}
}
