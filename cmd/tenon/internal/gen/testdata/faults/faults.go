package faults

import (
	"context"
	"io"
	"iter"
	"net/http"
	"sync"
	"time"
	"unsafe"
)

//tenon:service
type Faults interface {
	NoContext(n int) error
	NoError(ctx context.Context) int
	Nothing()
	ErrorFirst(ctx context.Context) (error, int)
	hidden(ctx context.Context) error

	Channel(ctx context.Context, c chan int) error
	Function(ctx context.Context, f func()) error
	Any(ctx context.Context, _ any) error
	Interface(ctx context.Context, r io.Reader) (io.Writer, error)
	Stream(ctx context.Context, in iter.Seq2[int, error]) (iter.Seq2[int, error], error)
	Deep(ctx context.Context, list []map[string]*Options) error
	Maps(ctx context.Context, byPointer map[*int]string, byStruct map[Key]int) error
	Opaque(ctx context.Context, mu *sync.Mutex, client http.Client) error
	Context(ctx context.Context, other context.Context) error
	Unnamed(context.Context, complex128) (complex64, error)
}

type Options struct {
	Name    string
	Hook    func(string) error
	Err     error
	Nested  []struct{ Inner chan<- bool }
	Pointer unsafe.Pointer
	secret  string
	When    time.Time `tenon:"was="`
	Who     string    `tenon:"optinal"`
	Fine    func()    `tenon:"-"`
	Self    *Options
	http.Header
	Stamp Stamp
}

// Stamp has the fields of time.Time, but none of its methods.
type Stamp time.Time

type Key struct{ p *int }

//tenon:service name=faults.Faults
type Same interface {
	Fine(ctx context.Context) error
}

//tenon:service
type Empty interface{}

func len() {}
