package peers

import (
	"context"
	"math"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tenon-go/tenon/benchmarks/contract/pb"
)

type grpcGo struct{}

func (grpcGo) Info() Info {
	return Info{
		Name:      "grpc",
		About:     "grpc-go over a Unix socket",
		Kind:      Other,
		Module:    "google.golang.org/grpc",
		MaxUpload: anySize,
	}
}

func (p grpcGo) Start(context.Context) (Client, error) {
	server, path, err := startOnSocket(p)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		server.Close()
		return nil, err
	}
	return client{
		Directory: protobufClient{grpcService{pb.NewDirectoryClient(conn)}},
		close: func() error {
			conn.Close()
			return server.Close()
		},
	}, nil
}

func (grpcGo) Serve() error {
	listener, err := inheritedListener()
	if err != nil {
		return err
	}
	srv := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32)) // the default of 4 MiB is too small for the uploads
	pb.RegisterDirectoryServer(srv, newProtobufServer())
	return srv.Serve(listener)
}

// grpcService drops the call options of the generated client.
type grpcService struct{ client pb.DirectoryClient }

func (s grpcService) Add(ctx context.Context, r *pb.AddRequest) (*pb.AddResponse, error) {
	return s.client.Add(ctx, r)
}

func (s grpcService) Echo(ctx context.Context, u *pb.User) (*pb.User, error) {
	return s.client.Echo(ctx, u)
}

func (s grpcService) List(ctx context.Context, r *pb.ListRequest) (*pb.ListResponse, error) {
	return s.client.List(ctx, r)
}

func (s grpcService) Upload(ctx context.Context, r *pb.UploadRequest) (*pb.UploadResponse, error) {
	return s.client.Upload(ctx, r)
}
