package peer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// serveArg is the first argument of a process that is the other side of a peer;
// the second one is the peer's name.
const serveArg = "serve-peer"

// Programs is the directory of the built commands of servers/. While it is
// empty this program itself is run again as the other side, which suits tests;
// for measurements each peer wants a program that holds nothing but itself.
var Programs string

// Main serves one of peers and exits, in a process that was started for it.
// Elsewhere it returns at once.
func Main(peers ...Peer) {
	if len(os.Args) < 3 || os.Args[1] != serveArg {
		return
	}
	for _, p := range peers {
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
	fmt.Fprintf(os.Stderr, "%s does not serve %q\n", filepath.Base(os.Args[0]), os.Args[2])
	os.Exit(2)
}

// CommandLine is what starts the other side of p.
func CommandLine(p Peer) (path string, args []string, err error) {
	info := p.Info()
	if Programs != "" {
		path = filepath.Join(Programs, info.Program)
	} else if path, err = os.Executable(); err != nil {
		return "", nil, err
	}
	return path, []string{serveArg, info.Name}, nil
}

// Command is CommandLine as a command that has not been started.
func Command(p Peer) (*exec.Cmd, error) {
	path, args, err := CommandLine(p)
	if err != nil {
		return nil, err
	}
	return exec.Command(path, args...), nil
}

// A Process is the other side of a peer.
type Process struct {
	cmd   *exec.Cmd
	input io.Closer
	dir   string // removed at the end
}

// Start starts cmd, which inherits files from descriptor 3 on.
func Start(cmd *exec.Cmd, files ...*os.File) (*Process, error) {
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = files
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Process{cmd: cmd, input: input}, nil
}

// EndWithParent ends this process when the parent has called Close or is gone.
func EndWithParent() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}

// Close asks the process to end and waits until it has.
func (p *Process) Close() error {
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
