package failures

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

var when = time.Unix(1700000000, 5).UTC()

var failing = map[string]error{
	"variable":        ErrClosed,
	"unexported":      errPrivate,
	"other name":      ErrRenamed,
	"constant":        ErrConstant,
	"wrapped":         fmt.Errorf("while failing: %w", ErrClosed),
	"value":           SizeError{"a.png", 1 << 40, when},
	"pointer":         &SizeError{"b.png", -1, when},
	"wrapped value":   fmt.Errorf("while failing: %w", SizeError{Name: "c"}),
	"pointer type":    &PathError{Path: "/d", Inner: &SizeError{Name: "d"}},
	"number":          Status(7),
	"without a name":  ErrUnmarked,
	"wrapped pointer": fmt.Errorf("x: %w", &PathError{Path: "/f", Inner: &SizeError{}}),
}

func (e *PathError) Is(target error) bool {
	other, ok := target.(*PathError)
	return ok && reflect.DeepEqual(e, other)
}

func (e *SizeError) Is(target error) bool {
	other, ok := target.(*SizeError)
	return ok && *e == *other
}

type service struct{ calls int }

func (s *service) Fail(_ context.Context, how string) error {
	return failing[how]
}

func (s *service) Count(context.Context) (int, error) {
	s.calls++
	return s.calls, nil
}

func (s *service) Close() error {
	closed.Add(1)
	return nil
}

var closed atomic.Int64

func connect(t *testing.T, srv *tenon.Server) (conn *tenon.Conn, end func()) {
	here, there := inproc.Pair()
	served := make(chan error)
	go func() { served <- srv.ServeLink(context.Background(), there) }()
	conn = tenon.NewConn(context.Background(), here, nil)
	return conn, func() {
		conn.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

func TestErrorsKeepTheirIdentityAcrossTheWire(t *testing.T) {
	srv := tenon.NewServer()
	RegisterFailing(srv, &service{})
	conn, end := connect(t, srv)
	defer end()
	client := NewFailingClient(conn)
	for how, sent := range failing {
		err := client.Fail(t.Context(), how)
		root := sent
		for errors.Unwrap(root) != nil {
			root = errors.Unwrap(root)
		}
		if got := errors.Is(err, root); got == (root == ErrUnmarked) {
			t.Errorf("%s: errors.Is(%v, %v) is %v", how, err, root, got)
		}
		var e *tenon.Error
		if !errors.As(err, &e) || e.Message != sent.Error() {
			t.Errorf("%s: the text is %q, want %q", how, e.Message, sent)
		}
	}
	var size SizeError
	if err := client.Fail(t.Context(), "value"); !errors.As(err, &size) || size != failing["value"] {
		t.Errorf("got %+v", size)
	}
	var pointer *SizeError
	if err := client.Fail(t.Context(), "value"); errors.As(err, &pointer) {
		t.Error("a value arrived as a pointer")
	}
}

func TestEachConnectionHasAServiceOfItsOwn(t *testing.T) {
	srv := tenon.NewServer()
	opened := 0
	RegisterFailingPerConn(srv, func(conn *tenon.Conn) (Failing, error) {
		if opened++; opened == 3 {
			return nil, ErrClosed
		}
		return &service{}, nil
	})
	before := closed.Load()
	for range 2 {
		conn, end := connect(t, srv)
		client := NewFailingClient(conn)
		for want := 1; want <= 3; want++ {
			if got, err := client.Count(t.Context()); got != want || err != nil {
				t.Errorf("call %d: %d, %v", want, got, err)
			}
		}
		end()
	}
	if n := closed.Load() - before; n != 2 {
		t.Errorf("%d of 2 services were closed", n)
	}
	conn, end := connect(t, srv)
	defer end()
	for range 2 {
		if _, err := NewFailingClient(conn).Count(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("the failure to open arrived as %v", err)
		}
	}
	if opened != 3 {
		t.Errorf("opened %d times", opened)
	}
}

func TestAServiceWithoutImplementationIsNotOffered(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); text != "tenon: RegisterFailing: the implementation is nil, so nobody could answer the calls" {
			t.Errorf("it panicked with %q", text)
		}
	}()
	RegisterFailing(tenon.NewServer(), nil)
}
