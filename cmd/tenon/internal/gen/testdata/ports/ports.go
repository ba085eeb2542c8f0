package ports

import (
	"context"
	"io"
	"iter"
	"os"
)

//tenon:service
type Ports interface {
	OneValue(ctx context.Context, in iter.Seq[int]) iter.Seq[string]
	NoError(ctx context.Context, in iter.Seq2[int, string]) error
	Ticks(ctx context.Context, in func(yield func() bool)) error
	Items(ctx context.Context, in iter.Seq2[any, error]) iter.Seq2[Item, error]
	Nested(ctx context.Context, in iter.Seq2[iter.Seq2[int, error], error]) error
	InSlice(ctx context.Context, in []iter.Seq2[int, error], more ...func()) error
	InField(ctx context.Context, v Fields) error
	Channels(ctx context.Context, in <-chan int) (chan<- string, error)
	Reader(ctx context.Context, r io.ReadCloser, f *os.File) (io.Reader, error)
	Writer(ctx context.Context, w io.Writer) error

	StreamAndError(ctx context.Context) (iter.Seq2[int, error], error)
	StreamAndValue(ctx context.Context) (iter.Seq2[int, error], int)
	ValueAndStream(ctx context.Context) (int, iter.Seq2[int, error])
	OneWayStream(ctx context.Context, in iter.Seq2[int, error])
	OneWayFunction(ctx context.Context, f func())
	ResultFunction(ctx context.Context) (func(), error)
	ResultFunctionAlone(ctx context.Context) func()
	MissingContext(in iter.Seq2[int, error]) error
	Many(ctx context.Context, a, b, c, d, e, f, g, h iter.Seq2[int, error], i, j, k, l, m, n, o, p func()) iter.Seq2[int, error]

	Variadic(ctx context.Context, f func(list ...int)) error
	Results(ctx context.Context, f func() int) error
	ErrorFirst(ctx context.Context, f func() (error, int)) error
	LateContext(ctx context.Context, f func(int, context.Context)) error
	Values(ctx context.Context, f func(a chan int, _ any) (Item, error)) error
	Inside(ctx context.Context, f func(in iter.Seq2[int, error], g func()) (iter.Seq2[int, error], error)) error
	Iterator(ctx context.Context, f func(in iter.Seq[int])) error
	Declared(ctx context.Context, f Callback, in Yielding) error
}

type Item struct{ Err error }

type Fields struct {
	Stream   iter.Seq2[int, error]
	Function func() error
	Iterator iter.Seq[int]
	Channel  chan Item
}

type Callback func() int

// Yielding is no iter.Seq2: its function has a name.
type Yielding func(yield Yield)

type Yield func(int, error) bool
