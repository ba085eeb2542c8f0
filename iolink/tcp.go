package iolink

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/tenon-go/tenon/internal/pump"
)

func tcpConn(stream any) (*net.TCPConn, bool) {
	if t, ok := stream.(*tls.Conn); ok {
		stream = t.NetConn()
	}
	t, ok := stream.(*net.TCPConn)
	return t, ok
}

// noDelay switches Nagle's algorithm off, with which a question and its answer
// take 44 ms.
func noDelay(stream any) {
	if t, ok := tcpConn(stream); ok {
		t.SetNoDelay(true) // fails only if the connection is gone, which the first read will say
	}
}

// awaitDelivery waits until the peer's system has what was written, for a TCP
// connection that is closed with input unread is reset, and a reset drops what
// is still on the way.
func awaitDelivery(stream any) {
	conn, ok := tcpConn(stream)
	if !ok {
		return
	}
	if t, ok := stream.(*tls.Conn); ok {
		t.CloseWrite()
	}
	if conn.CloseWrite() != nil {
		return
	}
	deadline := time.Now().Add(pump.Linger)
	for pause := 50 * time.Microsecond; undelivered(conn) && time.Now().Before(deadline); pause *= 2 {
		time.Sleep(min(pause, 5*time.Millisecond))
	}
}
