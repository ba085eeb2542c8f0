// Package scene draws the sample pictures of the thumbnails example. Every
// picture is a formula: the same pixels come out on every run.
package scene

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"runtime"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/sync/errgroup"
)

// A Scene is one picture that can be drawn.
type Scene struct {
	Title         string
	Width, Height int // in pixels, the right way up
	paint         func(c *canvas)
}

// Draw returns the picture, the right way up.
func (s Scene) Draw() *image.RGBA {
	c := &canvas{RGBA: image.NewRGBA(image.Rect(0, 0, s.Width, s.Height))}
	s.paint(c)
	return c.RGBA
}

// rgb is a colour with components from 0 to 1.
type rgb struct{ r, g, b float64 }

func hex(v uint32) rgb {
	return rgb{float64(v >> 16 & 0xff), float64(v >> 8 & 0xff), float64(v & 0xff)}.times(1. / 255)
}

func (c rgb) times(f float64) rgb { return rgb{c.r * f, c.g * f, c.b * f} }
func (c rgb) plus(d rgb) rgb      { return rgb{c.r + d.r, c.g + d.g, c.b + d.b} }

// mix goes from a at t = 0 to b at t = 1.
func mix(a, b rgb, t float64) rgb {
	t = clamp(t)
	return a.times(1 - t).plus(b.times(t))
}

// ramp spreads the colours evenly over t from 0 to 1.
func ramp(t float64, colours ...rgb) rgb {
	at := clamp(t) * float64(len(colours)-1)
	i := min(int(at), len(colours)-2)
	return mix(colours[i], colours[i+1], at-float64(i))
}

func clamp(t float64) float64 { return min(1, max(0, t)) }

// smooth rises gently from 0 at from to 1 at to.
func smooth(from, to, x float64) float64 {
	t := clamp((x - from) / (to - from))
	return t * t * (3 - 2*t)
}

// hash scatters a pair of numbers over 0 to 1.
func hash(i, j int) float64 {
	h := uint32(i)*0x9e3779b1 ^ uint32(j)*0x85ebca77
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	h *= 0x297a2d39
	h ^= h >> 15
	return float64(h) / (1 << 32)
}

// wave is smooth one-dimensional noise, 0 to 1, one hump per unit.
func wave(x float64, seed int) float64 {
	i := math.Floor(x)
	return hash(int(i), seed) + (hash(int(i)+1, seed)-hash(int(i), seed))*smooth(0, 1, x-i)
}

// ridge is a mountain line: waves of ever finer detail, 0 to 1.
func ridge(x float64, seed, detail int) float64 {
	sum, weight, total := 0., 1., 0.
	for octave := range detail {
		sum += weight * wave(x, seed+octave)
		total += weight
		x, weight = x*2.03+17, weight*0.48
	}
	return sum / total
}

// peaks is like ridge, but with sharp summits.
func peaks(x float64, seed int) float64 {
	sum, weight := 0., 0.5
	for octave := range 7 {
		fold := 1 - math.Abs(2*wave(x, seed+octave)-1)
		sum += weight * fold * (0.4 + 0.6*fold)
		x, weight = x*2.1+13, weight*0.47
	}
	return sum
}

// canvas is a picture in the making. Its formulas measure in heights: y runs
// from 0 at the top to 1, x from 0 to the picture's width divided by its height.
type canvas struct{ *image.RGBA }

// shade computes every pixel as the mean of 2 by 2 samples of a formula, the
// rows on all CPUs.
func (c *canvas) shade(colour func(x, y float64) rgb) {
	const fine = 2
	unit := 1 / float64(c.Rect.Dy()) / fine
	var rows errgroup.Group
	rows.SetLimit(runtime.GOMAXPROCS(0))
	for py := range c.Rect.Dy() {
		rows.Go(func() error {
			for px := range c.Rect.Dx() {
				var sum rgb
				for s := range fine * fine {
					x := float64(px*fine+s%fine) + 0.5
					y := float64(py*fine+s/fine) + 0.5
					sum = sum.plus(colour(x*unit, y*unit))
				}
				c.SetRGBA(px, py, sum.times(1./(fine*fine)).pixel())
			}
			return nil
		})
	}
	_ = rows.Wait() // no row fails
}

func (c rgb) pixel() color.RGBA {
	to8 := func(v float64) uint8 { return uint8(math.Round(clamp(v) * 255)) }
	return color.RGBA{to8(c.r), to8(c.g), to8(c.b), 255}
}

// write puts text with its left end at x and its base line at y; size is the
// height of the letters' line, like x and y in heights of the picture.
func (c *canvas) write(text string, x, y, size float64, colour rgb) {
	height := float64(c.Rect.Dy())
	pen := font.Drawer{
		Dst:  c.RGBA,
		Src:  image.NewUniform(colour.pixel()),
		Face: face(size * height),
		Dot:  fixed.P(int(x*height), int(y*height)),
	}
	pen.DrawString(text)
}

// caption signs a picture in its lower left corner, so that a wrong
// orientation shows.
func (c *canvas) caption(text string, colour rgb) { c.write(text, 0.05, 0.945, 0.058, colour) }

func face(size float64) font.Face {
	parsed, err := opentype.Parse(gomedium.TTF)
	if err != nil {
		panic(fmt.Sprintf("the font that Go ships is broken: %v", err))
	}
	f, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		panic(err)
	}
	return f
}
