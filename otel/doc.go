// Package tenonotel tells OpenTelemetry of tenon's calls: a span on each side,
// the server's a child of the client's, and the durations and sizes of calls as
// metrics. One interceptor does it, on both sides:
//
//	otel.SetTextMapPropagator(propagation.TraceContext{}) // by default it writes nothing
//	i := tenonotel.Interceptor()
//	srv := tenon.NewServer(tenon.WithHandlerInterceptor(i), tenon.WithCallInterceptor(i)) // handlers that call back
//	conn := tenon.NewConn(ctx, link, nil, tenon.WithCallInterceptor(i))
//
// The options of workers are given with worker.Conn and worker.Main. Around a
// pool, tenon.Intercept(pool, i) makes one span of a call and its attempts at
// several workers; the workers' own option makes one of each attempt.
//
// # Guarantees
//
//  1. Each call has one span on each side that has the interceptor, a call with
//     streams too; it ends when next returns, with the last item, or with a panic.
//  2. The context travels beside the arguments, as metadata that the propagator
//     writes. Metadata of the program's own stays, except under the same keys.
//  3. A handler's context has the server's span, so that what it calls with it,
//     also back to its caller, is a child of that.
//
// # Names
//
// They are those of the semantic conventions 1.43 for RPC. A span is named after
// its method. Attributes of spans and of durations:
//
//	rpc.system.name           tenon
//	rpc.method                package.Service/Method
//	rpc.response.status_code  ok, or the name of a tenon.Code
//	error.type                the same, of calls that failed
//
// and of spans alone:
//
//	network.transport                      what carries the connection: tcp, unix, shm, ...
//	tenon.peer                             the other side as in tenon's errors
//	tenon.sent.bytes, tenon.received.bytes encoded arguments, results and items
//	tenon.sent.items, tenon.received.items of calls with streams
//
// A call that the caller gave up, or was not allowed to make, or for which it sent
// arguments that are none, is a failure of the client's span and not of the
// server's. Metrics:
//
//	rpc.client.call.duration, rpc.server.call.duration   histogram, s
//	tenon.client.io, tenon.server.io                     counter, By; network.io.direction is transmit or receive
//	tenon.client.items, tenon.server.items               counter of items of streams; the same
//
// The histograms' boundaries begin at 5 us, where calls within one machine are,
// and not at the 5 ms of the conventions. A View of the SDK sets others.
package tenonotel
