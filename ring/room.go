package ring

import (
	"context"
	"fmt"
	"time"
)

const (
	hookEvery = time.Millisecond
	longWait  = time.Second
)

// Wait flushes and waits until Reserve(n) fits; it may return early. It answers
// ErrTooLarge if n is above MaxRecord.
func (w *Writer) Wait(ctx context.Context, n int) error {
	if n > w.MaxRecord() {
		return w.tooLarge(n)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if w.interrupted.Load() && w.interrupted.Swap(false) {
		return ErrInterrupted
	}
	if w.ready(n) {
		return w.over()
	}
	w.count.waits++
	w.poller.Begin()
	for w.poller.Again() {
		if w.ready(n) {
			w.poller.End()
			return w.over()
		}
	}
	if err := w.sleepFor(ctx, n); err != nil {
		return err
	}
	w.poller.End()
	return w.over()
}

func (w *Writer) tooLarge(n int) error {
	return fmt.Errorf("%w: %d bytes, the maximum is %d", ErrTooLarge, n, w.MaxRecord())
}

// sleepFor sleeps until a message of n bytes may have room, with a look at the
// hooks in between.
func (w *Writer) sleepFor(ctx context.Context, n int) error {
	ready := func() bool { return w.ready(n) }
	var every time.Duration
	switch {
	case w.opt.onWait != nil:
		every = hookEvery
	case w.opt.logger != nil:
		every = longWait
	default:
		return w.sleep(ctx, ready, 0)
	}
	logger := w.opt.logger
	for begun := time.Now(); ; {
		if w.opt.onWait != nil {
			w.opt.onWait()
		}
		if err := w.sleep(ctx, ready, every); err != nil || ready() {
			return err
		}
		if waited := time.Since(begun); logger != nil && waited >= longWait {
			logger.Warn("ring: the writer waits for the reader", "waited", waited, "bytes", n, "capacity", len(w.data))
			logger = nil
		}
	}
}

// ready reports whether a message of n bytes has room or never will.
func (w *Writer) ready(n int) bool {
	if w.h.readerClosed.Load() != 0 {
		w.readerGone()
	}
	if w.ending.Load() != nil {
		return true
	}
	_, ok := w.place(n)
	return ok || w.ending.Load() != nil
}
