package kinds

import (
	"context"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/geo"
	"github.com/tenon-go/tenon/inproc"
)

// echo answers what it was called with.
type echo struct{}

func (echo) Numbers(_ context.Context, v Numbers) (Numbers, error)             { return v, nil }
func (echo) Texts(_ context.Context, v Texts) (Texts, error)                   { return v, nil }
func (echo) Times(_ context.Context, v Times) (Times, error)                   { return v, nil }
func (echo) Collections(_ context.Context, v Collections) (Collections, error) { return v, nil }
func (echo) Pointers(_ context.Context, v Pointers) (Pointers, error)          { return v, nil }
func (echo) Nested(_ context.Context, v Nested) (Nested, error)                { return v, nil }
func (echo) Marshalers(_ context.Context, v Marshalers) (Marshalers, error)    { return v, nil }
func (echo) Foreign(_ context.Context, v Foreign) (geo.Track, error)           { return v.Track, nil }
func (echo) Nothing(context.Context) error                                     { return nil }
func (echo) Unnamed(_ context.Context, n int, s string) (int, string, error)   { return n, s, nil }
func (echo) Named(_ context.Context, a, b int) (int, int, error)               { return a + b, a - b, nil }
func (echo) Blank(_ context.Context, n int, s string) (bool, error)            { return n == 1 && s == "x", nil }
func (echo) Variadic(_ context.Context, names ...string) ([]string, error)     { return names, nil }
func (echo) VariadicBytes(_ context.Context, data ...byte) (int, error)        { return len(data), nil }
func (echo) Collide(_ context.Context, a, b int) (int, error)                  { return a - b, nil }
func (echo) Awkward(_ context.Context, c, r, err, b, d, e, v, tenon, codec, s int) (int, int, error) {
	return c, s, nil
}

func (echo) Large(context.Context, []Large, []*Large, map[int]Large) error { return nil }

func (echo) Recursive(_ context.Context, tree Tree, list *List, forest Forest) (Tree, error) {
	tree.Children = append(tree.Children, Tree{Name: "list"})
	return tree, nil
}

// The generated client over a connection is the implementation itself.
func TestTheClientIsAsGoodAsTheImplementation(t *testing.T) {
	srv := tenon.NewServer()
	RegisterKinds(srv, echo{})
	here, there := inproc.Pair()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- srv.ServeLink(ctx, there) }()
	conn := tenon.NewConn(ctx, here, nil)
	defer func() {
		conn.Close()
		cancel()
		<-served
	}()
	client := NewKindsClient(conn)

	one := 1
	addr := netip.MustParseAddr("192.0.2.1")
	for _, v := range []any{
		Numbers{Int: -1, Uint64: 1 << 63, Float32: 1.5, Level: High},
		Texts{String: "é", Bytes: []byte{}, Digest: Digest{1, 2, 3, 4}},
		Times{Time: time.Unix(1, 2).UTC(), Duration: time.Hour},
		Collections{Names: Names{"a"}, ByStruct: map[geo.Point]bool{{Lat: 1}: true}, Grid: [2][3]int8{{1}}},
		Pointers{Int: &one, Bytes: new([]byte)},
		Nested{Base: Base{ID: 1}, Page: Page[Base]{Next: &Page[Base]{}}},
		Marshalers{Addr: addr, Number: big.NewInt(7), Version: Version{1, 2}, Wrapped: Wrapped{addr, "z"}},
	} {
		name := reflect.TypeOf(v).Name()
		args := []reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(v)}
		got := reflect.ValueOf(client).MethodByName(name).Call(args)
		if !got[1].IsNil() || !reflect.DeepEqual(got[0].Interface(), v) {
			t.Errorf("%s: sent %+v, got %+v, %v", name, v, got[0], got[1])
		}
	}

	if err := client.Nothing(ctx); err != nil {
		t.Error(err)
	}
	if n, s, err := client.Unnamed(ctx, 1, "x"); n != 1 || s != "x" || err != nil {
		t.Error(n, s, err)
	}
	if sum, difference, err := client.Named(ctx, 5, 3); sum != 8 || difference != 2 || err != nil {
		t.Error(sum, difference, err)
	}
	if ok, err := client.Blank(ctx, 1, "x"); !ok || err != nil {
		t.Error(ok, err)
	}
	if names, err := client.Variadic(ctx, "a", "b"); !reflect.DeepEqual(names, []string{"a", "b"}) || err != nil {
		t.Error(names, err)
	}
	if names, err := client.Variadic(ctx); names != nil || err != nil {
		t.Error(names, err)
	}
	if n, err := client.VariadicBytes(ctx, 1, 2, 3); n != 3 || err != nil {
		t.Error(n, err)
	}
	if x, i, err := client.Awkward(ctx, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10); x != 1 || i != 10 || err != nil {
		t.Error(x, i, err)
	}
	if n, err := client.Collide(ctx, 5, 3); n != 2 || err != nil {
		t.Error(n, err)
	}
	if tree, err := client.Recursive(ctx, Tree{Name: "t"}, &List{}, Forest{{}}); len(tree.Children) != 1 || err != nil {
		t.Error(tree, err)
	}
	list := &List{}
	list.Next = list
	if _, err := client.Recursive(ctx, Tree{}, list, nil); err == nil {
		t.Error("a list that contains itself was sent")
	}
	if err := client.Nothing(ctx); err != nil {
		t.Errorf("the connection did not survive a value that could not be sent: %v", err)
	}
}
