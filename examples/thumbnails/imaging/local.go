package imaging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // a decoder for image.Decode, like the two below
	"image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"strings"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

const jpegQuality = 85

// New returns an Imaging that does the work in this process, on the caller's
// goroutine. It may be called from many at once.
//
// It trusts its input: a picture that says it is 30,000 pixels wide gets the
// memory it asks for. That is the usual carelessness of a decoder, and the
// reason to run it in a worker with a memory limit.
func New() Imaging { return local{} }

type local struct{}

func (local) Thumbnail(ctx context.Context, picture []byte, size int) (Thumb, error) {
	if size < 1 {
		return Thumb{}, fmt.Errorf("a thumbnail of %d pixels is too small: ask for 1 or more", size)
	}
	large, format, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return Thumb{}, explain(err, picture, format)
	}
	if err := ctx.Err(); err != nil {
		return Thumb{}, err // nobody waits any more
	}
	stored := readOrientation(picture, format)
	var out bytes.Buffer
	err = jpeg.Encode(&out, stored.upright(shrink(large, size)), &jpeg.Options{Quality: jpegQuality})
	if err != nil {
		return Thumb{}, fmt.Errorf("encode the thumbnail: %w", err)
	}
	full := stored.size(large.Bounds().Size())
	return Thumb{JPEG: out.Bytes(), Format: format, Width: full.X, Height: full.Y}, nil
}

// shrink scales a picture into a square of size pixels. What is transparent
// becomes white, as JPEG knows no transparency.
func shrink(large image.Image, size int) *image.RGBA {
	w, h := large.Bounds().Dx(), large.Bounds().Dy()
	if longest := max(w, h); longest > size {
		w, h = max(1, w*size/longest), max(1, h*size/longest)
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	draw.CatmullRom.Scale(small, small.Bounds(), large, large.Bounds(), draw.Over, nil)
	return small
}

// explain turns a decoder's error into a sentence for the picture's owner.
func explain(err error, picture []byte, format string) error {
	switch {
	case len(picture) == 0:
		return errors.New("the file is empty")
	case errors.Is(err, image.ErrFormat):
		kind, _, _ := strings.Cut(http.DetectContentType(picture), ";")
		return fmt.Errorf("not a JPEG, PNG, GIF or WebP picture: its content looks like %s", kind)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, jpeg.FormatError("short Huffman data")):
		return fmt.Errorf("the %s data ends too early: the file is cut off", strings.ToUpper(format))
	default:
		return fmt.Errorf("cannot decode it: %w", err)
	}
}
