// Package channels shows what a call to another goroutine costs by hand.
package channels

import (
	"context"
	"sync"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// Peers is what this package offers.
var Peers = []peer.Peer{channels{}}

// channels shows what a call to another goroutine costs by hand. Nothing is
// copied, so that uploads would measure nothing.
type channels struct{}

func (channels) Info() peer.Info {
	return peer.Info{
		Name:      "channels",
		About:     "two goroutines and Go channels, one process, no copies",
		Kind:      peer.Yardstick,
		MaxUpload: peer.NoUploads,
		Streams:   true,
	}
}

func (channels) Start(context.Context) (peer.Client, error) {
	c := channelClient{calls: make(chan *channelCall)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		serveChannel(c.calls)
	}()
	return peer.Joined{
		Directory: c,
		Streams:   feed{},
		End: func() error {
			close(c.calls)
			<-served
			return nil
		},
	}, nil
}

type channelClient struct{ calls chan *channelCall }

type channelCall struct {
	run  func(ctx context.Context, c *channelCall)
	ctx  context.Context
	a, b int64
	user contract.User
	list []contract.User
	err  error
	done chan struct{}
}

var channelCalls = sync.Pool{New: func() any { return &channelCall{done: make(chan struct{}, 1)} }}

func serveChannel(calls <-chan *channelCall) {
	for c := range calls {
		c.run(c.ctx, c)
		c.done <- struct{}{}
	}
}

func (c channelClient) do(ctx context.Context, call *channelCall) error {
	call.ctx = ctx
	select {
	case c.calls <- call:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-call.done:
		return call.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c channelClient) Add(ctx context.Context, a, b int64) (int64, error) {
	call := channelCalls.Get().(*channelCall)
	call.run, call.a, call.b = channelAdd, a, b
	if err := c.do(ctx, call); err != nil {
		return 0, err
	}
	sum := call.a
	channelCalls.Put(call)
	return sum, nil
}

func (c channelClient) Echo(ctx context.Context, user contract.User) (contract.User, error) {
	call := channelCalls.Get().(*channelCall)
	call.run, call.user = channelEcho, user
	if err := c.do(ctx, call); err != nil {
		return contract.User{}, err
	}
	user = call.user
	channelCalls.Put(call)
	return user, nil
}

func (c channelClient) List(ctx context.Context, n int) ([]contract.User, error) {
	call := channelCalls.Get().(*channelCall)
	call.run, call.a = channelList, int64(n)
	if err := c.do(ctx, call); err != nil {
		return nil, err
	}
	list := call.list
	channelCalls.Put(call)
	return list, nil
}

func (c channelClient) Upload(ctx context.Context, data []byte) (int, error) {
	return contract.Local{}.Upload(ctx, data)
}

func channelAdd(ctx context.Context, c *channelCall) {
	c.a, c.err = contract.Local{}.Add(ctx, c.a, c.b)
}

func channelEcho(ctx context.Context, c *channelCall) {
	c.user, c.err = contract.Local{}.Echo(ctx, c.user)
}

func channelList(ctx context.Context, c *channelCall) {
	c.list, c.err = contract.Local{}.List(ctx, int(c.a))
}
