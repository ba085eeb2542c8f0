package sheet

import (
	"image"
	"image/color"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// board is a picture to draw on.
type board struct {
	*image.RGBA
	faces map[style]font.Face // a face must not be shared between goroutines
}

// A style is a kind of lettering.
type style int

const (
	title style = iota
	figure
	name
	small
)

var fonts = sync.OnceValue(func() map[style]*opentype.Font {
	parsed := map[style]*opentype.Font{}
	for style, source := range map[style][]byte{
		title: gobold.TTF, figure: gobold.TTF, name: gomedium.TTF, small: goregular.TTF,
	} {
		font, err := opentype.Parse(source)
		if err != nil {
			panic(err) // a font that ships with the program
		}
		parsed[style] = font
	}
	return parsed
})

// inFont writes the letters that the fonts lack as Go does, such as \u5199. All
// four fonts have the same letters.
func inFont(s string) string {
	var out strings.Builder
	var buffer sfnt.Buffer
	for _, r := range s {
		if glyph, err := fonts()[small].GlyphIndex(&buffer, r); err == nil && glyph != 0 {
			out.WriteRune(r)
		} else {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return out.String()
}

func newBoard(wide, high int) *board {
	b := &board{RGBA: image.NewRGBA(image.Rect(0, 0, wide, high)), faces: map[style]font.Face{}}
	draw.Draw(b.RGBA, b.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	for style, size := range map[style]float64{title: 42, figure: 28, name: 16, small: 14} {
		face, err := opentype.NewFace(fonts()[style], &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingVertical})
		if err != nil {
			panic(err)
		}
		b.faces[style] = face
	}
	return b
}

// text writes from x to the right, on the base line y.
func (b *board) text(s string, x, y int, style style, c color.Color) {
	pen := font.Drawer{Dst: b.RGBA, Src: image.NewUniform(c), Face: b.faces[style], Dot: fixed.P(x, y)}
	pen.DrawString(s)
}

func (b *board) width(s string, style style) int {
	return font.MeasureString(b.faces[style], s).Ceil()
}

// fit leaves out the middle of a text that is too wide: a file name's end tells
// as much as its beginning.
func (b *board) fit(s string, style style, wide int) string {
	if b.width(s, style) <= wide {
		return s
	}
	letters := []rune(s)
	for keep := len(letters) - 1; keep > 0; keep-- {
		tail := keep * 2 / 5
		short := string(letters[:keep-tail]) + "…" + string(letters[len(letters)-tail:])
		if b.width(short, style) <= wide {
			return short
		}
	}
	return ""
}

// paragraph writes lines into a rectangle; what does not fit ends in dots.
func (b *board) paragraph(s string, in image.Rectangle, style style, c color.Color) {
	const lineHigh = 20
	lines := b.wrap(s, style, in.Dx())
	if most := in.Dy() / lineHigh; len(lines) > most {
		lines = lines[:most]
		lines[most-1] = strings.TrimRight(lines[most-1], " .,:") + " …"
	}
	for i, line := range lines {
		b.text(line, in.Min.X, in.Min.Y+lineHigh*i, style, c)
	}
}

func (b *board) wrap(s string, style style, wide int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		for line != "" && b.width(line+" "+word, style) > wide {
			lines, line = append(lines, line), ""
		}
		for len([]rune(word)) > 1 && b.width(word, style) > wide { // a word longer than the line is cut
			letters := []rune(word)
			n := len(letters) - 1
			for n > 1 && b.width(string(letters[:n]), style) > wide {
				n--
			}
			lines, word = append(lines, string(letters[:n])), string(letters[n:])
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// round fills a rectangle with round corners.
func (b *board) round(r image.Rectangle, radius float32, c color.Color) {
	shape := roundShape(r, radius)
	shape.Draw(b.RGBA, r, image.NewUniform(c), image.Point{})
}

func roundShape(r image.Rectangle, radius float32) *vector.Rasterizer {
	w, h := float32(r.Dx()), float32(r.Dy())
	bend := radius * 0.4477 // of a cubic curve that looks like a quarter circle
	v := vector.NewRasterizer(r.Dx(), r.Dy())
	v.MoveTo(radius, 0)
	v.LineTo(w-radius, 0)
	v.CubeTo(w-bend, 0, w, bend, w, radius)
	v.LineTo(w, h-radius)
	v.CubeTo(w, h-bend, w-bend, h, w-radius, h)
	v.LineTo(radius, h)
	v.CubeTo(bend, h, 0, h-bend, 0, h-radius)
	v.LineTo(0, radius)
	v.CubeTo(0, bend, bend, 0, radius, 0)
	v.ClosePath()
	return v
}

// paste lays a picture down and takes the edge off its corners.
func (b *board) paste(picture *image.RGBA, at image.Point) {
	size := picture.Rect.Size()
	corners := image.NewAlpha(picture.Rect)
	roundShape(picture.Rect, min(3, float32(min(size.X, size.Y))/2)).Draw(corners, corners.Rect, image.Opaque, image.Point{})
	place := image.Rectangle{Min: at, Max: at.Add(size)}
	draw.DrawMask(b.RGBA, place, picture, image.Point{}, corners, image.Point{}, draw.Over)
}

// cross draws the sign of a failure: a ring with an x in it.
func (b *board) cross(middle image.Point, radius int, c color.Color) {
	box := image.Rect(-radius, -radius, radius, radius).Add(middle)
	b.round(box, float32(radius), c)
	b.round(box.Inset(2), float32(radius-2), badMat)
	const thick = 0.9 // half a stroke, across its diagonal
	mid, arm := float32(radius), float32(radius)*0.36
	for _, down := range []float32{1, -1} {
		v := vector.NewRasterizer(2*radius, 2*radius)
		v.MoveTo(mid-arm-thick, mid-down*(arm-thick))
		v.LineTo(mid-arm+thick, mid-down*(arm+thick))
		v.LineTo(mid+arm+thick, mid+down*(arm-thick))
		v.LineTo(mid+arm-thick, mid+down*(arm+thick))
		v.ClosePath()
		v.Draw(b.RGBA, box, image.NewUniform(c), image.Point{})
	}
}
