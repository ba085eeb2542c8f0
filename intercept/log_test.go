package intercept_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/intercept"
)

// plain writes records without what differs from run to run.
func plain(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		return a
	}}))
}

func TestLogHasOneRecordPerCall(t *testing.T) {
	var here, there bytes.Buffer
	answer := func(_ context.Context, what string) (string, error) {
		switch what {
		case "fail":
			return "", errors.New("sold out")
		case "panic":
			panic("oh")
		}
		return what, nil
	}
	quiet := tenon.WithLogger(slog.New(slog.DiscardHandler)) // it tells of panics
	tenant := intercept.LogAttrs(func(ctx context.Context, _ *tenon.CallInfo) []slog.Attr {
		return []slog.Attr{slog.String("tenant", tenon.MetadataFrom(ctx)["tenant"])}
	})
	srv := shop(answer, quiet, tenon.WithHandlerInterceptor(intercept.Log(plain(&there), tenant)))
	conn := connect(t, srv, tenon.WithPeerName("the shop"), tenon.WithCallInterceptor(intercept.Log(plain(&here))))
	ctx := tenon.WithMetadata(t.Context(), map[string]string{"tenant": "blue"})
	for _, what := range []string{"tea", "fail", "panic"} {
		_, _ = order.Call(ctx, conn, what)
	}
	for _, c := range []struct{ name, got, want string }{
		{"here", here.String(), `
level=INFO msg=call method=shop.Shop/Order peer="the shop" sent=4 received=4 code=ok
level=WARN msg=call method=shop.Shop/Order peer="the shop" sent=5 received=0 code=unknown error="shop.Shop/Order: sold out [the shop]" safe_to_retry=false
level=ERROR msg=call method=shop.Shop/Order peer="the shop" sent=6 received=0 code=panicked error="shop.Shop/Order: the handler panicked: oh [the shop]" safe_to_retry=false
`},
		{"there", there.String(), `
level=INFO msg="call served" method=shop.Shop/Order sent=4 received=4 code=ok tenant=blue
level=WARN msg="call served" method=shop.Shop/Order sent=0 received=5 code=unknown error="sold out" safe_to_retry=false tenant=blue
level=ERROR msg="call served" method=shop.Shop/Order sent=0 received=6 code=panicked error="the handler panicked or ended its goroutine" safe_to_retry=false tenant=blue
`},
	} {
		if c.got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s:\n%s", c.name, c.got)
		}
	}
}

func TestLogLevelAndDuration(t *testing.T) {
	var out bytes.Buffer
	debug := func(_ *tenon.CallInfo, err error) slog.Level {
		if err == nil {
			return slog.LevelDebug // which the logger does not write
		}
		return slog.LevelInfo
	}
	answer := func(_ context.Context, what string) (string, error) { return what, context.DeadlineExceeded }
	log := slog.New(slog.NewTextHandler(&out, nil))
	conn := connect(t, shop(answer), tenon.WithCallInterceptor(intercept.Log(log, intercept.LogLevel(debug))))
	_, _ = order.Call(t.Context(), conn, "tea")
	ok := connect(t, shop(echo), tenon.WithCallInterceptor(intercept.Log(log, intercept.LogLevel(debug))))
	_, _ = order.Call(t.Context(), ok, "tea")
	got := out.String()
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=INFO") || !strings.Contains(got, `code="deadline exceeded"`) || !strings.Contains(got, " duration=") {
		t.Error(got)
	}
}
