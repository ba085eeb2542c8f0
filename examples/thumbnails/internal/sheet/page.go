package sheet

import (
	_ "embed"
	"html/template"
	"io"
	"net/url"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// Link is the thumbnail's address, relative to the page.
func (c Card) Link() string { return "./" + url.PathEscape(c.Thumb) }

// WritePage writes the sheet as an HTML page that needs no other files than
// the thumbnails beside it.
func WritePage(w io.Writer, s Sheet) error { return page.Execute(w, s) }
