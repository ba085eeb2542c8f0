package imaging

import (
	"bytes"
	"image"
	"image/color"

	"github.com/bep/imagemeta"
)

// An orientation says how a camera was held, in the numbers of EXIF: 1 is
// upright, 6 must be turned a quarter to the right, and so on.
type orientation int

const upright orientation = 1

// readOrientation returns what the picture's EXIF block says, and upright when
// it has none or an unreadable one: a picture is not refused for its metadata.
func readOrientation(picture []byte, format string) orientation {
	kinds := map[string]imagemeta.ImageFormat{
		"jpeg": imagemeta.JPEG, "png": imagemeta.PNG, "webp": imagemeta.WebP,
	}
	kind, known := kinds[format]
	if !known {
		return upright
	}
	found := upright
	_, _ = imagemeta.Decode(imagemeta.Options{
		R:           bytes.NewReader(picture),
		ImageFormat: kind,
		Sources:     imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool {
			return tag.Namespace == "IFD0" && tag.Tag == "Orientation"
		},
		HandleTag: func(tag imagemeta.TagInfo) error {
			if value, ok := tag.Value.(uint16); ok && 1 <= value && value <= 8 {
				found = orientation(value)
			}
			return imagemeta.ErrStopWalking
		},
	})
	return found
}

// onItsSide says whether width and height change places.
func (o orientation) onItsSide() bool { return o >= 5 }

// size returns the upright size of a picture that is stored in size p.
func (o orientation) size(p image.Point) image.Point {
	if o.onItsSide() {
		return image.Pt(p.Y, p.X)
	}
	return p
}

// upright returns the picture the right way up.
func (o orientation) upright(stored image.Image) image.Image {
	if o == upright {
		return stored
	}
	return turned{Image: stored, orientation: o}
}

// turned shows a stored picture the right way up, pixel by pixel.
type turned struct {
	image.Image
	orientation
}

func (t turned) Bounds() image.Rectangle {
	return image.Rectangle{Max: t.size(t.Image.Bounds().Size())}
}

func (t turned) At(x, y int) color.Color {
	stored := t.Image.Bounds()
	right, bottom := stored.Dx()-1, stored.Dy()-1
	switch t.orientation {
	case 2: // mirrored
		x = right - x
	case 3: // upside down
		x, y = right-x, bottom-y
	case 4: // upside down and mirrored
		y = bottom - y
	case 5: // mirrored, then turned a quarter to the left
		x, y = y, x
	case 6: // turned a quarter to the left
		x, y = y, bottom-x
	case 7: // mirrored, then turned a quarter to the right
		x, y = right-y, bottom-x
	case 8: // turned a quarter to the right
		x, y = right-y, x
	}
	return t.Image.At(stored.Min.X+x, stored.Min.Y+y)
}
