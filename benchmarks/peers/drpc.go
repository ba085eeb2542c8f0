package peers

import (
	"context"

	"storj.io/drpc/drpcconn"
	"storj.io/drpc/drpcmanager"
	"storj.io/drpc/drpcmux"
	"storj.io/drpc/drpcpool"
	"storj.io/drpc/drpcserver"
	"storj.io/drpc/drpcwire"

	"github.com/tenon-go/tenon/benchmarks/contract/pb"
)

// drpcPool uses a pool, as drpc's documentation wants it: a connection carries
// one call at a time.
type drpcPool struct{}

func (drpcPool) Info() Info {
	return Info{
		Name:      "drpc",
		About:     "drpc over a pool of Unix sockets",
		Kind:      Other,
		Module:    "storj.io/drpc",
		MaxUpload: anySize,
	}
}

// drpcManager raises the limit of 4 MiB per message for the uploads.
var drpcManager = drpcmanager.Options{Reader: drpcwire.ReaderOptions{MaximumBufferSize: 64 << 20}}

func (p drpcPool) Start(ctx context.Context) (Client, error) {
	server, path, err := startOnSocket(p)
	if err != nil {
		return nil, err
	}
	dial := dialSocket(path)
	pool := drpcpool.New[string, drpcpool.Conn](drpcpool.Options{})
	conn := pool.Get(ctx, path, func(ctx context.Context, _ string) (drpcpool.Conn, error) {
		stream, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return drpcconn.NewWithOptions(stream, drpcconn.Options{Manager: drpcManager}), nil
	})
	return client{
		Directory: protobufClient{pb.NewDRPCDirectoryClient(conn)},
		close: func() error {
			conn.Close()
			pool.Close()
			return server.Close()
		},
	}, nil
}

func (drpcPool) Serve() error {
	listener, err := inheritedListener()
	if err != nil {
		return err
	}
	mux := drpcmux.New()
	if err := pb.DRPCRegisterDirectory(mux, newProtobufServer()); err != nil {
		return err
	}
	srv := drpcserver.NewWithOptions(mux, drpcserver.Options{Manager: drpcManager})
	return srv.Serve(context.Background(), listener)
}
