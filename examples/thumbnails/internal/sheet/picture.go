package sheet

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"

	"golang.org/x/image/draw"
)

// The picture's measures, in pixels.
const (
	columns   = 6
	margin    = 52
	gap       = 20
	padding   = 16
	mat       = 240 // the square that a thumbnail lies in
	cardWide  = mat + 2*padding
	cardHigh  = mat + 2*padding + 54
	headHigh  = 150
	footHigh  = 84
	mostCards = 120 // more than that belong on the page: nobody opens a picture of 30,000 lines
)

var (
	ground  = color.RGBA{0xf4, 0xf1, 0xec, 0xff}
	paper   = color.RGBA{0xff, 0xff, 0xff, 0xff}
	matTone = color.RGBA{0xf0, 0xec, 0xe5, 0xff}
	line    = color.RGBA{0xe2, 0xdc, 0xd2, 0xff}
	ink     = color.RGBA{0x2b, 0x2a, 0x33, 0xff}
	soft    = color.RGBA{0x7a, 0x74, 0x82, 0xff}
	accent  = color.RGBA{0x0f, 0x76, 0x6e, 0xff}
	shadow  = color.RGBA{0x00, 0x00, 0x00, 0x09}

	badPaper = color.RGBA{0xfd, 0xf3, 0xf1, 0xff}
	badMat   = color.RGBA{0xf9, 0xe0, 0xdb, 0xff}
	badLine  = color.RGBA{0xed, 0xc4, 0xbb, 0xff}
	badInk   = color.RGBA{0x9b, 0x2c, 0x1f, 0xff}
)

// WritePicture writes the sheet as one PNG. The thumbnails are read from dir.
// A long sheet ends with a note that the page has more. Letters that the fonts
// lack, such as Chinese ones, are written as their code: only the page has them.
func WritePicture(w io.Writer, s Sheet, dir fs.FS) error {
	cards := s.Cards[:min(len(s.Cards), mostCards)]
	rows := max(1, (len(cards)+columns-1)/columns)
	board := newBoard(2*margin+columns*cardWide+(columns-1)*gap, headHigh+rows*(cardHigh+gap)-gap+footHigh)

	board.head(s)
	for i, card := range cards {
		x := margin + i%columns*(cardWide+gap)
		y := headHigh + i/columns*(cardHigh+gap)
		if err := board.card(x, y, card, dir); err != nil {
			return err
		}
	}
	note := s.Note
	if more := len(s.Cards) - len(cards); more > 0 {
		note = fmt.Sprintf("and %d more, on the page · %s", more, note)
	}
	board.text(note, margin, board.Rect.Max.Y-34, small, soft)
	return png.Encode(w, board.RGBA)
}

// head shows the title on the left and the facts on the right.
func (b *board) head(s Sheet) {
	right := b.Rect.Max.X - margin
	for i := len(s.Facts) - 1; i >= 0; i-- {
		fact := s.Facts[i]
		wide := max(b.width(fact.Value, figure), b.width(fact.Label, small))
		b.text(fact.Value, right-wide, 84, figure, accent)
		b.text(fact.Label, right-wide, 108, small, soft)
		right -= wide + 36
	}
	b.text(b.fit(inFont(s.Title), title, right-margin), margin, 100, title, ink)
}

func (b *board) card(x, y int, card Card, dir fs.FS) error {
	frame := image.Rect(x, y, x+cardWide, y+cardHigh)
	field := image.Rect(x+padding, y+padding, x+padding+mat, y+padding+mat)
	b.round(frame.Add(image.Pt(0, 4)).Inset(-1), 15, shadow)
	b.round(frame.Add(image.Pt(0, 2)), 15, shadow)
	if card.Failed() {
		b.round(frame, 14, badLine)
		b.round(frame.Inset(1), 13, badPaper)
		b.round(field, 8, badMat)
		b.cross(field.Min.Add(image.Pt(30, 32)), 13, badInk)
		b.paragraph(inFont(card.Reason), image.Rect(field.Min.X+17, field.Min.Y+72, field.Max.X-14, field.Max.Y-8), small, badInk)
	} else {
		b.round(frame, 14, line)
		b.round(frame.Inset(1), 13, paper)
		b.round(field, 8, matTone)
		if err := b.thumbnail(field, card, dir); err != nil {
			return err
		}
	}
	b.text(b.fit(inFont(card.Name), name, mat), field.Min.X, field.Max.Y+30, name, ink)
	b.text(b.fit(card.Details(), small, mat), field.Min.X, field.Max.Y+52, small, soft)
	return nil
}

// thumbnail lays the card's picture in the middle of the field.
func (b *board) thumbnail(field image.Rectangle, card Card, dir fs.FS) error {
	file, err := dir.Open(card.Thumb)
	if err != nil {
		return err
	}
	defer file.Close()
	picture, _, err := image.Decode(file)
	if err != nil {
		return fmt.Errorf("read %s again: %w", card.Thumb, err)
	}
	w, h := picture.Bounds().Dx(), picture.Bounds().Dy()
	if longest := max(w, h); longest > mat {
		w, h = max(1, w*mat/longest), max(1, h*mat/longest)
	}
	scaled := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(scaled, scaled.Rect, picture, picture.Bounds(), draw.Src, nil)
	b.paste(scaled, field.Min.Add(image.Pt((mat-w)/2, (mat-h)/2)))
	return nil
}
