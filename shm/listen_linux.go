package shm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	greetings     = 64              // dialers at once that have not been accepted
	greetingTime  = 5 * time.Second // to say hello
	maxAcceptRest = time.Second     // between two tries while descriptors lack
)

// A Listener hands links to other processes of this machine that Dial it.
type Listener struct {
	socket  *net.UnixListener
	address string
	options options
	file    *socketFile // nil with an abstract name

	ctx     context.Context // ends with Close
	end     context.CancelFunc
	slots   chan struct{}
	greeted chan *net.UnixConn // said hello, wait for Accept
	running sync.WaitGroup
	close   func() error
}

// Listen waits for dialers at address: a path, or a name like "@name" that lies
// in no directory and disappears with the process. A path that a killed process
// has left behind is replaced; where somebody listens the error is
// syscall.EADDRINUSE. Only processes of this process's user are let in, unless
// the option AllowUID says otherwise. The option Size sets the size of the links.
func Listen(address string, opts ...Option) (*Listener, error) {
	o, err := collect(opts)
	if err != nil {
		return nil, err
	}
	socket, file, err := listen(address)
	if err != nil {
		return nil, fmt.Errorf("shm: listen at %s: %w", address, err)
	}
	l := &Listener{
		socket:  socket,
		address: address,
		options: o,
		file:    file,
		slots:   make(chan struct{}, greetings),
		greeted: make(chan *net.UnixConn),
	}
	l.ctx, l.end = context.WithCancel(context.Background())
	l.close = sync.OnceValue(l.shutDown)
	l.running.Go(l.acceptAll)
	return l, nil
}

// Addr returns the address that Listen was given.
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Net: "unix", Name: l.address} }

// Close ends Accept with net.ErrClosed, turns waiting dialers away and removes
// the socket's file. Links that were accepted live on.
func (l *Listener) Close() error { return l.close() }

func (l *Listener) shutDown() error {
	l.end()
	var err error
	if l.file != nil {
		err = l.file.remove()
	}
	err = errors.Join(err, l.socket.Close())
	l.running.Wait()
	return err
}

// acceptAll lets dialers in, each to be greeted by a goroutine of its own so
// that one that says nothing holds nobody up.
func (l *Listener) acceptAll() {
	rest := time.Duration(0)
	for {
		select {
		case l.slots <- struct{}{}:
		case <-l.ctx.Done():
			return
		}
		conn, err := l.socket.AcceptUnix()
		if err == nil {
			rest = 0
			l.running.Go(func() { l.greet(conn) })
			continue
		}
		<-l.slots
		// Descriptors or memory lack; the dialers wait in the kernel.
		rest = min(max(2*rest, time.Millisecond), maxAcceptRest)
		select {
		case <-time.After(rest):
		case <-l.ctx.Done():
			return
		}
	}
}

// greet hears a dialer's hello and holds it until somebody accepts it.
func (l *Listener) greet(conn *net.UnixConn) {
	defer func() { <-l.slots }()
	stop := context.AfterFunc(l.ctx, func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(greetingTime))
	err := l.options.checkUID(conn)
	if err == nil {
		err = hear(conn)
	}
	if err != nil {
		refuse(conn, err)
	}
	if !stop() || err != nil {
		conn.Close()
		return
	}
	conn.SetDeadline(time.Time{})
	select {
	case l.greeted <- conn:
	case <-l.ctx.Done():
		refuse(conn, errors.New("it has closed"))
		conn.Close()
	}
}

// Accept returns the link of the next dialer. It ends with ctx, and with
// net.ErrClosed after Close. A dialer that cannot be served, for lack of memory
// say, is told why and does not end Accept.
func (l *Listener) Accept(ctx context.Context) (*Link, error) {
	for {
		if l.ctx.Err() != nil {
			return nil, net.ErrClosed
		}
		select {
		case conn := <-l.greeted:
			if link, err := l.serve(conn); err == nil {
				return link, nil
			}
		case <-l.ctx.Done():
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// serve makes a link and hands its memory over. The connection becomes the
// link's socket.
func (l *Listener) serve(conn *net.UnixConn) (*Link, error) {
	memory, m, err := newMemory(l.options.size, true)
	if err != nil {
		refuse(conn, err)
		conn.Close()
		return nil, err
	}
	defer memory.Close()
	if err := welcome(conn, memory); err != nil {
		m.free()
		conn.Close()
		return nil, err
	}
	there, back := rings(m.mem, l.options.size)
	return newLink(m, there, back, conn, l.options)
}

// Dial makes a link to the process that listens at address, once that one
// accepts. The listener must run as this process's user, unless the option
// AllowUID says otherwise. The listener decides about the size.
func Dial(ctx context.Context, address string, opts ...Option) (*Link, error) {
	o, err := collect(opts)
	if err != nil {
		return nil, err
	}
	link, err := dialLink(ctx, address, o)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // and not that it closed the connection
		}
		return nil, fmt.Errorf("shm: dial %s: %w", address, err)
	}
	return link, nil
}

func dialLink(ctx context.Context, address string, o options) (*Link, error) {
	conn, err := dial(ctx, address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	link, err := join(conn, o)
	if !stop() && err == nil {
		link.Close()
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return link, nil
}

func join(conn *net.UnixConn, o options) (*Link, error) {
	if err := o.checkUID(conn); err != nil {
		return nil, err
	}
	memory, err := sayHello(conn)
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	m, size, err := openMemory(memory)
	if err != nil {
		return nil, err
	}
	there, back := rings(m.mem, size)
	return newLink(m, back, there, conn, o)
}

// credentials asks the kernel who is at the other end.
func credentials(conn syscall.Conn) (*unix.Ucred, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var who *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		who, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, fmt.Errorf("who is the peer: %w", failed)
	}
	return who, nil
}

// PeerUID returns the user as whom the other end's process ran when it connected,
// or created the link that was inherited. It is known until l is closed.
func (l *Link) PeerUID() (uid int, known bool) {
	who, err := credentials(l.socket)
	if err != nil {
		return 0, false
	}
	return int(who.Uid), true
}

// PeerPID returns the other end's process when it connected, or the one that created
// the link that was inherited. It is known until l is closed.
func (l *Link) PeerPID() (pid int, known bool) {
	who, err := credentials(l.socket)
	if err != nil {
		return 0, false
	}
	return int(who.Pid), true
}

// checkUID asks the kernel who is at the other end, and refuses strangers.
func (o options) checkUID(conn *net.UnixConn) error {
	who, err := credentials(conn)
	if err != nil {
		return err
	}
	if uid := int(who.Uid); !o.allowUID(uid) {
		return fmt.Errorf("%w: processes %d (uid %d) and %d (uid %d) belong to different users: run both as one user, or permit it with shm.AllowUID", unix.EACCES, who.Pid, uid, unix.Getpid(), unix.Geteuid())
	}
	return nil
}
