// Package sheet lays thumbnails out as a contact sheet: a page for the browser
// and one picture in the same spirit.
package sheet

import (
	"fmt"
	"strings"
)

// A Sheet is what is shown.
type Sheet struct {
	Title string
	Note  string // a line at the foot
	Facts []Fact
	Cards []Card
}

// A Fact is a number worth telling, such as 14 thumbnails.
type Fact struct{ Value, Label string }

// A Card is one picture, or the reason why there is none.
type Card struct {
	Name   string
	Thumb  string // file name of the thumbnail, in the sheet's folder
	Format string
	Width  int // of the picture, in pixels
	Height int
	Bytes  int64  // of the file, or -1 when it could not be read
	Reason string // why there is no thumbnail; the fields above but Name and Bytes are empty then
}

// Failed says whether the card has no picture.
func (c Card) Failed() bool { return c.Reason != "" }

// Details is the small line under the name.
func (c Card) Details() string {
	switch {
	case c.Failed() && c.Bytes < 0:
		return "no thumbnail · not read"
	case c.Failed():
		return "no thumbnail · " + size(c.Bytes)
	}
	return fmt.Sprintf("%d × %d · %s · %s", c.Width, c.Height, strings.ToUpper(c.Format), size(c.Bytes))
}

// size writes a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1_000_000:
		return fmt.Sprintf("%d kB", (bytes+500)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
}
