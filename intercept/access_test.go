package intercept_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/intercept"
	"github.com/tenon-go/tenon/iolink"
)

func TestAccessByTheNarrowestRule(t *testing.T) {
	clerks := intercept.Metadata("token", "ann's", "bob's")
	for _, c := range []struct {
		name            string
		rules           []intercept.Rule
		token           string
		order, lookUp   bool
		inTheOrderError string
	}{
		{"no rule", nil, "", false, false, "shop.Shop/Order: no rule lets anybody call this method"},
		{"another service", []intercept.Rule{{Methods: "stock.*", Who: intercept.Anyone}}, "", false, false, "no rule"},
		{"all", []intercept.Rule{{Methods: "*", Who: intercept.Anyone}}, "", true, true, ""},
		{"one method", []intercept.Rule{{Methods: lookUp.Name, Who: intercept.Anyone}}, "", false, true, "no rule"},
		{"the narrower", []intercept.Rule{
			{Methods: "*", Who: intercept.Nobody},
			{Methods: "shop.*", Who: intercept.Anyone},
			{Methods: "shop.Shop/O*", Who: clerks, Name: "clerks only"},
		}, "", false, true, `shop.Shop/Order: the rule "clerks only" does not let this caller pass`},
		{"a name before its own beginning", []intercept.Rule{
			{Methods: order.Name + "*", Who: intercept.Anyone},
			{Methods: order.Name, Who: intercept.Nobody},
		}, "", false, false, `the rule "shop.Shop/Order"`},
		{"with a token", []intercept.Rule{{Methods: "shop.Shop/*", Who: clerks}}, "bob's", true, true, ""},
		{"with a wrong one", []intercept.Rule{{Methods: "shop.Shop/*", Who: clerks}}, "eve's", false, false, `the rule "shop.Shop/*"`},
		{"with an empty one", []intercept.Rule{{Methods: "*", Who: intercept.Metadata("token")}}, "", false, false, `the rule "*"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			ran := false
			srv := shop(func(context.Context, string) (string, error) { ran = true; return "", nil },
				tenon.WithHandlerInterceptor(intercept.Access(c.rules...)))
			conn := connect(t, srv)
			ctx := t.Context()
			if c.token != "" {
				ctx = tenon.WithMetadata(ctx, map[string]string{"token": c.token})
			}
			for _, m := range []struct {
				*tenon.Method[string, string]
				allowed bool
			}{{&order, c.order}, {&lookUp, c.lookUp}} {
				ran = false
				_, err := m.Call(ctx, conn, "")
				if m.allowed {
					if err != nil {
						t.Errorf("%s: %v", m.Name, err)
					}
					continue
				}
				if code, safe := codeOf(err); code != tenon.PermissionDenied || !safe || ran {
					t.Errorf("%s: ran %v, safe %v, %v", m.Name, ran, safe, err)
				}
				if m.Method == &order && !strings.Contains(err.Error(), c.inTheOrderError) {
					t.Errorf("%v does not say %q", err, c.inTheOrderError)
				}
			}
		})
	}
}

func TestAccessByUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	for _, c := range []struct {
		who     intercept.Who
		allowed bool
	}{{intercept.UID(os.Geteuid()), true}, {intercept.UID(os.Geteuid()+1, -1), false}} {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		srv := shop(echo, tenon.WithHandlerInterceptor(intercept.Access(intercept.Rule{Methods: "*", Who: c.who})))
		served := make(chan error, 1)
		go func() { served <- srv.Serve(context.Background(), l) }()
		stream, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		conn := tenon.NewConn(t.Context(), iolink.New(stream), nil)
		if _, err := order.Call(t.Context(), conn, "tea"); (err == nil) != c.allowed {
			t.Errorf("%v; allowed %v", err, c.allowed)
		}
		conn.Close()
		srv.Close()
		<-served
	}
	conn := connect(t, shop(echo, tenon.WithHandlerInterceptor(intercept.Access(intercept.Rule{Methods: "*", Who: intercept.UID(0)}))))
	if _, err := order.Call(t.Context(), conn, "tea"); err == nil {
		t.Error("a user that is not known passes for user 0")
	}
}

func TestAccessDecidesByTheConnection(t *testing.T) {
	kinds := func(_ context.Context, info *tenon.CallInfo) bool { return info.Conn.Kind() == "shm" }
	srv := shop(echo, tenon.WithHandlerInterceptor(intercept.Access(intercept.Rule{Methods: "*", Who: kinds, Name: "this machine"})))
	if _, err := order.Call(t.Context(), connect(t, srv), "tea"); err == nil || !strings.Contains(err.Error(), "this machine") {
		t.Error(err)
	}
}

func TestMisuseSaysWhatWouldMakeSense(t *testing.T) {
	for want, f := range map[string]func(){
		"intercept.Anyone": func() { intercept.Access(intercept.Rule{Methods: "*"}) },
		"names no methods": func() { intercept.Access(intercept.Rule{Methods: "*/Order", Who: intercept.Anyone}) },
		"two rules for":    func() { r := intercept.Rule{Methods: "*", Who: intercept.Anyone}; intercept.Access(r, r) },
		"Limit(0)":         func() { intercept.Limit(0) },
		"0 is the default": func() { intercept.Retry(intercept.Policy{Attempts: -1}) },
		"slog.Default()":   func() { intercept.Log(nil) },
		"needs a caller":   func() { tenon.Intercept(nil) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, want) {
					t.Errorf("%q does not say %q", said, want)
				}
			}()
			f()
		}()
	}
}

func TestFunctionsAreAPartOfTheirCall(t *testing.T) {
	info := &tenon.CallInfo{Method: "shop.Shop/Order.progress", Function: true}
	ran := 0
	run := func(context.Context) error { ran++; return nil }
	if err := intercept.Access()(t.Context(), info, run); err != nil {
		t.Error(err)
	}
	limit := intercept.Limit(1, intercept.Reject)
	err := limit(t.Context(), &tenon.CallInfo{Method: order.Name}, func(ctx context.Context) error { return limit(ctx, info, run) })
	if err != nil || ran != 2 {
		t.Errorf("%v, %d ran", err, ran)
	}
}
