package tenonotel_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/leak"
	tenonotel "github.com/tenon-go/tenon/otel"
	"github.com/tenon-go/tenon/pool"
)

func TestMain(m *testing.M) { os.Exit(leak.Main(m)) }

var text = tenon.Codec[string]{
	Append: func(b []byte, e *codec.Encoder, v *string) []byte { return codec.AppendString(b, e, *v) },
	Decode: func(d *codec.Decoder, v *string) { *v = d.String() },
}

func method(name string) *tenon.Method[string, string] {
	return &tenon.Method[string, string]{Name: name, Shape: "(what string) (string)", Args: text, Result: text}
}

var (
	order   = method("shop.Shop/Order")
	confirm = method("shop.Customer/Confirm") // the shop calls back
)

// A lab has exporters in memory, of one program or of two that are connected.
type lab struct {
	spans  *tracetest.InMemoryExporter
	meters *sdkmetric.ManualReader
	option []tenonotel.Option
}

func newLab(t *testing.T) *lab {
	l := &lab{spans: tracetest.NewInMemoryExporter(), meters: sdkmetric.NewManualReader()}
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(l.spans))
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(l.meters))
	t.Cleanup(func() {
		_ = traces.Shutdown(context.Background())
		_ = metrics.Shutdown(context.Background())
	})
	l.option = []tenonotel.Option{
		tenonotel.WithTracerProvider(traces), tenonotel.WithMeterProvider(metrics),
		tenonotel.WithPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})),
	}
	return l
}

// both are the options of one side.
func (l *lab) both() []tenon.Option {
	i := tenonotel.Interceptor(l.option...)
	return []tenon.Option{tenon.WithHandlerInterceptor(i), tenon.WithCallInterceptor(i)}
}

// span returns the span of a method and kind, of which there is one.
func (l *lab) span(t *testing.T, kind trace.SpanKind, name string) tracetest.SpanStub {
	t.Helper()
	var found []tracetest.SpanStub
	for _, s := range l.spans.GetSpans() {
		if s.Name == name && s.SpanKind == kind {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans of kind %v for %s", len(found), kind, name)
	}
	return found[0]
}

// describe has the attributes of a span in alphabetical order.
func describe(set attribute.Set) string {
	return set.Encoded(attribute.DefaultEncoder())
}

func attributes(s tracetest.SpanStub) string { return describe(attribute.NewSet(s.Attributes...)) }

func childOf(child, parent tracetest.SpanStub) bool {
	return child.Parent.SpanID() == parent.SpanContext.SpanID() && child.SpanContext.TraceID() == parent.SpanContext.TraceID()
}

// metrics returns counts by "name attributes" as they are now.
func (l *lab) metrics(t *testing.T) map[string]string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := l.meters.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]string)
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					counts[m.Name+" "+describe(p.Attributes)] = fmt.Sprint(p.Count, " ", m.Unit, " ", p.Sum > 0 && p.Sum < 60, " ", p.Bounds[0])
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					counts[m.Name+" "+describe(p.Attributes)] = fmt.Sprint(p.Value, " ", m.Unit)
				}
			}
		}
	}
	return counts
}

// connect connects a customer, who can be called back, to a shop.
func connect(t *testing.T, here, there []tenon.Option) *tenon.Conn {
	a, b := inproc.Pair()
	srv, back := tenon.NewServer(there...), tenon.NewServer()
	tenon.Handle(srv, order, func(ctx context.Context, what string) (string, error) {
		switch what {
		case "nothing":
			return "", errors.New("sold out")
		case "poison":
			return "", &tenon.Error{Code: tenon.PermissionDenied, Message: "not for you"}
		case "panic":
			panic("oh")
		case "tenant":
			return tenon.MetadataFrom(ctx)["tenant"] + " " + baggage.FromContext(ctx).Member("cart").Value(), nil
		}
		return confirm.Call(ctx, tenon.ConnFrom(ctx), what)
	})
	tenon.Handle(back, confirm, func(context.Context, string) (string, error) { return "yes", nil })
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.ServeLink(context.Background(), b)
	}()
	conn := tenon.NewConn(context.Background(), a, back, here...)
	t.Cleanup(func() {
		conn.Close()
		<-served
	})
	return conn
}

var quiet = tenon.WithLogger(slog.New(slog.DiscardHandler)) // it tells of panics

func TestSpansOfACallAndItsCallBackAreOneTrace(t *testing.T) {
	here, there := newLab(t), newLab(t)
	conn := connect(t, append(here.both(), tenon.WithPeerName("the shop")), there.both())
	if got, err := order.Call(t.Context(), conn, "tea"); err != nil || got != "yes" {
		t.Fatalf("%q, %v", got, err)
	}
	asked, served := here.span(t, trace.SpanKindClient, order.Name), there.span(t, trace.SpanKindServer, order.Name)
	calledBack, answered := there.span(t, trace.SpanKindClient, confirm.Name), here.span(t, trace.SpanKindServer, confirm.Name)
	if asked.Parent.IsValid() || !childOf(served, asked) || !childOf(calledBack, served) || !childOf(answered, calledBack) || !served.Parent.IsRemote() {
		t.Errorf("%v, %v, %v, %v", asked.SpanContext, served.Parent, calledBack.Parent, answered.Parent)
	}
	const common = "network.transport=inproc,rpc.method=shop.Shop/Order,rpc.response.status_code=ok,rpc.system.name=tenon,"
	if got := attributes(asked); got != common+"tenon.peer=the shop,tenon.received.bytes=4,tenon.sent.bytes=4" {
		t.Error(got)
	}
	if got := attributes(served); got != common+"tenon.received.bytes=4,tenon.sent.bytes=4" {
		t.Error(got)
	}
	if asked.Status.Code != codes.Unset || served.Status.Code != codes.Unset {
		t.Errorf("%v, %v", asked.Status, served.Status)
	}
	if asked.InstrumentationScope.Name != "github.com/tenon-go/tenon/otel" || !strings.Contains(asked.InstrumentationScope.SchemaURL, "1.43") {
		t.Errorf("%+v", asked.InstrumentationScope)
	}
}

func TestFailuresAreTheSidesTheyConcern(t *testing.T) {
	for _, c := range []struct {
		what, code, clientSays, serverSays string
	}{
		{"nothing", "unknown", "shop.Shop/Order: sold out", "sold out"},
		{"poison", "permission denied", "shop.Shop/Order: not for you", ""},
		{"panic", "panicked", "shop.Shop/Order: the handler panicked: oh", "the handler panicked or ended its goroutine"},
	} {
		here, there := newLab(t), newLab(t)
		conn := connect(t, here.both(), append(there.both(), quiet))
		if _, err := order.Call(t.Context(), conn, c.what); err == nil {
			t.Fatal("no error")
		}
		for _, side := range []struct {
			span tracetest.SpanStub
			says string
		}{
			{here.span(t, trace.SpanKindClient, order.Name), c.clientSays},
			{there.span(t, trace.SpanKindServer, order.Name), c.serverSays},
		} {
			got, status := attributes(side.span), side.span.Status
			if !strings.Contains(got, "rpc.response.status_code="+c.code) || status.Description != side.says ||
				(status.Code == codes.Error) != (side.says != "") || strings.Contains(got, "error.type="+c.code) != (side.says != "") {
				t.Errorf("%s: %s, %v", c.what, got, status)
			}
		}
	}
}

func TestMetadataOfTheProgramStays(t *testing.T) {
	l := newLab(t)
	conn := connect(t, l.both(), l.both())
	member, _ := baggage.NewMember("cart", "7")
	bag, _ := baggage.New(member)
	ctx := baggage.ContextWithBaggage(tenon.WithMetadata(t.Context(), map[string]string{"tenant": "blue"}), bag)
	if got, err := order.Call(ctx, conn, "tenant"); err != nil || got != "blue 7" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMetricsOfBothSides(t *testing.T) {
	here, there := newLab(t), newLab(t)
	conn := connect(t, here.both(), there.both())
	for range 3 {
		_, _ = order.Call(t.Context(), conn, "tenant") // 7 bytes there, 2 bytes back
	}
	_, _ = order.Call(t.Context(), conn, "nothing")
	const method = "rpc.method=shop.Shop/Order,"
	want := func(side, sent, received string) map[string]string {
		return map[string]string{
			"rpc." + side + ".call.duration " + method + "rpc.response.status_code=ok,rpc.system.name=tenon":                         "3 s true 5e-06",
			"rpc." + side + ".call.duration error.type=unknown," + method + "rpc.response.status_code=unknown,rpc.system.name=tenon": "1 s true 5e-06",
			"tenon." + side + ".io network.io.direction=transmit," + method + "rpc.system.name=tenon":                                sent + " By",
			"tenon." + side + ".io network.io.direction=receive," + method + "rpc.system.name=tenon":                                 received + " By",
		}
	}
	for _, c := range []struct{ got, want map[string]string }{
		{here.metrics(t), want("client", "29", "6")},
		{there.metrics(t), want("server", "6", "29")},
	} {
		if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%v\nwanted %v", c.got, c.want)
		}
	}
}

func TestAroundAPoolOneSpanHoldsTheAttempts(t *testing.T) {
	l := newLab(t)
	members := 0
	p, err := pool.New(t.Context(), 1, func(context.Context) (pool.Member, error) {
		members++
		srv := tenon.NewServer(l.both()...)
		first := members == 1
		tenon.Handle(srv, order, func(ctx context.Context, what string) (string, error) {
			if first {
				tenon.ConnFrom(ctx).Close()
			}
			return what, nil
		})
		return pool.Local(srv), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	twice := func(ctx context.Context, _ *tenon.CallInfo, next func(context.Context) error) error {
		_ = next(ctx)
		return next(ctx)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := order.Call(ctx, tenon.Intercept(p, tenonotel.Interceptor(l.option...), twice), "tea"); err != nil {
		t.Fatal(err)
	}
	p.Close()
	whole := l.span(t, trace.SpanKindClient, order.Name)
	served := 0
	for _, s := range l.spans.GetSpans() {
		if s.SpanKind == trace.SpanKindServer && childOf(s, whole) {
			served++
		}
	}
	if served != 2 || !strings.Contains(attributes(whole), "tenon.peer=local") {
		t.Errorf("%d handlers inside of one span, %s", served, attributes(whole))
	}
}
