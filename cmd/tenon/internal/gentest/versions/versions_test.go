// Package versions lets two versions of one contract talk to each other.
package versions

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/versions/v1"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/versions/v2"
	"github.com/tenon-go/tenon/inproc"
)

type oldShop struct{}

func (oldShop) FieldAppended(_ context.Context, o v1.Order) (v1.Order, error)   { return o, nil }
func (oldShop) OptionalAppended(_ context.Context, h v1.Hint) (v1.Hint, error)  { return h, nil }
func (oldShop) Renamed(_ context.Context, c v1.Customer) (v1.Customer, error)   { return c, nil }
func (oldShop) RenamedSilently(context.Context, v1.Carrier) error               { return nil }
func (oldShop) TypeChanged(_ context.Context, p v1.Price) (v1.Price, error)     { return p, nil }
func (oldShop) ArgumentAppended(_ context.Context, text string) (string, error) { return text, nil }
func (oldShop) ResultAppended(context.Context) (int, error)                     { return 1, nil }
func (oldShop) EnumGrown(_ context.Context, l v1.Level) (v1.Level, error)       { return l, nil }
func (oldShop) Embedded(context.Context, v1.Item) error                         { return nil }
func (oldShop) Removed(context.Context) error                                   { return nil }

type newShop struct{}

func (newShop) FieldAppended(_ context.Context, o v2.Order) (v2.Order, error) {
	o.Coupon += "!"
	return o, nil
}
func (newShop) OptionalAppended(_ context.Context, h v2.Hint) (v2.Hint, error) { return h, nil }
func (newShop) Renamed(_ context.Context, c v2.Customer) (v2.Customer, error)  { return c, nil }
func (newShop) RenamedSilently(context.Context, v2.Carrier) error              { return nil }
func (newShop) TypeChanged(_ context.Context, p v2.Price) (v2.Price, error)    { return p, nil }
func (newShop) ArgumentAppended(_ context.Context, text string, limit int) (string, error) {
	if limit != 0 {
		return "", errors.New("the limit is not zero")
	}
	return text, nil
}
func (newShop) ResultAppended(context.Context) (int, int, error)          { return 1, 2, nil }
func (newShop) EnumGrown(_ context.Context, l v2.Level) (v2.Level, error) { return l, nil }
func (newShop) Embedded(context.Context, v2.Item) error                   { return nil }
func (newShop) Added(context.Context) error                               { return nil }

func connect(t *testing.T, srv *tenon.Server) *tenon.Conn {
	here, there := inproc.Pair()
	served := make(chan error)
	go func() { served <- srv.ServeLink(context.Background(), there) }()
	conn := tenon.NewConn(context.Background(), here, nil)
	t.Cleanup(func() {
		conn.Close()
		<-served
	})
	return conn
}

// refused wants a failure that names what does not fit, that nothing was sent,
// and a connection that lives on.
func refused(t *testing.T, err error, code tenon.Code, parts ...string) {
	t.Helper()
	var e *tenon.Error
	if !errors.As(err, &e) || e.Code != code || !e.SafeToRetry {
		t.Fatalf("got %v, want %v that is safe to retry", err, code)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

func TestOldClientAndNewServer(t *testing.T) {
	srv := tenon.NewServer()
	v2.RegisterShop(srv, newShop{})
	conn := connect(t, srv)
	shop := v1.NewShopClient(conn)
	ctx := t.Context()

	order, err := shop.FieldAppended(ctx, v1.Order{ID: 7, Lines: []v1.Line{{Article: "nail"}}})
	if err != nil || order.ID != 7 || len(order.Lines) != 1 || order.Lines[0].Article != "nail" {
		t.Error(order, err)
	}
	if h, err := shop.OptionalAppended(ctx, v1.Hint{Text: "x"}); h.Text != "x" || err != nil {
		t.Error(h, err)
	}
	if c, err := shop.Renamed(ctx, v1.Customer{Name: "Ada"}); c.Name != "Ada" || err != nil {
		t.Error(c, err)
	}
	if found, err := shop.ArgumentAppended(ctx, "saw"); found != "saw" || err != nil {
		t.Error(found, err)
	}
	if first, err := shop.ResultAppended(ctx); first != 1 || err != nil {
		t.Error(first, err)
	}
	if l, err := shop.EnumGrown(ctx, 3); l != 3 || err != nil {
		t.Error(l, err)
	}
	refused(t, shop.RenamedSilently(ctx, v1.Carrier{}), tenon.Mismatch, "shop.Shop/RenamedSilently", "c.(number 1)", "named Name here", "named Company on the other side")
	_, err = shop.TypeChanged(ctx, v1.Price{Amount: 1})
	refused(t, err, tenon.Mismatch, "shop.Shop/TypeChanged", "argument p.Amount is int32 here and float64 on the other side")
	refused(t, shop.Embedded(ctx, v1.Item{}), tenon.Mismatch, "named ID here", "named Base on the other side")
	refused(t, shop.Removed(ctx), tenon.Unimplemented, "shop.Shop/Removed")

	all := v1.CheckShop(ctx, conn)
	for _, part := range []string{"RenamedSilently", "TypeChanged", "Embedded", "Removed"} {
		if all == nil || strings.Count(all.Error(), "shop.Shop/"+part) != 1 {
			t.Errorf("CheckShop does not name %s once: %v", part, all)
		}
	}
	if n := strings.Count(all.Error(), "shop.Shop/"); n != 4 {
		t.Errorf("CheckShop names %d methods: %v", n, all)
	}
}

func TestNewClientAndOldServer(t *testing.T) {
	srv := tenon.NewServer()
	v1.RegisterShop(srv, oldShop{})
	conn := connect(t, srv)
	shop := v2.NewShopClient(conn)
	ctx := t.Context()

	// What the other side does not know travels as long as nothing is lost.
	order, err := shop.FieldAppended(ctx, v2.Order{ID: 7, Lines: []v2.Line{{Article: "nail"}}})
	if err != nil || order.ID != 7 || len(order.Lines) != 1 || order.Lines[0].Article != "nail" {
		t.Error(order, err)
	}
	_, err = shop.FieldAppended(ctx, v2.Order{Coupon: "X"})
	refused(t, err, tenon.Mismatch, "argument o.Coupon")
	_, err = shop.FieldAppended(ctx, v2.Order{Lines: []v2.Line{{}, {Article: "nail", Count: 3}}})
	refused(t, err, tenon.Mismatch, "argument o.Lines[1].Count")
	if h, err := shop.OptionalAppended(ctx, v2.Hint{Text: "x", Language: "en"}); h != (v2.Hint{Text: "x"}) || err != nil {
		t.Error(h, err)
	}
	if c, err := shop.Renamed(ctx, v2.Customer{FullName: "Ada"}); c.FullName != "Ada" || err != nil {
		t.Error(c, err)
	}
	if found, err := shop.ArgumentAppended(ctx, "saw", 0); found != "saw" || err != nil {
		t.Error(found, err)
	}
	_, err = shop.ArgumentAppended(ctx, "saw", 5)
	refused(t, err, tenon.Mismatch, "argument limit")
	if first, second, err := shop.ResultAppended(ctx); first != 1 || second != 0 || err != nil {
		t.Error(first, second, err)
	}
	if l, err := shop.EnumGrown(ctx, v2.Extreme); l != v2.Extreme || err != nil {
		t.Error(l, err)
	}
	refused(t, shop.RenamedSilently(ctx, v2.Carrier{}), tenon.Mismatch, "named Company here", "named Name on the other side")
	_, err = shop.TypeChanged(ctx, v2.Price{Amount: 1})
	refused(t, err, tenon.Mismatch, "argument p.Amount is float64 here and int32 on the other side")
	refused(t, shop.Embedded(ctx, v2.Item{}), tenon.Mismatch, "named Base here", "named ID on the other side")
	refused(t, shop.Added(ctx), tenon.Unimplemented, "shop.Shop/Added")

	all := v2.CheckShop(ctx, conn)
	if all == nil || strings.Count(all.Error(), "shop.Shop/") != 4 {
		t.Errorf("CheckShop: %v", all)
	}
}

func TestSameVersionsFitCompletely(t *testing.T) {
	srv := tenon.NewServer()
	v2.RegisterShop(srv, newShop{})
	if err := v2.CheckShop(t.Context(), connect(t, srv)); err != nil {
		t.Error(err)
	}
}
