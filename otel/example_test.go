package tenonotel_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	tenonotel "github.com/tenon-go/tenon/otel"
)

func Example() {
	ctx := context.Background()
	exporter := tracetest.NewInMemoryExporter() // or one of OTLP
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	i := tenonotel.Interceptor(tenonotel.WithTracerProvider(traces), tenonotel.WithPropagator(propagation.TraceContext{}))

	srv := tenon.NewServer(tenon.WithHandlerInterceptor(i))
	tenon.Handle(srv, order, func(_ context.Context, what string) (string, error) { return what, nil })
	a, b := inproc.Pair()
	go srv.ServeLink(ctx, b)
	conn := tenon.NewConn(ctx, a, nil, tenon.WithCallInterceptor(i))
	defer conn.Close()

	_, _ = order.Call(ctx, conn, "tea")
	for _, s := range exporter.GetSpans() {
		fmt.Println(s.SpanKind, s.Name, s.Parent.IsRemote())
	}
	// Output:
	// server shop.Shop/Order true
	// client shop.Shop/Order false
}
