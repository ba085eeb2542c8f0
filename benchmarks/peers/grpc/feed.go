package grpc

import (
	"context"

	"github.com/tenon-go/tenon/benchmarks/contract/pb"
	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbgrpc"
	"github.com/tenon-go/tenon/benchmarks/peers/protobuf"
)

// A feedService gives the generated client's streams their common types.
type feedService struct{ client pbgrpc.FeedClient }

func (s feedService) Items(ctx context.Context, r *pb.FeedRequest) (protobuf.Receiver[pb.Item], error) {
	return s.client.Items(ctx, r)
}

func (s feedService) Users(ctx context.Context, r *pb.FeedRequest) (protobuf.Receiver[pb.User], error) {
	return s.client.Users(ctx, r)
}

func (s feedService) Pieces(ctx context.Context, r *pb.FeedRequest) (protobuf.Receiver[pb.Piece], error) {
	return s.client.Pieces(ctx, r)
}

func (s feedService) Collect(ctx context.Context) (protobuf.Collecting, error) {
	return s.client.Collect(ctx)
}

func (s feedService) Exchange(ctx context.Context) (protobuf.Exchanging, error) {
	return s.client.Exchange(ctx)
}

type feedServer struct{}

func (feedServer) Items(r *pb.FeedRequest, to pbgrpc.Feed_ItemsServer) error {
	return protobuf.SendItems(r, to.Send)
}

func (feedServer) Users(r *pb.FeedRequest, to pbgrpc.Feed_UsersServer) error {
	return protobuf.SendUsers(r, to.Send)
}

func (feedServer) Pieces(r *pb.FeedRequest, to pbgrpc.Feed_PiecesServer) error {
	return protobuf.SendPieces(r, to.Send)
}

func (feedServer) Collect(from pbgrpc.Feed_CollectServer) error {
	r, err := protobuf.CollectItems(from)
	if err != nil {
		return err
	}
	return from.SendAndClose(r)
}

func (feedServer) Exchange(with pbgrpc.Feed_ExchangeServer) error {
	return protobuf.ExchangeItems(with)
}
