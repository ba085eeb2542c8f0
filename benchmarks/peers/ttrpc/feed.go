package ttrpc

import (
	"context"

	"github.com/tenon-go/tenon/benchmarks/contract/pb"
	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbttrpc"
	"github.com/tenon-go/tenon/benchmarks/peers/protobuf"
)

// A feedService gives the generated client's streams their common types.
type feedService struct{ client pbttrpc.TTRPCFeedClient }

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

func (feedServer) Items(_ context.Context, r *pb.FeedRequest, to pbttrpc.TTRPCFeed_ItemsServer) error {
	return protobuf.SendItems(r, to.Send)
}

func (feedServer) Users(_ context.Context, r *pb.FeedRequest, to pbttrpc.TTRPCFeed_UsersServer) error {
	return protobuf.SendUsers(r, to.Send)
}

func (feedServer) Pieces(_ context.Context, r *pb.FeedRequest, to pbttrpc.TTRPCFeed_PiecesServer) error {
	return protobuf.SendPieces(r, to.Send)
}

func (feedServer) Collect(_ context.Context, from pbttrpc.TTRPCFeed_CollectServer) (*pb.CollectResponse, error) {
	return protobuf.CollectItems(from)
}

func (feedServer) Exchange(_ context.Context, with pbttrpc.TTRPCFeed_ExchangeServer) error {
	return protobuf.ExchangeItems(with)
}
