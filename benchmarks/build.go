package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// buildServers builds the commands of servers/ into a temporary directory and has
// the peers use them. A server that held all peers would take several times as
// long to start.
func buildServers(ctx context.Context) (remove func(), err error) {
	dir, err := os.MkdirTemp("", "tenon-servers-")
	if err != nil {
		return nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	fmt.Fprintln(os.Stderr, "building the servers")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), "github.com/tenon-go/tenon/benchmarks/servers/...")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		remove()
		return nil, fmt.Errorf("building the servers: %w (run this in the repository, with the go command in PATH)", err)
	}
	peer.Programs = dir
	return remove, nil
}
