package peers

import (
	"context"
	"net"
	"net/http"

	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbconnect"
)

var (
	connectHTTP1 = connectGo{"connect", "connect-go over HTTP/1.1 on a Unix socket", false}
	connectHTTP2 = connectGo{"connect h2c", "connect-go over HTTP/2 without TLS on a Unix socket", true}
)

type connectGo struct {
	name, about string
	http2       bool
}

func (p connectGo) Info() Info {
	return Info{
		Name:      p.name,
		About:     p.about,
		Kind:      Other,
		Module:    "connectrpc.com/connect",
		MaxUpload: anySize,
	}
}

func (p connectGo) protocols() *http.Protocols {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!p.http2)
	protocols.SetUnencryptedHTTP2(p.http2)
	return protocols
}

func (p connectGo) Start(context.Context) (Client, error) {
	server, path, err := startOnSocket(p)
	if err != nil {
		return nil, err
	}
	dial := dialSocket(path)
	transport := &http.Transport{
		Protocols:           p.protocols(),
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		MaxIdleConnsPerHost: 64, // the default of 2 would dial anew all the time
	}
	return client{
		Directory: protobufClient{pbconnect.NewDirectoryClient(&http.Client{Transport: transport}, "http://directory")},
		close: func() error {
			transport.CloseIdleConnections()
			return server.Close()
		},
	}, nil
}

func (p connectGo) Serve() error {
	listener, err := inheritedListener()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(pbconnect.NewDirectoryHandler(newProtobufServer()))
	srv := &http.Server{Handler: mux, Protocols: p.protocols()}
	return srv.Serve(listener)
}
