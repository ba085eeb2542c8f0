package imaging_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"github.com/tenon-go/tenon/examples/thumbnails/imaging"
	"github.com/tenon-go/tenon/examples/thumbnails/internal/sample"
	"github.com/tenon-go/tenon/examples/thumbnails/samples"
)

// Every sample's thumbnail shows what the scene shows that it was made of. The
// JPEGs among them have one of the eight orientations each.
func TestThumbnailsOfAllFormatsAndOrientationsShowTheScene(t *testing.T) {
	const size = 160
	orientations := map[int]bool{}
	formats := map[string]bool{}
	for _, s := range sample.Pictures {
		t.Run(s.Name, func(t *testing.T) {
			content, err := samples.FS.ReadFile(s.Name)
			if err != nil {
				t.Fatal(err)
			}
			thumb, err := imaging.New().Thumbnail(context.Background(), content, size)
			if err != nil {
				t.Fatal(err)
			}
			if thumb.Width != s.Scene.Width || thumb.Height != s.Scene.Height {
				t.Errorf("size is %d x %d, want %d x %d", thumb.Width, thumb.Height, s.Scene.Width, s.Scene.Height)
			}
			got, err := jpeg.Decode(bytes.NewReader(thumb.JPEG))
			if err != nil {
				t.Fatal(err)
			}
			if longest := max(got.Bounds().Dx(), got.Bounds().Dy()); longest > size {
				t.Errorf("longest side has %d pixels, want at most %d", longest, size)
			}
			s.Scene.Width, s.Scene.Height = s.Scene.Width/3, s.Scene.Height/3 // quicker, and as good here
			want := scaled(s.Scene.Draw(), got.Bounds())
			noise := 8. // of JPEG
			if s.Orientation == 0 {
				noise = 15 // of other formats, with their palettes
			}
			if d := difference(got, want); d > noise {
				t.Errorf("pixels differ by %.1f of 255 from the scene", d)
			}
			if d := difference(upsideDown(got), want); s.Orientation != 0 && d < 2*noise {
				t.Errorf("the measure is blind: upside down it would differ by %.1f only", d)
			}
			orientations[s.Orientation], formats[thumb.Format] = true, true
		})
	}
	for o := 1; o <= 8; o++ {
		if !orientations[o] {
			t.Errorf("no sample has orientation %d", o)
		}
	}
	for _, f := range []string{"jpeg", "png", "gif", "webp"} {
		if !formats[f] {
			t.Errorf("no sample is a %s", f)
		}
	}
}

func TestBadPictureIsRefusedWithItsReason(t *testing.T) {
	read := func(s sample.Sample) []byte {
		content, err := samples.FS.ReadFile(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	for _, c := range []struct {
		name    string
		content []byte
		size    int
		want    string
	}{
		{"truncated", read(sample.Truncated), 100, "the JPEG data ends too early: the file is cut off"},
		{"text", read(sample.Text), 100, "not a JPEG, PNG, GIF or WebP picture: its content looks like text/plain"},
		{"empty", nil, 100, "the file is empty"},
		{"broken header", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDRxxxxyyyyzzzzz"), 100, "cannot decode it: png: "},
		{"no size", read(sample.Pictures[0]), 0, "a thumbnail of 0 pixels is too small: ask for 1 or more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := imaging.New().Thumbnail(context.Background(), c.content, c.size)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
}

func TestThumbnailKeepsProportionsAndNeverEnlarges(t *testing.T) {
	for _, c := range []struct{ w, h, size, wantW, wantH int }{
		{400, 200, 100, 100, 50},
		{200, 400, 100, 50, 100},
		{60, 40, 100, 60, 40},
		{3000, 2, 100, 100, 1},
		{1, 1, 1, 1, 1},
	} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			var content bytes.Buffer
			if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, c.w, c.h))); err != nil {
				t.Fatal(err)
			}
			thumb, err := imaging.New().Thumbnail(context.Background(), content.Bytes(), c.size)
			if err != nil {
				t.Fatal(err)
			}
			small, err := jpeg.DecodeConfig(bytes.NewReader(thumb.JPEG))
			if err != nil {
				t.Fatal(err)
			}
			if small.Width != c.wantW || small.Height != c.wantH {
				t.Errorf("thumbnail is %d x %d, want %d x %d", small.Width, small.Height, c.wantW, c.wantH)
			}
		})
	}
}

func TestTransparentPixelsBecomeWhite(t *testing.T) {
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewNRGBA(image.Rect(0, 0, 20, 20))); err != nil {
		t.Fatal(err)
	}
	thumb, err := imaging.New().Thumbnail(context.Background(), content.Bytes(), 10)
	if err != nil {
		t.Fatal(err)
	}
	got, err := jpeg.Decode(bytes.NewReader(thumb.JPEG))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, scaled(image.White, got.Bounds())); d > 2 {
		t.Errorf("pixels differ by %.1f of 255 from white", d)
	}
}

func TestAnimatedGIFShowsItsFirstFrame(t *testing.T) {
	first := sample.Pictures[0].Scene.Draw()
	var frames gif.GIF
	for _, source := range []image.Image{first, image.Black} {
		frame := image.NewPaletted(first.Rect, palette.Plan9)
		draw.FloydSteinberg.Draw(frame, frame.Rect, source, image.Point{})
		frames.Image, frames.Delay = append(frames.Image, frame), append(frames.Delay, 10)
	}
	var content bytes.Buffer
	if err := gif.EncodeAll(&content, &frames); err != nil {
		t.Fatal(err)
	}
	thumb, err := imaging.New().Thumbnail(context.Background(), content.Bytes(), 120)
	if err != nil {
		t.Fatal(err)
	}
	got, err := jpeg.Decode(bytes.NewReader(thumb.JPEG))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, scaled(first, got.Bounds())); d > 12 {
		t.Errorf("pixels differ by %.1f of 255 from the first frame", d)
	}
}

func TestCancelledCallEndsBeforeScaling(t *testing.T) {
	content, err := samples.FS.ReadFile("leaf.png")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := imaging.New().Thumbnail(ctx, content, 100); err != context.Canceled {
		t.Errorf("error is %v, want context.Canceled", err)
	}
}

// scaled returns what a thumbnail of that size should look like.
func scaled(picture image.Image, bounds image.Rectangle) image.Image {
	out := image.NewRGBA(bounds)
	draw.Draw(out, bounds, image.White, image.Point{}, draw.Src)
	from := picture.Bounds()
	if from.Dx() > 1<<20 { // a uniform colour
		draw.Draw(out, bounds, picture, image.Point{}, draw.Over)
		return out
	}
	draw.CatmullRom.Scale(out, bounds, picture, from, draw.Over, nil)
	return out
}

// difference is the mean distance of two pictures' pixels, 0 to 255.
func difference(a, b image.Image) float64 {
	if a.Bounds().Size() != b.Bounds().Size() {
		return math.Inf(1)
	}
	var sum, n float64
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			for _, d := range []float64{float64(ar) - float64(br), float64(ag) - float64(bg), float64(ab) - float64(bb)} {
				sum += math.Abs(d) / 257
				n++
			}
		}
	}
	return sum / n
}

func upsideDown(picture image.Image) image.Image {
	bounds := picture.Bounds()
	out := image.NewRGBA(bounds)
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			out.Set(bounds.Dx()-1-x, bounds.Dy()-1-y, picture.At(x, y))
		}
	}
	return out
}
