package main

import (
	"bytes"
	"context"
	"time"
)

// channels sends each message as a slice of its own through a channel that holds
// 128 of them: at 64 KiB as many bytes as the rings hold.
func channels() yardstick {
	return yardstick{
		name: "channel", about: "chan []byte between two goroutines, each message a copy of its own",
		kind: "yardstick", measure: throughChannel,
	}
}

func throughChannel(ctx context.Context, w work) (time.Duration, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	messages := make(chan []byte, capacity/sizes[len(sizes)-1])
	go func() {
		src := make([]byte, w.size)
		for number := range w.total() {
			stamp(src, number)
			select {
			case messages <- bytes.Clone(src):
			case <-ctx.Done():
				return
			}
		}
	}()
	return timed(w, func(number int) error {
		select {
		case p := <-messages:
			return check(p, w.size, number)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}
