package intercept

import (
	"context"
	"log/slog"
	"time"

	"github.com/tenon-go/tenon"
)

// A LogOption changes what [Log] writes.
type LogOption func(*callLog)

// LogLevel has f choose the level of each record; err is nil for calls that
// succeeded. The default is Info for those, Error for calls whose handler
// panicked, whose two sides disagree or whose connection broke, and Warn for all
// others.
func LogLevel(f func(info *tenon.CallInfo, err error) slog.Level) LogOption {
	return func(l *callLog) { l.level = f }
}

// LogAttrs adds what f returns to each record, such as a tenant out of the
// metadata.
func LogAttrs(f func(ctx context.Context, info *tenon.CallInfo) []slog.Attr) LogOption {
	return func(l *callLog) { l.attrs = f }
}

type callLog struct {
	logger *slog.Logger
	level  func(*tenon.CallInfo, error) slog.Level
	attrs  func(context.Context, *tenon.CallInfo) []slog.Attr
}

// Log returns an interceptor that writes one record for each call when it is
// over. Its message is "call", or "call served" around a handler. The attributes
// are method, peer if it has a name, duration, sent and received in bytes,
// sent_items and received_items of a call with streams, and code, which is "ok" or
// the name of a [tenon.Code]; failed calls also have error and safe_to_retry.
func Log(logger *slog.Logger, opts ...LogOption) tenon.Interceptor {
	if logger == nil {
		panic("intercept: Log(nil) has no log to write to; slog.Default() is the program's own")
	}
	l := &callLog{logger: logger, level: levelOf}
	for _, opt := range opts {
		opt(l)
	}
	return func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		began := time.Now()
		err := errPanicked // unless next returns
		defer func() { l.write(ctx, info, time.Since(began), err) }()
		err = next(ctx)
		return err
	}
}

// errPanicked stands for a call whose handler panicked: nobody returns an error.
var errPanicked error = &tenon.Error{Code: tenon.Panicked, Message: "the handler panicked or ended its goroutine"}

func levelOf(_ *tenon.CallInfo, err error) slog.Level {
	if err == nil {
		return slog.LevelInfo
	}
	switch tenon.CodeOf(err) {
	case tenon.Unavailable, tenon.Unimplemented, tenon.Mismatch, tenon.InvalidResult, tenon.Panicked, tenon.Broken:
		return slog.LevelError
	default:
		return slog.LevelWarn
	}
}

func (l *callLog) write(ctx context.Context, info *tenon.CallInfo, took time.Duration, err error) {
	level := l.level(info, err)
	if !l.logger.Enabled(ctx, level) {
		return
	}
	message := "call"
	if info.Serving {
		message = "call served"
	}
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs, slog.String("method", info.Method))
	if info.Peer != "" {
		attrs = append(attrs, slog.String("peer", info.Peer))
	}
	attrs = append(attrs, slog.Duration("duration", took),
		slog.Int64("sent", info.SentBytes), slog.Int64("received", info.ReceivedBytes))
	if info.Streams {
		attrs = append(attrs, slog.Int64("sent_items", info.SentItems), slog.Int64("received_items", info.ReceivedItems))
	}
	attrs = append(attrs, slog.String("code", codeName(err)))
	if err != nil {
		attrs = append(attrs, slog.String("error", err.Error()), slog.Bool("safe_to_retry", !info.Serving && tenon.SafeToRetry(err))) // a handler has run
	}
	if l.attrs != nil {
		attrs = append(attrs, l.attrs(ctx, info)...)
	}
	l.logger.LogAttrs(ctx, level, message, attrs...)
}

// codeName is "ok" for no error.
func codeName(err error) string {
	if err == nil {
		return "ok"
	}
	return tenon.CodeOf(err).String()
}
