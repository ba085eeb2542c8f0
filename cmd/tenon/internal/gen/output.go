package gen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// An Output is a generated file as it should be.
type Output struct {
	Path string
	Text []byte // nil: the file should not exist
}

// Current reports whether the file is as it should be already.
func (o Output) Current() (bool, error) {
	text, err := os.ReadFile(o.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return o.Text == nil, nil
	case err != nil:
		return false, err
	}
	return o.Text != nil && bytes.Equal(text, o.Text), nil
}

// Write brings the file up to date. A reader sees the old text or the new one,
// never a part.
func (o Output) Write() error {
	if o.Text == nil {
		return os.Remove(o.Path)
	}
	temp, err := os.CreateTemp(filepath.Dir(o.Path), ".tenon-gen-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the rename, as it should
	_, err = temp.Write(o.Text)
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), o.Path)
}
