package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tenon-go/tenon/examples/thumbnails/internal/sheet"
)

// An album is the folder that thumbnails and contact sheet are written to.
type album struct{ dir string }

// openAlbum makes sure that files can be written to dir before any work is
// done. The folder of the pictures itself is refused: the next run would take
// the thumbnails for pictures.
func openAlbum(dir, pictures string) (album, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return album{}, fmt.Errorf("cannot make the folder %s: %w", dir, cause(err))
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return album{}, fmt.Errorf("cannot write to the folder %s: %w", dir, cause(err))
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return album{}, err
	}
	if pictures != "" && sameFile(dir, pictures) {
		return album{}, fmt.Errorf("the thumbnails would lie among the pictures in %s: choose another folder with -out", dir)
	}
	return album{dir}, nil
}

func sameFile(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, second)
}

// thumbName keeps the picture's whole name, so that a.png and a.gif do not end
// up in one file.
func thumbName(picture string) string { return picture + ".jpg" }

// keep writes the thumbnail of a picture that has one.
func (a album) keep(r result) error {
	if r.failed != nil {
		return nil
	}
	return a.write(thumbName(r.name), func(w io.Writer) error {
		_, err := w.Write(r.thumb.JPEG)
		return err
	})
}

// addSheet writes the contact sheet, as a page and as a picture.
func (a album) addSheet(s *summary) error {
	const page, picture = "contact.html", "contact.png"
	s.Page, s.Picture = filepath.Join(a.dir, page), filepath.Join(a.dir, picture)
	contact := s.sheet()
	return errors.Join(
		a.write(page, func(w io.Writer) error { return sheet.WritePage(w, contact) }),
		a.write(picture, func(w io.Writer) error { return sheet.WritePicture(w, contact, directory(a.dir)) }),
	)
}

// write makes a file that is whole or not there at all.
func (a album) write(name string, content func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write %s: %w", filepath.Join(a.dir, name), cause(err))
		}
	}()
	file, err := os.CreateTemp(a.dir, ".new-*")
	if err != nil {
		return err
	}
	err = errors.Join(content(file), file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(a.dir, name))
	}
	if err != nil {
		if gone := os.Remove(file.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
