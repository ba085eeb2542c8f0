package peer

import (
	"context"
	"net"
	"os"
	"path/filepath"
)

// StartOnSocket starts the other side of p with a listening Unix socket, which
// it inherits: whoever dials is in its queue even before it runs, so that no
// peer pays for a handshake of ours.
func StartOnSocket(p Peer) (server *Process, path string, err error) {
	dir, err := os.MkdirTemp("", "tenon-bench-")
	if err != nil {
		return nil, "", err
	}
	path = filepath.Join(dir, "socket")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		os.RemoveAll(dir)
		return nil, "", err
	}
	listener.SetUnlinkOnClose(false)
	server, err = StartOnListener(p, listener)
	if err != nil {
		os.RemoveAll(dir)
		return nil, "", err
	}
	server.dir = dir
	return server, path, nil
}

// StartOnListener starts the other side of p with a listener and closes this
// side's.
func StartOnListener(p Peer, listener interface {
	net.Listener
	File() (*os.File, error)
}) (*Process, error) {
	defer listener.Close()
	file, err := listener.File()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd, err := Command(p)
	if err != nil {
		return nil, err
	}
	return Start(cmd, file)
}

// InheritedListener is the listener of StartOnListener on the other side, which
// ends with its parent from now on.
func InheritedListener() (net.Listener, error) {
	EndWithParent()
	file := os.NewFile(3, "listener")
	defer file.Close()
	return net.FileListener(file)
}

// DialSocket dials a Unix socket, for peers that want a function.
func DialSocket(path string) func(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "unix", path) }
}
