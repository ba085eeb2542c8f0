package sheet

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPageShowsNamesAndReasonsAsTextNotAsMarkup(t *testing.T) {
	var out bytes.Buffer
	err := WritePage(&out, Sheet{Title: "a < b", Cards: []Card{
		{Name: "<script>.jpg", Thumb: "<script>.jpg", Format: "jpeg", Width: 4, Height: 3, Bytes: 1234},
		{Name: "bad.png", Reason: "it is <broken> & gone"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<h1>a &lt; b</h1>", "&lt;script&gt;.jpg", "it is &lt;broken&gt; &amp; gone", "4 × 3 · JPEG · 1 kB",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(out.String(), "<script>") {
		t.Error("a file name became markup")
	}
}

func TestPageLinksToThumbnailsWithAnyName(t *testing.T) {
	for name, want := range map[string]string{
		"plain.jpg":        `src="./plain.jpg"`,
		"half #1, 50%.jpg": `src="./half%20%231%2C%2050%25.jpg"`,
		"why?.jpg":         `src="./why%3F.jpg"`,
		"javascript:x.jpg": `src="./javascript:x.jpg"`,
	} {
		var out bytes.Buffer
		if err := WritePage(&out, Sheet{Cards: []Card{{Name: name, Thumb: name}}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestPictureShowsThumbnailsAndFailures(t *testing.T) {
	red := image.NewRGBA(image.Rect(0, 0, 200, 100))
	for i := range red.Pix {
		red.Pix[i] = []byte{220, 0, 0, 255}[i%4]
	}
	dir := fstest.MapFS{"red.jpg": {Data: asJPEG(t, red)}}
	picture := drawn(t, Sheet{Title: "Test", Cards: []Card{
		{Name: "red", Thumb: "red.jpg", Format: "jpeg", Width: 200, Height: 100},
		{Name: "bad", Reason: "it is broken"},
	}}, dir)

	middle := func(card int) color.RGBA {
		x := margin + card*(cardWide+gap) + cardWide/2
		return color.RGBAModel.Convert(picture.At(x, headHigh+padding+mat/2)).(color.RGBA)
	}
	if c := middle(0); c.R < 200 || c.G > 30 {
		t.Errorf("the first card's middle is %v, want red", c)
	}
	if c := middle(1); c != badMat {
		t.Errorf("the second card's middle is %v, want %v", c, badMat)
	}
}

func TestPictureOfManyCardsIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it is a large picture")
	}
	cards := make([]Card, 5000)
	for i := range cards {
		cards[i] = Card{Name: fmt.Sprint(i), Reason: "none"}
	}
	picture := drawn(t, Sheet{Cards: cards}, fstest.MapFS{})
	rows := (mostCards + columns - 1) / columns
	if high := picture.Bounds().Dy(); high > headHigh+footHigh+rows*(cardHigh+gap) {
		t.Errorf("the picture is %d pixels high", high)
	}
}

func TestPictureNamesTheThumbnailThatIsGone(t *testing.T) {
	err := WritePicture(&bytes.Buffer{}, Sheet{Cards: []Card{{Name: "a", Thumb: "a.jpg"}}}, fstest.MapFS{})
	if err == nil || !strings.Contains(err.Error(), "a.jpg") {
		t.Errorf("error is %v, want one that names a.jpg", err)
	}
}

func TestLettersThatTheFontsLackAreWrittenAsTheirCode(t *testing.T) {
	for text, want := range map[string]string{
		"Café – it's №1.jpg": "Café – it's №1.jpg",
		"写真 1.jpg":           `\u5199\u771f 1.jpg`,
		"🐦.png":              `\U0001f426.png`,
	} {
		if got := inFont(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

func TestWhatWasNotReadHasNoSize(t *testing.T) {
	for bytes, want := range map[int64]string{-1: "no thumbnail · not read", 0: "no thumbnail · 0 bytes"} {
		if got := (Card{Reason: "it is not a file", Bytes: bytes}).Details(); got != want {
			t.Errorf("%d bytes: %q, want %q", bytes, got, want)
		}
	}
}

func TestTextIsMadeToFit(t *testing.T) {
	b := newBoard(10, 10)
	long := strings.Repeat("very-", 20) + "long.jpg"
	short := b.fit(long, name, mat)
	if b.width(short, name) > mat || !strings.HasPrefix(short, "very-") || !strings.HasSuffix(short, "long.jpg") {
		t.Errorf("fit gives %q", short)
	}
	for _, line := range b.wrap(strings.Repeat("word ", 30)+strings.Repeat("x", 200), small, 200) {
		if b.width(line, small) > 200 {
			t.Errorf("line %q is too wide", line)
		}
	}
	for _, wide := range []int{0, 1, 5} { // narrower than a letter: it must come to an end
		b.wrap("some words", small, wide)
		b.fit("some words", small, wide)
	}
}

func asJPEG(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func drawn(t *testing.T, s Sheet, dir fstest.MapFS) image.Image {
	t.Helper()
	var out bytes.Buffer
	if err := WritePicture(&out, s, dir); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}
