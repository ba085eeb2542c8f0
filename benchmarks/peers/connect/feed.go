package connect

import (
	"context"
	"errors"
	"io"

	"connectrpc.com/connect"

	"github.com/tenon-go/tenon/benchmarks/contract/pb"
	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbconnect"
	"github.com/tenon-go/tenon/benchmarks/peers/protobuf"
)

// A feedService gives the generated client's streams their common types.
type feedService struct {
	client pbconnect.FeedClient
	both   bool // streams in both directions at once, for which HTTP/1.1 has no room
}

func (s feedService) Items(ctx context.Context, r *pb.FeedRequest) (protobuf.Receiver[pb.Item], error) {
	return received(s.client.Items(ctx, r))
}

func (s feedService) Users(ctx context.Context, r *pb.FeedRequest) (protobuf.Receiver[pb.User], error) {
	return received(s.client.Users(ctx, r))
}

func (s feedService) Pieces(ctx context.Context, r *pb.FeedRequest) (protobuf.Receiver[pb.Piece], error) {
	return received(s.client.Pieces(ctx, r))
}

func (s feedService) Collect(ctx context.Context) (protobuf.Collecting, error) {
	call, err := s.client.Collect(ctx)
	return collecting{call}, err
}

func (s feedService) Exchange(ctx context.Context) (protobuf.Exchanging, error) {
	if !s.both {
		return nil, errors.ErrUnsupported
	}
	call, err := s.client.Exchange(ctx)
	return exchanging{call}, err
}

// A receiver is a stream of connect's that the caller or the handler takes.
type receiver[M any] struct {
	stream interface {
		Receive() bool
		Msg() *M
		Err() error
	}
}

func (r receiver[M]) Recv() (*M, error) {
	if r.stream.Receive() {
		return r.stream.Msg(), nil
	}
	if err := r.stream.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// received is a stream that ends with its context, if it is not read to its end.
func received[M any](stream *connect.ServerStreamForClient[M], err error) (protobuf.Receiver[M], error) {
	return receiver[M]{stream}, err
}

type collecting struct {
	*connect.ClientStreamForClientSimple[pb.Item, pb.CollectResponse]
}

func (c collecting) CloseAndRecv() (*pb.CollectResponse, error) { return c.CloseAndReceive() }

type exchanging struct {
	*connect.BidiStreamForClientSimple[pb.Item, pb.Item]
}

func (e exchanging) Recv() (*pb.Item, error) { return e.Receive() }
func (e exchanging) CloseSend() error        { return e.CloseRequest() }

type feedServer struct{}

func (feedServer) Items(_ context.Context, r *pb.FeedRequest, to *connect.ServerStream[pb.Item]) error {
	return protobuf.SendItems(r, to.Send)
}

func (feedServer) Users(_ context.Context, r *pb.FeedRequest, to *connect.ServerStream[pb.User]) error {
	return protobuf.SendUsers(r, to.Send)
}

func (feedServer) Pieces(_ context.Context, r *pb.FeedRequest, to *connect.ServerStream[pb.Piece]) error {
	return protobuf.SendPieces(r, to.Send)
}

func (feedServer) Collect(_ context.Context, from *connect.ClientStream[pb.Item]) (*pb.CollectResponse, error) {
	return protobuf.CollectItems(receiver[pb.Item]{from})
}

func (feedServer) Exchange(_ context.Context, with *connect.BidiStream[pb.Item, pb.Item]) error {
	return protobuf.ExchangeItems(served{with})
}

type served struct {
	*connect.BidiStream[pb.Item, pb.Item]
}

func (s served) Recv() (*pb.Item, error) { return s.Receive() }
