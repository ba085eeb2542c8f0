package protobuf

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/contract/pb"
)

// A FeedService is contract.Feed as the peers with protobuf have it.
type FeedService interface {
	Items(context.Context, *pb.FeedRequest) (Receiver[pb.Item], error)
	Users(context.Context, *pb.FeedRequest) (Receiver[pb.User], error)
	Pieces(context.Context, *pb.FeedRequest) (Receiver[pb.Piece], error)
	Collect(context.Context) (Collecting, error)
	Exchange(context.Context) (Exchanging, error)
}

// A Receiver is the receiving end of a stream, which ends with io.EOF.
type Receiver[M any] interface{ Recv() (*M, error) }

// A Sender is the sending end.
type Sender[M any] interface{ Send(*M) error }

// Collecting is a call of Collect.
type Collecting interface {
	Sender[pb.Item]
	CloseAndRecv() (*pb.CollectResponse, error)
}

// Exchanging is a call of Exchange.
type Exchanging interface {
	Sender[pb.Item]
	Receiver[pb.Item]
	CloseSend() error
}

// A Feed makes a contract.Feed of a client with protobuf.
type Feed struct{ Service FeedService }

func (f Feed) Items(ctx context.Context, n int) iter.Seq2[contract.Item, error] {
	return stream(ctx, n, f.Service.Items, fromItem)
}

func (f Feed) Users(ctx context.Context, n int) iter.Seq2[contract.User, error] {
	return stream(ctx, n, f.Service.Users, fromProtobuf)
}

func (f Feed) Pieces(ctx context.Context, n int) iter.Seq2[[]byte, error] {
	return stream(ctx, n, f.Service.Pieces, (*pb.Piece).GetData)
}

func (f Feed) Collect(ctx context.Context, items iter.Seq2[contract.Item, error]) (int, error) {
	call, err := f.Service.Collect(ctx)
	if err != nil {
		return 0, err
	}
	if err := sendAll(call, items); err != nil {
		return 0, err
	}
	r, err := call.CloseAndRecv()
	return int(r.GetN()), err
}

func (f Feed) Exchange(ctx context.Context, items iter.Seq2[contract.Item, error]) iter.Seq2[contract.Item, error] {
	return func(yield func(contract.Item, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		call, err := f.Service.Exchange(ctx)
		if err != nil {
			yield(contract.Item{}, err)
			return
		}
		sent := make(chan error, 1)
		go func() { sent <- errors.Join(sendAll(call, items), call.CloseSend()) }()
		if !receiveAll(call, fromItem, yield) {
			cancel()
			<-sent
			return
		}
		if err := <-sent; err != nil {
			yield(contract.Item{}, err)
		}
	}
}

// stream is a stream from the server.
func stream[M, T any](ctx context.Context, n int, open func(context.Context, *pb.FeedRequest) (Receiver[M], error), from func(*M) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx) // what ends a stream before its end
		defer cancel()
		call, err := open(ctx, &pb.FeedRequest{N: int64(n)})
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		receiveAll(call, from, yield)
	}
}

// receiveAll reports whether the stream has come to its end in order.
func receiveAll[M, T any](from Receiver[M], convert func(*M) T, yield func(T, error) bool) bool {
	for {
		m, err := from.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			var none T
			yield(none, err)
			return false
		case !yield(convert(m), nil):
			return false
		}
	}
}

func sendAll(to Sender[pb.Item], items iter.Seq2[contract.Item, error]) error {
	for item, err := range items {
		if err != nil {
			return err
		}
		if err := to.Send(&pb.Item{Id: item.ID, Name: item.Name}); err != nil {
			return err
		}
	}
	return nil
}

func fromItem(m *pb.Item) contract.Item { return contract.Item{ID: m.Id, Name: m.Name} }

// SendItems serves Items. Like what follows, it sends one message again and again:
// all of the peers have encoded it when send returns.
func SendItems(r *pb.FeedRequest, send func(*pb.Item) error) error {
	m := &pb.Item{Name: contract.ItemAt(0).Name}
	for i := range int(r.N) {
		m.Id = contract.ItemAt(i).ID
		if err := send(m); err != nil {
			return err
		}
	}
	return nil
}

// SendUsers serves Users.
func SendUsers(r *pb.FeedRequest, send func(*pb.User) error) error {
	list := users()
	for i := range int(r.N) {
		if err := send(list[i%len(list)]); err != nil {
			return err
		}
	}
	return nil
}

// SendPieces serves Pieces.
func SendPieces(r *pb.FeedRequest, send func(*pb.Piece) error) error {
	m := &pb.Piece{Data: contract.Piece}
	for range r.N {
		if err := send(m); err != nil {
			return err
		}
	}
	return nil
}

// CollectItems serves Collect.
func CollectItems(from Receiver[pb.Item]) (*pb.CollectResponse, error) {
	n, err := contract.Collected(func(yield func(contract.Item, error) bool) { receiveAll(from, fromItem, yield) })
	return &pb.CollectResponse{N: int64(n)}, err
}

// ExchangeItems serves Exchange.
func ExchangeItems(with interface {
	Sender[pb.Item]
	Receiver[pb.Item]
}) error {
	for {
		m, err := with.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := with.Send(m); err != nil {
			return err
		}
	}
}
