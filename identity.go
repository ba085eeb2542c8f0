package tenon

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"slices"
)

// An identity is what was proved of a peer when it connected.
type identity struct {
	uid          int
	uidKnown     bool
	pid          int // 0: it is not known
	certificates []*x509.Certificate
}

// PeerUID returns the user as whom the other side's process ran when it connected,
// as its kernel says. It is known of links of shm, and of the Unix sockets that
// [Server.Serve] accepts on Linux and darwin.
func (c *Conn) PeerUID() (uid int, known bool) { return c.who.uid, c.who.uidKnown }

// PeerCertificates returns the certificates of a client that [Server.Serve] has
// accepted over TLS and that the listener's configuration has verified, its own
// one first; else nil. They must not be changed.
func (c *Conn) PeerCertificates() []*x509.Certificate { return slices.Clone(c.who.certificates) }

// identityOf returns what a link knows of its peer.
func identityOf(link any) identity {
	switch l := link.(type) {
	case *acceptedLink:
		return l.who
	case interface{ PeerUID() (int, bool) }:
		uid, known := l.PeerUID()
		who := identity{uid: uid, uidKnown: known}
		if l, ok := link.(interface{ PeerPID() (int, bool) }); ok {
			who.pid, _ = l.PeerPID()
		}
		return who
	}
	return identity{}
}

// name names a peer that has neither a name nor an address. A link that was inherited
// says who made it, which may be this process.
func (who identity) name() string {
	if who.pid == 0 || who.pid == os.Getpid() {
		return ""
	}
	return fmt.Sprintf("pid %d", who.pid)
}

// identify returns what is known of the peer of a connection that was accepted,
// after its handshake if it is one of TLS.
func identify(conn net.Conn) (who identity, err error) {
	switch c := conn.(type) {
	case *net.UnixConn:
		who, err = credentialsOf(c)
	case *tls.Conn:
		if state := c.ConnectionState(); len(state.VerifiedChains) > 0 {
			who.certificates = state.PeerCertificates
		}
	}
	return who, err
}

// sameUser is nil if the process at the other end runs as our user.
func (who identity) sameUser() error {
	if who.uid != os.Geteuid() {
		return fmt.Errorf("%w: the peer runs as user %d, this process as %d", errRefused, who.uid, os.Geteuid())
	}
	return nil
}
