// Package sample makes the files of the samples folder: the pictures of
// package scene in several formats and orientations, and three files that a
// program which takes pictures from strangers has to survive.
package sample

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"github.com/HugoSmits86/nativewebp"

	"github.com/tenon-go/tenon/examples/thumbnails/internal/scene"
)

// A Sample is one file.
type Sample struct {
	Name        string
	Scene       scene.Scene // what a good picture shows
	Orientation int         // of a JPEG, as in EXIF
	encode      func(s Sample) ([]byte, error)
}

// The pictures, each of which shows its Scene.
var Pictures = []Sample{
	{"alpine-dawn.jpg", scene.AlpineDawn, 1, asJPEG},
	{"aurora.jpg", scene.Aurora, 7, asJPEG},
	{"balloons.jpg", scene.Balloons, 4, asJPEG},
	{"city.jpeg", scene.City, 6, asJPEG},
	{"dunes.jpg", scene.Dunes, 8, asJPEG},
	{"forest.jpg", scene.Forest, 5, asJPEG},
	{"moonlit-sea.jpg", scene.Sea, 3, asJPEG},
	{"planet.jpg", scene.Planet, 2, asJPEG},
	{"leaf.png", scene.Icon, 0, asPNG},
	{"rainfall.png", scene.Chart, 0, asPNG},
	{"seahorse-valley.png", scene.Fractal, 0, asPalettedPNG},
	{"rosette.gif", scene.Rosette, 0, asGIF},
	{"paper-hills.webp", scene.Paper, 0, asWebP},
	{"stained-glass.webp", scene.Glass, 0, asWebP},
}

// The files that are no good pictures.
var (
	Bomb      = Sample{Name: "bomb.png", encode: bomb}
	Text      = Sample{Name: "shopping-list.png", encode: text}
	Truncated = Sample{Name: "half-a-download.jpg", Scene: scene.Balloons, Orientation: 1, encode: half}
)

// All returns every sample.
func All() []Sample { return append(Pictures[:len(Pictures):len(Pictures)], Bomb, Text, Truncated) }

// Bytes returns the file's content: the same on every run.
func (s Sample) Bytes() ([]byte, error) { return s.encode(s) }

func asJPEG(s Sample) ([]byte, error) {
	var out bytes.Buffer
	err := jpeg.Encode(&out, store(s.Scene.Draw(), s.Orientation), &jpeg.Options{Quality: 84})
	return withOrientation(out.Bytes(), s.Orientation), err
}

func asPNG(s Sample) ([]byte, error) { return encodePNG(s.Scene.Draw()) }

func asPalettedPNG(s Sample) ([]byte, error) { return encodePNG(reduce(s.Scene.Draw(), 32)) }

func encodePNG(picture image.Image) ([]byte, error) {
	var out bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, picture)
	return out.Bytes(), err
}

func asGIF(s Sample) ([]byte, error) {
	var out bytes.Buffer
	err := gif.Encode(&out, reduce(s.Scene.Draw(), 32), nil)
	return out.Bytes(), err
}

func asWebP(s Sample) ([]byte, error) {
	var out bytes.Buffer
	err := nativewebp.Encode(&out, s.Scene.Draw(), nil)
	return out.Bytes(), err
}

// half is what a broken connection leaves of a JPEG.
func half(s Sample) ([]byte, error) {
	whole, err := asJPEG(s)
	return whole[:len(whole)/2], err
}

func text(Sample) ([]byte, error) {
	return []byte("Bread\nApples\nLamp oil\nAn adapter for the camera\n"), nil
}
