package sample

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/tenon-go/tenon/examples/thumbnails/samples"
)

func TestBombIsSmallOnDiskAndEnormousInMemory(t *testing.T) {
	content, err := samples.FS.ReadFile(Bomb.Name)
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if config.Width != 30_000 || config.Height != 30_000 {
		t.Errorf("it is %d x %d pixels, want 30,000 x 30,000", config.Width, config.Height)
	}
}

// A small one can be looked at: the whole of it is valid, and a decoder gives
// every pixel four bytes.
func TestBombDecodesToFourBytesAPixel(t *testing.T) {
	content, err := bombOf(100)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	pixels, ok := picture.(*image.NRGBA)
	if !ok {
		t.Fatalf("it decodes to a %T, want an *image.NRGBA", picture)
	}
	if len(pixels.Pix) != 4*100*100 {
		t.Errorf("it takes %d bytes, want 40,000", len(pixels.Pix))
	}
	for i := 3; i < len(pixels.Pix); i += 4 {
		if pixels.Pix[i] != 255 {
			t.Fatalf("pixel %d was not written", i/4)
		}
	}
}
