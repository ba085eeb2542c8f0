package sample

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// reduce repaints a picture with its n most frequent kinds of colours.
func reduce(picture *image.RGBA, n int) *image.Paletted {
	type kind struct{ r, g, b, count int }
	var kinds [1 << 12]kind // by the upper four bits of each component
	for i := 0; i < len(picture.Pix); i += 4 {
		r, g, b := int(picture.Pix[i]), int(picture.Pix[i+1]), int(picture.Pix[i+2])
		k := &kinds[r>>4<<8|g>>4<<4|b>>4]
		k.r, k.g, k.b, k.count = k.r+r, k.g+g, k.b+b, k.count+1
	}
	slices.SortStableFunc(kinds[:], func(a, b kind) int { return cmp.Compare(b.count, a.count) })
	var palette color.Palette
	for _, k := range kinds[:n] {
		if k.count > 0 {
			palette = append(palette, color.RGBA{uint8(k.r / k.count), uint8(k.g / k.count), uint8(k.b / k.count), 255})
		}
	}
	out := image.NewPaletted(picture.Rect, palette)
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			out.Set(x, y, picture.RGBAAt(x, y))
		}
	}
	return out
}
