package tenon_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
)

// shout is a method written by hand. Usually `tenon gen` writes such variables
// from an interface, together with a client that implements it.
var shout = tenon.Method[string, string]{
	Name:   "example.Voice/Shout",
	Shape:  "(text string) (string)",
	Args:   text,
	Result: text,
}

// text is the codec of a list with one string.
var text = tenon.Codec[string]{
	Append: func(b []byte, e *codec.Encoder, v *string) []byte {
		return codec.AppendString(codec.AppendArray(b, e, 1), e, *v)
	},
	Decode: func(d *codec.Decoder, v *string) {
		if d.FixedArray(1) {
			*v = d.String()
		}
	},
}

// A connection joins two parts of a program over any link: here within one
// process.
func ExampleNewConn() {
	ctx := context.Background()
	a, b := inproc.Pair()

	srv := tenon.NewServer()
	tenon.Handle(srv, &shout, func(_ context.Context, text string) (string, error) {
		return strings.ToUpper(text) + "!", nil
	})
	go srv.ServeLink(ctx, b)

	conn := tenon.NewConn(ctx, a, nil)
	defer conn.Close()
	fmt.Println(shout.Call(ctx, conn, "hello"))
	// Output: HELLO! <nil>
}

// A handler can call back over the connection that its call came by.
func ExampleConnFrom() {
	ctx := context.Background()
	a, b := inproc.Pair()

	srv := tenon.NewServer()
	tenon.Handle(srv, &shout, func(ctx context.Context, text string) (string, error) {
		name, err := shout.Call(ctx, tenon.ConnFrom(ctx), "who are you?")
		return text + ", " + name, err
	})
	go srv.ServeLink(ctx, b)

	back := tenon.NewServer()
	tenon.Handle(back, &shout, func(context.Context, string) (string, error) { return "the caller", nil })
	conn := tenon.NewConn(ctx, a, back)
	defer conn.Close()
	fmt.Println(shout.Call(ctx, conn, "hello"))
	// Output: hello, the caller <nil>
}

// A client connects at its first call, and again after a loss.
func ExampleNewClient() {
	ctx := context.Background()
	srv := tenon.NewServer()
	tenon.Handle(srv, &shout, func(_ context.Context, text string) (string, error) { return text + "!", nil })

	client := tenon.NewClient(func(context.Context) (tenon.Link, error) {
		a, b := inproc.Pair() // or shm.Dial, or iolink.New of a net.Conn
		go srv.ServeLink(ctx, b)
		return a, nil
	}, nil)
	defer client.Close()

	fmt.Println(client.State())
	fmt.Println(shout.Call(ctx, client, "hello"))
	fmt.Println(client.State())
	// Output:
	// idle
	// hello! <nil>
	// connected
}

// Errors say who, what and why, and whether the handler can have run.
func ExampleSafeToRetry() {
	ctx := context.Background()
	a, b := inproc.Pair()
	b.Close()
	conn := tenon.NewConn(ctx, a, nil, tenon.WithPeerName("worker w-1 (pid 4711)"))
	defer conn.Close()
	_, err := shout.Call(ctx, conn, "hello")
	fmt.Println(err)
	fmt.Println(tenon.SafeToRetry(err))
	// Output:
	// example.Voice/Shout: the other side closed the connection [worker w-1 (pid 4711)] (the call did not run; it is safe to retry)
	// true
}

var errAsleep = errors.New("asleep")

// A registered error is found by errors.Is on the other side too.
func ExampleRegisterError() {
	tenon.RegisterError("example.errAsleep", errAsleep)
	ctx := context.Background()
	a, b := inproc.Pair()
	srv := tenon.NewServer()
	tenon.Handle(srv, &shout, func(context.Context, string) (string, error) {
		return "", fmt.Errorf("the voice: %w", errAsleep)
	})
	go srv.ServeLink(ctx, b)
	conn := tenon.NewConn(ctx, a, nil)
	defer conn.Close()
	_, err := shout.Call(ctx, conn, "hello")
	fmt.Println(err, errors.Is(err, errAsleep))
	// Output: example.Voice/Shout: the voice: asleep true
}

// Metadata travels beside the arguments; interceptors run around calls.
func ExampleWithMetadata() {
	ctx := context.Background()
	a, b := inproc.Pair()
	guard := func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		if tenon.MetadataFrom(ctx)["tenant"] == "" {
			return &tenon.Error{Code: tenon.PermissionDenied, Message: "no tenant"}
		}
		return next(ctx)
	}
	srv := tenon.NewServer(tenon.WithHandlerInterceptor(guard))
	tenon.Handle(srv, &shout, func(ctx context.Context, text string) (string, error) {
		return text + " " + tenon.MetadataFrom(ctx)["tenant"], nil
	})
	go srv.ServeLink(ctx, b)
	conn := tenon.NewConn(ctx, a, nil)
	defer conn.Close()

	_, err := shout.Call(ctx, conn, "hello")
	fmt.Println(err)
	fmt.Println(shout.Call(tenon.WithMetadata(ctx, map[string]string{"tenant": "blue"}), conn, "hello"))
	// Output:
	// example.Voice/Shout: no tenant
	// hello blue <nil>
}

// Check compares contracts at the start of a program.
func ExampleCheck() {
	ctx := context.Background()
	a, b := inproc.Pair()
	srv := tenon.NewServer()
	tenon.Handle(srv, &shout, func(_ context.Context, text string) (string, error) { return text, nil })
	go srv.ServeLink(ctx, b)
	conn := tenon.NewConn(ctx, a, nil)
	defer conn.Close()

	newer := tenon.Method[string, string]{Name: shout.Name, Shape: "(volume int) (string)", Args: text, Result: text}
	fmt.Println(tenon.Check(ctx, conn, &shout))
	fmt.Println(tenon.Check(ctx, conn, &newer))
	// Output:
	// <nil>
	// example.Voice/Shout: the two sides have different contracts: argument (number 1) is named volume here and named text on the other side; generate and build both from the same one
}

// Shutdown answers what was accepted and takes no more.
func ExampleServer_Shutdown() {
	ctx := context.Background()
	a, b := inproc.Pair()
	srv := tenon.NewServer()
	tenon.Handle(srv, &shout, func(_ context.Context, text string) (string, error) { return text, nil })
	served := make(chan error)
	go func() { served <- srv.ServeLink(ctx, b) }()
	conn := tenon.NewConn(ctx, a, nil)
	fmt.Println(shout.Call(ctx, conn, "hello"))

	fmt.Println(srv.Shutdown(ctx))
	fmt.Println(<-served)
	<-conn.Done()
	// Output:
	// hello <nil>
	// <nil>
	// tenon: the server is closed
}

// A PerConn keeps state for each connection.
func ExamplePerConn() {
	ctx := context.Background()
	a, b := inproc.Pair()
	counters := tenon.NewPerConn(func(*tenon.Conn) (*int, error) { return new(int), nil })
	srv := tenon.NewServer()
	tenon.Handle(srv, &shout, func(ctx context.Context, text string) (string, error) {
		n, err := counters.For(ctx)
		if err != nil {
			return "", err
		}
		*n++
		return fmt.Sprintf("%s %d", text, *n), nil
	})
	go srv.ServeLink(ctx, b)
	conn := tenon.NewConn(ctx, a, nil)
	defer conn.Close()
	shout.Call(ctx, conn, "call")
	fmt.Println(shout.Call(ctx, conn, "call"))
	// Output: call 2 <nil>
}
