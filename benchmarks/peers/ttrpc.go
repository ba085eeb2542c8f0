package peers

import (
	"context"

	"github.com/containerd/ttrpc"

	"github.com/tenon-go/tenon/benchmarks/contract/pb"
)

type ttrpcSocket struct{}

func (ttrpcSocket) Info() Info {
	return Info{
		Name:      "ttrpc",
		About:     "ttrpc over a Unix socket; 4 MiB per message at most",
		Kind:      Other,
		Module:    "github.com/containerd/ttrpc",
		MaxUpload: 3 << 20,
	}
}

func (p ttrpcSocket) Start(ctx context.Context) (Client, error) {
	server, path, err := startOnSocket(p)
	if err != nil {
		return nil, err
	}
	stream, err := dialSocket(path)(ctx)
	if err != nil {
		server.Close()
		return nil, err
	}
	conn := ttrpc.NewClient(stream)
	return client{
		Directory: protobufClient{pb.NewTTRPCDirectoryClient(conn)},
		close: func() error {
			conn.Close()
			return server.Close()
		},
	}, nil
}

func (ttrpcSocket) Serve() error {
	listener, err := inheritedListener()
	if err != nil {
		return err
	}
	srv, err := ttrpc.NewServer()
	if err != nil {
		return err
	}
	pb.RegisterTTRPCDirectoryService(srv, newProtobufServer())
	return srv.Serve(context.Background(), listener)
}
