// Package grpc calls through grpc-go.
package grpc

import (
	"context"
	"math"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tenon-go/tenon/benchmarks/contract/pb"
	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbgrpc"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/peers/protobuf"
)

// Peers is what this package offers.
var Peers = []peer.Peer{grpcGo{}}

type grpcGo struct{}

func (grpcGo) Info() peer.Info {
	return peer.Info{
		Name:      "grpc",
		About:     "grpc-go over a Unix socket",
		Kind:      peer.Other,
		Module:    "google.golang.org/grpc",
		Program:   "grpc",
		MaxUpload: peer.AnySize,
		Streams:   true,
		Unread:    true,
	}
}

func (p grpcGo) Start(context.Context) (peer.Client, error) {
	server, path, err := peer.StartOnSocket(p)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		server.Close()
		return nil, err
	}
	return peer.Joined{
		Directory: protobuf.Client{Service: Service{pbgrpc.NewDirectoryClient(conn)}},
		Streams:   protobuf.Feed{Service: feedService{pbgrpc.NewFeedClient(conn)}},
		End: func() error {
			conn.Close()
			return server.Close()
		},
	}, nil
}

func (grpcGo) Serve() error {
	listener, err := peer.InheritedListener()
	if err != nil {
		return err
	}
	srv := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32)) // the default of 4 MiB is too small for the uploads
	pbgrpc.RegisterDirectoryServer(srv, protobuf.Server{})
	pbgrpc.RegisterFeedServer(srv, feedServer{})
	return srv.Serve(listener)
}

// A Service drops the call options of the generated client.
type Service struct{ Client pbgrpc.DirectoryClient }

func (s Service) Add(ctx context.Context, r *pb.AddRequest) (*pb.AddResponse, error) {
	return s.Client.Add(ctx, r)
}

func (s Service) Echo(ctx context.Context, u *pb.User) (*pb.User, error) {
	return s.Client.Echo(ctx, u)
}

func (s Service) List(ctx context.Context, r *pb.ListRequest) (*pb.ListResponse, error) {
	return s.Client.List(ctx, r)
}

func (s Service) Upload(ctx context.Context, r *pb.UploadRequest) (*pb.UploadResponse, error) {
	return s.Client.Upload(ctx, r)
}
