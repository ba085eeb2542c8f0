// Package imaging makes thumbnails.
//
// [Imaging] is the contract between the program and its workers: an ordinary
// Go interface. [New] gives the implementation, which works wherever it is
// called; NewImagingClient, generated from the interface, gives a value of the
// same type whose methods run in a worker process.
package imaging

import "context"

//go:generate go tool tenon gen

// Imaging is what a worker does for the program.
//
//tenon:service
type Imaging interface {
	// Thumbnail decodes a JPEG, PNG, GIF or WebP picture, turns it the right
	// way up and scales it so that neither side is longer than size pixels. A
	// picture that is smaller keeps its size.
	Thumbnail(ctx context.Context, picture []byte, size int) (Thumb, error)
}

// A Thumb is a small picture and what is known about the large one.
type Thumb struct {
	JPEG   []byte // the thumbnail
	Format string // of the picture: jpeg, png, gif or webp
	Width  int    // of the picture when it is the right way up, in pixels
	Height int
}
