package sample

import (
	"encoding/binary"
	"image"
)

// store returns the picture as a camera stores it that is held in the given
// way, so that a reader who respects the orientation gets picture back.
func store(picture *image.RGBA, orientation int) *image.RGBA {
	w, h := picture.Rect.Dx(), picture.Rect.Dy()
	onItsSide, mirrorX, mirrorY := orientation >= 5, false, false
	switch orientation {
	case 2, 8:
		mirrorX = true
	case 4, 6:
		mirrorY = true
	case 3, 7:
		mirrorX, mirrorY = true, true
	}
	stored := image.NewRGBA(image.Rect(0, 0, w, h))
	if onItsSide {
		stored = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			sx, sy := x, y
			if onItsSide {
				sx, sy = y, x
			}
			if mirrorX {
				sx = stored.Rect.Max.X - 1 - sx
			}
			if mirrorY {
				sy = stored.Rect.Max.Y - 1 - sy
			}
			stored.SetRGBA(sx, sy, picture.RGBAAt(x, y))
		}
	}
	return stored
}

// withOrientation adds an EXIF block with that one tag to a JPEG.
func withOrientation(jpeg []byte, orientation int) []byte {
	const (
		tagOrientation = 0x0112
		typeShort      = 3
	)
	exif := []byte("Exif\x00\x00MM\x00*")         // big endian
	exif = binary.BigEndian.AppendUint32(exif, 8) // where the directory starts, after MM
	exif = binary.BigEndian.AppendUint16(exif, 1) // its number of entries
	exif = binary.BigEndian.AppendUint16(exif, tagOrientation)
	exif = binary.BigEndian.AppendUint16(exif, typeShort)
	exif = binary.BigEndian.AppendUint32(exif, 1) // number of values
	exif = binary.BigEndian.AppendUint16(exif, uint16(orientation))
	exif = append(exif, 0, 0)                     // fills the value's four bytes
	exif = binary.BigEndian.AppendUint32(exif, 0) // no further directory

	const afterStart = 2 // the marker FFD8
	out := append([]byte{}, jpeg[:afterStart]...)
	out = append(out, 0xff, 0xe1)
	out = binary.BigEndian.AppendUint16(out, uint16(2+len(exif)))
	out = append(out, exif...)
	return append(out, jpeg[afterStart:]...)
}
