package main

import (
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newBar returns a progress bar for n pictures on a terminal, and one that
// shows nothing where the output goes elsewhere.
func newBar(n int, to *os.File) *progressbar.ProgressBar {
	return progressbar.NewOptions(n,
		progressbar.OptionSetWriter(to),
		progressbar.OptionSetVisibility(term.IsTerminal(int(to.Fd()))),
		progressbar.OptionSetDescription("Making thumbnails"),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(32),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "━", SaucerHead: "━", SaucerPadding: "┈"}),
	)
}
