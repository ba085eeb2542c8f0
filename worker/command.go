package worker

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tenon-go/tenon/internal/proc"
)

// A Command says which program runs in a worker: [Self] or [Program].
type Command struct {
	entry string // of Self
	path  string // of Program
	args  []string
}

// Self is the running program, started again. Its main must call [Main] with
// the same entry, before it does anything else. That the program's file was
// replaced meanwhile does not matter on Linux: what runs is what is running.
func Self(entry string, args ...string) Command {
	return Command{entry: entry, args: args}
}

// Program is another program, which calls [Serve]. A path without a slash is
// searched in PATH; a relative one starts at the working directory of this
// process, also when [Dir] sets another for the worker.
func Program(path string, args ...string) Command {
	return Command{path: path, args: args}
}

// base is what workers of this command are named after.
func (c Command) base() string {
	if c.path != "" {
		return filepath.Base(c.path)
	}
	return cmp.Or(c.entry, "unnamed")
}

// remedy is the question that helps when the program runs but does not serve.
// entries are those of its Main calls for other entries.
func (c Command) remedy(entries []string) string {
	if c.path != "" {
		return "does its main call worker.Serve?"
	}
	question := fmt.Sprintf("does main call worker.Main(%q, ...) before anything else?", c.entry)
	if len(entries) > 0 {
		question += " It does for " + strings.Join(entries, ", ")
	}
	return question
}

// resolve returns the file to execute and the argument list.
func (c Command) resolve(name string) (path string, args []string, err error) {
	if c.path == "" {
		if c.entry == "" {
			return "", nil, errors.New("neither an entry (worker.Self) nor a program (worker.Program) is named")
		}
		path, err = proc.Self()
		return path, append([]string{os.Args[0]}, c.args...), err
	}
	path, err = exec.LookPath(c.path)
	if errors.Is(err, exec.ErrDot) {
		err = nil // it was asked for by its path, or lies in a PATH that says so
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	return path, append([]string{c.path}, c.args...), err
}

// explain says what to do about a program that could not be executed.
func explain(err error) string {
	var path *fs.PathError
	switch {
	case errors.As(err, &path) && path.Op == "chdir":
		return "the worker's directory, worker.Dir, has to be there and open to this user"
	case errors.Is(err, exec.ErrNotFound):
		return "no such program in PATH; a program elsewhere needs a path with a slash in it"
	case errors.Is(err, fs.ErrNotExist) && path != nil && exists(path.Path):
		if interpreter := interpreterOf(path.Path); interpreter != "" {
			return "it is there, but its interpreter is not: its first line names " + interpreter
		}
		return "it is there, but the loader that it needs is not: was it built for another system?"
	case errors.Is(err, fs.ErrNotExist):
		dir, _ := os.Getwd()
		return "no such file; a relative path starts at the working directory " + dir
	case errors.Is(err, fs.ErrPermission):
		return "it may not be executed; is it a program, and does it have the x permission?"
	case errors.Is(err, syscall.ENOEXEC):
		return "it is not a program for this system; a script needs #! in its first line"
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// interpreterOf returns the program that the first line of a script names.
func interpreterOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	start := make([]byte, 256)
	n, _ := io.ReadFull(f, start)
	line, _, _ := strings.Cut(string(start[:n]), "\n")
	if line, script := strings.CutPrefix(line, "#!"); script && strings.TrimSpace(line) != "" {
		return strings.TrimSpace(line)
	}
	return ""
}

// String names the command in errors.
func (c Command) String() string {
	if c.path != "" {
		return c.path
	}
	return fmt.Sprintf("this program's entry %q", c.entry)
}
