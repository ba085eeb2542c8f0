//go:build linux || darwin

package proc

import (
	"errors"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// execute forks and executes. Like os.StartProcess, but without a second
// owner of the process beside ours.
func execute(c Config, attr *syscall.SysProcAttr) (int, error) {
	if err := enterable(c.Dir); err != nil {
		return 0, &os.PathError{Op: "chdir", Path: c.Dir, Err: err}
	}
	fds := make([]uintptr, len(c.Files))
	for i, f := range c.Files {
		// Not by Fd, which would make the description blocking that the file
		// shares with others: a listener could not be closed any more.
		raw, err := f.SyscallConn()
		if err == nil {
			err = raw.Control(func(fd uintptr) { fds[i] = fd })
		}
		if err != nil {
			return 0, err
		}
	}
	defer runtime.KeepAlive(c.Files)
	attr.Setpgid = true
	pid, _, err := syscall.StartProcess(c.Path, c.Args, &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: fds, Sys: attr,
	})
	if err != nil {
		return 0, &os.PathError{Op: "start", Path: c.Path, Err: err}
	}
	return pid, nil
}

// enterable says why a child could not make dir its working directory. The
// kernel's own answer would look like one about the program.
func enterable(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	var failed *os.PathError
	switch {
	case errors.As(err, &failed):
		return failed.Err
	case err != nil:
		return err
	case !info.IsDir():
		return syscall.ENOTDIR
	}
	return unix.Access(dir, unix.X_OK)
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// wait4 reaps the child, which must have been ours to wait for.
func wait4(pid int) Status {
	var (
		ws    syscall.WaitStatus
		usage syscall.Rusage
	)
	for {
		_, err := syscall.Wait4(pid, &ws, 0, &usage)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return Status{Code: -1} // somebody else in this program reaped it
		}
		break
	}
	s := Status{Code: ws.ExitStatus(), Peak: int64(usage.Maxrss) * maxrssUnit}
	if ws.Signaled() {
		s.Code, s.Signal = -1, ws.Signal()
	}
	return s
}
