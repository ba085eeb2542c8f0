package shm

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// The test binary runs again as the other process of a link; roles names what
// it then does.
const roleVariable = "TENON_SHM_TEST_ROLE"

var roles = map[string]func(*Link) error{
	"echo": echo,
}

// strangers are roles that inherit nothing but an argument.
var strangers = map[string]func(arg string) error{}

const argVariable = "TENON_SHM_TEST_ARG"

var soak = os.Getenv("TENON_SOAK") == "1"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if role == "parent" {
		parent(os.NewFile(3, "pipe"))
		os.Exit(1)
	}
	if stranger := strangers[role]; stranger != nil {
		if err := stranger(os.Getenv(argVariable)); err != nil {
			fmt.Fprintln(os.Stderr, role+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	link, err := Attach(os.NewFile(3, "memory"), os.NewFile(4, "socket"), childSpin()...)
	if err == nil {
		err = roles[role](link)
		link.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func childSpin() []Option {
	if d, err := time.ParseDuration(os.Getenv("TENON_SHM_TEST_SPIN")); err == nil {
		return []Option{Spin(d)}
	}
	return nil
}

func echo(l *Link) error {
	for {
		p, err := l.Recv()
		if err != nil {
			return nil
		}
		if err := l.Send(p); err != nil {
			return nil
		}
	}
}

// startChild runs a role in a process of its own and returns our end.
func startChild(t testing.TB, role string, env []string, opts ...Option) (*Link, *exec.Cmd) {
	t.Helper()
	link, peer, err := Create(opts...)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = slices.Concat(os.Environ(), []string{roleVariable + "=" + role, "GORACE=atexit_sleep_ms=0"}, env)
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{peer.Memory, peer.Socket}
	err = cmd.Start()
	peer.Close()
	if err != nil {
		link.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		link.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return link, cmd
}
