package tenonotel

import (
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// An Option changes where [Interceptor] reports.
type Option func(*options)

type options struct {
	tracers    trace.TracerProvider
	meters     metric.MeterProvider
	propagator propagation.TextMapPropagator
}

// newOptions begins with what the program has set for all.
func newOptions(opts []Option) options {
	o := options{otel.GetTracerProvider(), otel.GetMeterProvider(), otel.GetTextMapPropagator()}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithTracerProvider sets where spans go. The default is otel's global one; one
// of package trace/noop makes none.
func WithTracerProvider(p trace.TracerProvider) Option { return func(o *options) { o.tracers = p } }

// WithMeterProvider sets where metrics go. The default is otel's global one; one
// of package metric/noop makes none.
func WithMeterProvider(p metric.MeterProvider) Option { return func(o *options) { o.meters = p } }

// WithPropagator sets what writes and reads the context in metadata, such as
// propagation.TraceContext{}. The default is otel's global one, which propagates
// nothing until the program sets another.
func WithPropagator(p propagation.TextMapPropagator) Option {
	return func(o *options) { o.propagator = p }
}
