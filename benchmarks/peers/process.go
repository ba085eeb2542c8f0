package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// serveArg is the first argument of a process that is the other side of a peer;
// the second one is the peer's name.
const serveArg = "serve-peer"

// firstFile is the descriptor of the first file that a server process inherits.
const firstFile = 3

// Main serves a peer and exits, in a process that was started for it. Elsewhere
// it returns at once. Programs that use the peers call it first in main, tests
// in TestMain.
func Main() {
	if len(os.Args) < 3 || os.Args[1] != serveArg {
		return
	}
	for _, p := range All() {
		server, ok := p.(Server)
		if !ok || p.Info().Name != os.Args[2] {
			continue
		}
		if err := server.Serve(); err != nil {
			fmt.Fprintf(os.Stderr, "serving %s: %v\n", os.Args[2], err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	fmt.Fprintf(os.Stderr, "there is no peer %q to serve\n", os.Args[2])
	os.Exit(2)
}

// endWithParent ends this process when its parent closes the standard input or
// is gone.
func endWithParent() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}

// A process is the other side of a peer.
type process struct {
	cmd   *exec.Cmd
	input io.Closer
	dir   string // removed at the end
}

// serverCommand is the command line that serves a peer.
func serverCommand(p Peer) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, serveArg, p.Info().Name)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// start starts the server process of a peer, which inherits files.
func start(cmd *exec.Cmd, files ...*os.File) (*process, error) {
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = files
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd: cmd, input: input}, nil
}

// Close asks the process to end and waits until it has.
func (p *process) Close() error {
	p.input.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = p.cmd.Process.Kill() })
	err := p.cmd.Wait()
	if !kill.Stop() {
		err = errors.New("the server had to be killed")
	}
	if p.dir != "" {
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	return err
}

// startOnSocket starts the server of a peer with a listening Unix socket, which
// it inherits: whoever dials is in its queue even before it runs, so that no
// peer pays for a handshake of ours.
func startOnSocket(p Peer) (server *process, path string, err error) {
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
	server, err = startOnListener(p, listener)
	if err != nil {
		os.RemoveAll(dir)
		return nil, "", err
	}
	server.dir = dir
	return server, path, nil
}

// startOnListener starts the server of a peer with a listener and closes this
// side's.
func startOnListener(p Peer, listener interface {
	net.Listener
	File() (*os.File, error)
}) (*process, error) {
	defer listener.Close()
	file, err := listener.File()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd, err := serverCommand(p)
	if err != nil {
		return nil, err
	}
	return start(cmd, file)
}

// inheritedListener is the listener of startOnListener, in the server process.
func inheritedListener() (net.Listener, error) {
	endWithParent()
	file := os.NewFile(firstFile, "listener")
	defer file.Close()
	return net.FileListener(file)
}

// dialSocket is the dialer of peers that want a function.
func dialSocket(path string) func(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "unix", path) }
}
