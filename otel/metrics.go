package tenonotel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/tenon-go/tenon"
)

// boundaries of the histograms in seconds.
var boundaries = []float64{
	0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005,
	0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
}

// instruments are those of one side.
type instruments struct {
	duration  metric.Float64Histogram
	io, items metric.Int64Counter
}

// newInstruments makes the instruments of a side, "client" or "server".
func newInstruments(p metric.MeterProvider, side string) *instruments {
	meter := p.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL))
	var i instruments
	var errs [3]error
	i.duration, errs[0] = meter.Float64Histogram("rpc."+side+".call.duration", metric.WithUnit("s"),
		metric.WithDescription("How long calls took."), metric.WithExplicitBucketBoundaries(boundaries...))
	i.io, errs[1] = meter.Int64Counter("tenon."+side+".io", metric.WithUnit("By"),
		metric.WithDescription("Bytes of arguments, results and items that were sent or received."))
	i.items, errs[2] = meter.Int64Counter("tenon."+side+".items", metric.WithUnit("{item}"),
		metric.WithDescription("Items of streams that were sent or received."))
	for _, err := range errs {
		if err != nil {
			otel.Handle(err)
		}
	}
	return &i
}

func (i *instruments) record(ctx context.Context, info *tenon.CallInfo, took time.Duration, outcome []attribute.KeyValue) {
	method := semconv.RPCMethod(info.Method)
	i.duration.Record(ctx, took.Seconds(), metric.WithAttributes(append(outcome, system, method)...))
	sent := metric.WithAttributeSet(attribute.NewSet(system, method, semconv.NetworkIODirectionTransmit))
	received := metric.WithAttributeSet(attribute.NewSet(system, method, semconv.NetworkIODirectionReceive))
	i.io.Add(ctx, info.SentBytes, sent)
	i.io.Add(ctx, info.ReceivedBytes, received)
	if info.Streams {
		i.items.Add(ctx, info.SentItems, sent)
		i.items.Add(ctx, info.ReceivedItems, received)
	}
}
