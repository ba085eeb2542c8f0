// Package conversation has a contract with every form of a stream and of a
// function among the parameters and results of a method.
package conversation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"net/netip"
	"time"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/geo"
)

//go:generate go run github.com/tenon-go/tenon/cmd/tenon gen

// Conversation is the whole of it.
//
//tenon:service
type Conversation interface {
	// Streams of the one side, of the other, and of both.
	Count(ctx context.Context, to int) iter.Seq2[int, error]
	Sum(ctx context.Context, parts iter.Seq2[int, error]) (int, error)
	Double(ctx context.Context, in iter.Seq2[Page, error]) iter.Seq2[Page, error]

	// Several of each, with values between.
	Zip(ctx context.Context, glue string, left iter.Seq2[string, error], upper bool, right iter.Seq2[string, error]) (string, error)
	Split(ctx context.Context, in iter.Seq2[int, error]) (even, odd iter.Seq2[int, error])
	Unnamed(context.Context, int, iter.Seq2[int, error]) (iter.Seq2[int, error], iter.Seq2[string, error])

	// Items of all sorts.
	Blocks(ctx context.Context, in iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error]
	Marshaled(ctx context.Context, addrs iter.Seq2[netip.Addr, error]) iter.Seq2[*big.Int, error]
	Pointers(ctx context.Context, in iter.Seq2[*Page, error]) iter.Seq2[map[string][]Page, error]

	// Types with names of their own.
	Declared(ctx context.Context, in Pages, each Visit) Pages
	Aliased(ctx context.Context, in Stream[int], each Each) Stream[int]
	Foreign(ctx context.Context, in geo.Points) geo.Points
	Literal(ctx context.Context, in func(yield func(int, error) bool)) func(yield func(int, error) bool)

	// Functions.
	Report(ctx context.Context, steps int, report func(done, total int)) error
	Ask(ctx context.Context, ask func(ctx context.Context, question string) (answer string, sure bool, err error)) (string, error)
	Walk(ctx context.Context, visit func(p Page) error) error
	Choose(ctx context.Context, choose func([]Page) (*Page, error)) (*Page, error)
	Tell(ctx context.Context, tell func(ctx context.Context)) error
	Both(ctx context.Context, in iter.Seq2[int, error], even func(int) (bool, error)) iter.Seq2[int, error]

	// One way.
	Note(ctx context.Context, text string)

	// Arguments that are checked.
	Check(ctx context.Context, page Page, pointer *Page, range_ Range, _ Names, unchecked map[string]Range) (int, error)
	CheckItems(ctx context.Context, ranges iter.Seq2[Range, error]) (int, error)
	CheckAnswers(ctx context.Context, answer func(Range) (Range, error)) iter.Seq2[Range, error]

	// Get may be called twice.
	//
	//tenon:idempotent
	Get(ctx context.Context, name string) (Page, error)

	Closer
	geo.Finder
}

// Closer is embedded.
type Closer interface {
	//tenon:idempotent
	Close(ctx context.Context, when time.Time) error
}

type Page struct {
	Number int
	Text   string
}

func (p *Page) Validate() error {
	if p.Number < 0 {
		return &NumberError{p.Number}
	}
	return nil
}

// NumberError is the cause of some errors.
//
//tenon:error
type NumberError struct{ Number int }

func (e *NumberError) Error() string { return fmt.Sprintf("there is no page %d", e.Number) }

type Range struct{ From, To int }

func (r Range) Validate() error {
	if r.From > r.To {
		return errors.New("it ends before it begins")
	}
	return nil
}

type Names []string

func (n Names) Validate() error {
	if len(n) > 2 {
		return errors.New("more than two names")
	}
	return nil
}

type (
	Pages         iter.Seq2[Page, error]
	Stream[T any] = iter.Seq2[T, error]
	Visit         func(Page) error
	Each          = func(int) error
)

// Awkward has names that generated code uses too.
//
//tenon:service
type Awkward interface {
	Names(ctx context.Context, tenon, iter, codec, context, c, r int, stream iter.Seq2[int, error], fmt Pages, f func(ctx, caller, a, r, err int) (b, tenon int, _ error)) (int, error)
	Shadows(ctx context.Context, pages pages, page page) pages
	Stream(ctx context.Context, stream string) error
	// Import has a parameter Parts, and ImportParts is a method.
	Import(ctx context.Context, parts iter.Seq2[int, error], parts_Item func()) error
	ImportParts(ctx context.Context, args, result int) error
	ImportPartsItem(ctx context.Context) error
}

type (
	page  struct{ N int }
	pages func(yield func(page, error) bool)
)

// Notes has nothing that can be started.
//
//tenon:service
type Notes interface {
	Add(ctx context.Context, text string)
}
