package tenonotel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/tenon-go/tenon"
)

const scope = "github.com/tenon-go/tenon/otel"

var system = semconv.RPCSystemNameKey.String("tenon")

// Interceptor returns an interceptor for either side. It may be used for many
// connections at once.
func Interceptor(opts ...Option) tenon.Interceptor {
	o := newOptions(opts)
	t := &telemetry{
		tracer:     o.tracers.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)),
		propagator: o.propagator,
	}
	t.client, t.server = newInstruments(o.meters, "client"), newInstruments(o.meters, "server")
	return t.intercept
}

type telemetry struct {
	tracer         trace.Tracer
	propagator     propagation.TextMapPropagator
	client, server *instruments
}

func (t *telemetry) intercept(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
	kind, metrics := trace.SpanKindClient, t.client
	if info.Serving {
		kind, metrics = trace.SpanKindServer, t.server
		ctx = t.propagator.Extract(ctx, propagation.MapCarrier(tenon.MetadataFrom(ctx)))
	}
	ctx, span := t.tracer.Start(ctx, info.Method, trace.WithSpanKind(kind),
		trace.WithAttributes(system, semconv.RPCMethod(info.Method)))
	if !info.Serving {
		ctx = t.inject(ctx)
	}
	began := time.Now()
	err := errPanicked // unless next returns
	defer func() {
		took := time.Since(began)
		finish(span, info, err)
		metrics.record(ctx, info, took, outcome(info, err))
	}()
	err = next(ctx)
	return err
}

// errPanicked stands for a handler that panicked: nobody returns an error.
var errPanicked error = &tenon.Error{Code: tenon.Panicked, Message: "the handler panicked or ended its goroutine"}

// inject adds the context to the metadata of the call.
func (t *telemetry) inject(ctx context.Context) context.Context {
	md := tenon.OutgoingMetadata(ctx)
	if md == nil {
		md = make(map[string]string)
	}
	t.propagator.Inject(ctx, propagation.MapCarrier(md))
	return tenon.WithMetadata(ctx, md)
}

func finish(span trace.Span, info *tenon.CallInfo, err error) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(outcome(info, err)...)
	span.SetAttributes(attribute.Int64("tenon.sent.bytes", info.SentBytes), attribute.Int64("tenon.received.bytes", info.ReceivedBytes))
	if info.Streams {
		span.SetAttributes(attribute.Int64("tenon.sent.items", info.SentItems), attribute.Int64("tenon.received.items", info.ReceivedItems))
	}
	if info.Conn != nil {
		span.SetAttributes(semconv.NetworkTransportKey.String(info.Conn.Kind()))
	}
	if info.Peer != "" {
		span.SetAttributes(attribute.String("tenon.peer", info.Peer))
	}
	if failed(info, err) {
		span.SetStatus(codes.Error, err.Error())
	}
}

// outcome is how a call ended, in attributes.
func outcome(info *tenon.CallInfo, err error) []attribute.KeyValue {
	if err == nil {
		return []attribute.KeyValue{semconv.RPCResponseStatusCode("ok")}
	}
	code := tenon.CodeOf(err).String()
	all := []attribute.KeyValue{semconv.RPCResponseStatusCode(code)}
	if failed(info, err) {
		all = append(all, semconv.ErrorTypeKey.String(code))
	}
	return all
}

// failed reports whether the error is one of the side that the span is of.
func failed(info *tenon.CallInfo, err error) bool {
	if err == nil {
		return false
	}
	switch tenon.CodeOf(err) {
	case tenon.Canceled, tenon.InvalidArgument, tenon.PermissionDenied:
		return !info.Serving
	}
	return true
}
