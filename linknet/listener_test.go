package linknet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/linknet"
)

// queue is a source as the listener of package shm is one.
type queue chan *inproc.Link

func (q queue) Accept(ctx context.Context) (*inproc.Link, error) {
	select {
	case l, ok := <-q:
		if !ok {
			return nil, errors.New("no more")
		}
		return l, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (q queue) Close() error   { return nil }
func (q queue) Addr() net.Addr { return linknet.Addr("queue") }

func TestHTTPServesLinksThatASourceAccepts(t *testing.T) {
	leak.Check(t)
	source := make(queue)
	served := make(chan error, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	})}
	go func() { served <- srv.Serve(linknet.NewListener(source)) }()

	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		a, b := inproc.Pair()
		select {
		case source <- b:
			return linknet.NewConn(a), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}}
	defer client.CloseIdleConnections()
	for range 3 {
		r, w := io.Pipe()
		go func() {
			io.WriteString(w, "over a link")
			w.Close()
		}()
		resp, err := client.Post("http://link/", "text/plain", r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != "over a link" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != http.ErrServerClosed {
		t.Errorf("Serve: %v", err)
	}
}

func TestCloseEndsAccept(t *testing.T) {
	leak.Check(t)
	_, waits := inproc.Pair()
	for name, l := range map[string]net.Listener{
		"NewListener": linknet.NewListener(make(queue)),
		"Listen":      linknet.Listen(waits),
	} {
		if name == "Listen" {
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
		}
		accepted := make(chan error)
		go func() {
			_, err := l.Accept()
			accepted <- err
		}()
		l.Close()
		if err := <-accepted; !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: the Accept that waits: %v", name, err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: a later Accept: %v", name, err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("%s: the second Close: %v", name, err)
		}
	}
}

// late is a source that accepts although it should not any more.
type late struct {
	queue
	started chan struct{}
}

func (l late) Accept(ctx context.Context) (*inproc.Link, error) {
	close(l.started)
	<-ctx.Done()
	return <-l.queue, nil
}

func TestALinkThatComesWithCloseIsClosed(t *testing.T) {
	a, b := inproc.Pair()
	source := late{make(queue, 1), make(chan struct{})}
	source.queue <- b
	l := linknet.NewListener(source)
	accepted := make(chan error)
	go func() {
		_, err := l.Accept()
		accepted <- err
	}()
	<-source.started
	l.Close()
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept: %v", err)
	}
	if _, err := a.Recv(); err != io.EOF {
		t.Errorf("the other end of the link: %v, want io.EOF", err)
	}
}

func TestAnErrorOfTheSourceIsTheErrorOfAccept(t *testing.T) {
	source := make(queue)
	close(source)
	l := linknet.NewListener(source)
	defer l.Close()
	if _, err := l.Accept(); err == nil || err.Error() != "accept queue queue: no more" {
		t.Errorf("got %v", err)
	}
}

func TestAcceptAnswersEOFWhenAllLinksHaveEnded(t *testing.T) {
	leak.Check(t)
	a1, b1 := inproc.Pair()
	a2, b2 := inproc.Pair()
	served := make(chan error, 1)
	go func() {
		served <- http.Serve(linknet.Listen(b1, b2), http.NotFoundHandler())
	}()
	a1.Close()
	select {
	case err := <-served:
		t.Fatalf("Serve returned %v while a link was open", err)
	default:
	}
	a2.Close()
	if err := <-served; err != io.EOF {
		t.Errorf("Serve: %v, want io.EOF", err)
	}
}

func TestListenOfNothingHasEnded(t *testing.T) {
	if _, err := linknet.Listen().Accept(); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
}

func TestClosingAListenerClosesTheLinksNobodyAccepted(t *testing.T) {
	a1, b1 := inproc.Pair()
	a2, b2 := inproc.Pair()
	l := linknet.Listen(b1, b2)
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	l.Close()
	if _, err := a2.Recv(); err != io.EOF {
		t.Errorf("the link not accepted: %v, want io.EOF", err)
	}
	write(t, conn, "still here")
	if p, err := a1.Recv(); string(p) != "still here" || err != nil {
		t.Errorf("the link accepted: %q, %v", p, err)
	}
}
