package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tenon-go/tenon/examples/thumbnails/samples"
)

// A folder holds the pictures of one run.
type folder struct {
	fs    fs.FS // a field of its own: embedded, it would hide that it can Stat
	title string
	names []string // of its pictures, sorted
}

// openFolder lists the pictures of a folder; no name means the samples that
// come with the program. Folders in it are left alone.
func openFolder(name string) (folder, error) {
	f := folder{fs: samples.FS, title: "Sample pictures"}
	if name != "" {
		path, err := filepath.Abs(name)
		if err != nil {
			return folder{}, err
		}
		f = folder{fs: directory(path), title: filepath.Base(path)}
	}
	entries, err := fs.ReadDir(f.fs, ".")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return folder{}, fmt.Errorf("there is no folder %s", name)
	case err != nil:
		return folder{}, fmt.Errorf("cannot list the folder %s: %w", name, cause(err))
	}
	for _, entry := range entries {
		if !entry.IsDir() && isPicture(entry.Name()) {
			f.names = append(f.names, entry.Name())
		}
	}
	if len(f.names) == 0 {
		return folder{}, fmt.Errorf("no pictures in %s: it has no file whose name ends in .jpg, .jpeg, .png, .gif or .webp", name)
	}
	return f, nil
}

// only returns the folder with some of its pictures.
func (f folder) only(names []string) folder {
	f.names = names
	return f
}

func isPicture(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp":
		return true
	}
	return false
}

// mostBytes is the size of the largest file that is taken for a picture.
const mostBytes = 128 << 20

// read returns a picture's bytes.
func (f folder) read(name string) ([]byte, error) {
	info, err := fs.Stat(f.fs, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read it: %w", cause(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("it has %d MiB, and %d MiB is the most that is read", info.Size()>>20, mostBytes>>20)
	}
	content, err := fs.ReadFile(f.fs, name)
	if err != nil {
		return nil, fmt.Errorf("cannot read it: %w", cause(err))
	}
	return content, nil
}

// A directory is like os.DirFS, but takes every name that the system has, also
// one that is no valid UTF-8.
type directory string

func (d directory) path(name string) string { return filepath.Join(string(d), name) }

func (d directory) Open(name string) (fs.File, error)          { return os.Open(d.path(name)) }
func (d directory) Stat(name string) (fs.FileInfo, error)      { return os.Stat(d.path(name)) }
func (d directory) ReadFile(name string) ([]byte, error)       { return os.ReadFile(d.path(name)) }
func (d directory) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(d.path(name)) }

// legible writes a name for people: what is no letter is escaped, so that a name
// cannot steer the terminal and two names never look the same.
func legible(name string) string {
	var out strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, name[0])
		case !unicode.IsPrint(r):
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			out.WriteRune(r)
		}
		name = name[size:]
	}
	return out.String()
}

// cause takes the path off an error of the file system, where the sentence
// around it names the file already.
func cause(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
