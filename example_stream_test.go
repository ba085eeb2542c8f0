package tenon_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
)

// A method with streams, written by hand. `tenon gen` writes the same for
//
//	Words(ctx context.Context, lines iter.Seq2[string, error]) iter.Seq2[string, error]
var words = tenon.Method[struct{}, struct{}]{
	Name:   "example.Text/Words",
	Shape:  "(lines stream string) (stream string)",
	Args:   nothing,
	Result: nothing,
	Ports:  2,
}

// word is the codec of one item of these streams.
var word = tenon.Codec[string]{
	Append: func(b []byte, e *codec.Encoder, v *string) []byte { return codec.AppendString(b, e, *v) },
	Decode: func(d *codec.Decoder, v *string) { *v = d.String() },
}

// nothing is the codec of an empty list.
var nothing = tenon.Codec[struct{}]{
	Append: func(b []byte, e *codec.Encoder, _ *struct{}) []byte { return codec.AppendArray(b, e, 0) },
	Decode: func(d *codec.Decoder, _ *struct{}) { d.FixedArray(0) },
}

// A call with a stream in and one out. The handler gets lines as the caller's
// stream has them, and the caller gets words as the handler finds them.
func ExampleStream() {
	ctx := context.Background()
	a, b := inproc.Pair()

	srv := tenon.NewServer()
	tenon.Handle(srv, &words, func(ctx context.Context, _ struct{}) (none struct{}, err error) {
		return none, tenon.Output(ctx, 2, &word, func(yield func(string, error) bool) {
			for line, err := range tenon.Input(ctx, 1, &word) {
				if err != nil {
					yield("", err)
					return
				}
				for w := range strings.FieldsSeq(line) {
					if !yield(w, nil) {
						return
					}
				}
			}
		})
	})
	go srv.ServeLink(ctx, b)

	conn := tenon.NewConn(ctx, a, nil)
	defer conn.Close()
	lines := func(yield func(string, error) bool) {
		for _, line := range []string{"to be or", "not to be"} {
			if !yield(line, nil) {
				return
			}
		}
	}
	for w, err := range tenon.Stream(ctx, &words, conn, struct{}{}, &word, tenon.InputPort(&word, lines)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(w, ".")
	}
	fmt.Println()
	// Output: to.be.or.not.to.be.
}

// A stream that comes from a channel, on which nothing more may come. It ends with
// the loop over the answers.
func ExampleWithInputCancel() {
	a, b := inproc.Pair()
	srv := tenon.NewServer()
	tenon.Handle(srv, &words, func(ctx context.Context, _ struct{}) (none struct{}, err error) {
		return none, tenon.Output(ctx, 2, &word, tenon.Input(ctx, 1, &word))
	})
	go srv.ServeLink(context.Background(), b)
	conn := tenon.NewConn(context.Background(), a, nil)
	defer conn.Close()

	typed := make(chan string, 1)
	typed <- "hello"

	ctx, cancel := tenon.WithInputCancel(context.Background())
	defer cancel()
	lines := func(yield func(string, error) bool) {
		for {
			select {
			case line := <-typed:
				if !yield(line, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
	for w, err := range tenon.Stream(ctx, &words, conn, struct{}{}, &word, tenon.InputPort(&word, lines)) {
		fmt.Println(w, err)
		break
	}
	// Output: hello <nil>
}

// What a long call has to say meanwhile. The last report always comes.
func ExampleWithProgress() {
	ctx := context.Background()
	a, b := inproc.Pair()

	srv := tenon.NewServer()
	tenon.Handle(srv, &shout, func(ctx context.Context, text string) (string, error) {
		loud := make([]string, 0, 1000)
		for i := range 1000 {
			loud = append(loud, text)
			tenon.ReportProgress(ctx, int64(i+1), 1000, "shouting")
		}
		return strings.ToUpper(strings.Join(loud, " ")), nil
	})
	go srv.ServeLink(ctx, b)

	conn := tenon.NewConn(ctx, a, nil)
	defer conn.Close()
	var last tenon.Progress
	_, err := shout.Call(tenon.WithProgress(ctx, func(p tenon.Progress) { last = p }), conn, "hey")
	fmt.Println(last.Text, last.Done, "of", last.Total, err)
	// Output: shouting 1000 of 1000 <nil>
}

// io.Readers and io.Writers become streams of pieces, and back.
func ExampleReadStream() {
	pieces := tenon.ReadStream(strings.NewReader("as much as you like"))
	r := tenon.StreamReader(pieces)
	defer r.Close()
	b := make([]byte, 7)
	n, err := r.Read(b)
	fmt.Printf("%q %v\n", b[:n], err)
	// Output: "as much" <nil>
}
