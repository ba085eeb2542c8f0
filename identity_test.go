package tenon_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/iolink"
)

// whoCalls says who the peer of the handler's connection is.
func whoCalls(ctx context.Context, _ string) (string, error) {
	conn := tenon.ConnFrom(ctx)
	name := ""
	if chain := conn.PeerCertificates(); len(chain) > 0 {
		name = chain[0].DNSNames[0]
	}
	uid, known := conn.PeerUID()
	if conn.Peer() == "pid 42" {
		name += "process 42"
	}
	return fmt.Sprint(uid, " ", known, " ", name), nil
}

func TestHandlersKnowWhoThePeerIs(t *testing.T) {
	certificate, pool := selfSigned(t)
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, RootCAs: pool, ServerName: "tenon.test"}
	secure := func(auth tls.ClientAuthType, known *x509.CertPool) func(net.Listener) net.Listener {
		return func(l net.Listener) net.Listener {
			return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: auth, ClientCAs: known})
		}
	}
	plain := func(l net.Listener) net.Listener { return l }
	path := filepath.Join(t.TempDir(), "s")
	me := fmt.Sprint(os.Geteuid(), " true ")
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		me = "0 false "
	}
	for _, c := range []struct {
		name, network, address string
		server                 func(net.Listener) net.Listener
		opts                   []tenon.Option
		want                   string
	}{
		{"Unix socket", "unix", path, plain, nil, me},
		{"Unix socket, anybody", "unix", path + "2", plain, []tenon.Option{tenon.AllowAnonymous()}, me},
		{"TCP", "tcp", "127.0.0.1:0", plain, []tenon.Option{tenon.AllowAnonymous()}, "0 false "},
		{"TLS", "tcp", "127.0.0.1:0", secure(tls.VerifyClientCertIfGiven, pool), nil, "0 false tenon.test"},
		{"TLS, not verified", "tcp", "127.0.0.1:0", secure(tls.RequireAnyClientCert, nil), []tenon.Option{tenon.AllowAnonymous()}, "0 false "},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := net.Listen(c.network, c.address)
			if err != nil {
				t.Fatal(err)
			}
			address := l.Addr().String()
			srv := tenon.NewServer(c.opts...)
			tenon.Handle(srv, &fail, whoCalls)
			ctx, cancel := context.WithCancel(context.Background())
			served := make(chan error, 1)
			go func() { served <- srv.Serve(ctx, c.server(l)) }()
			defer func() { cancel(); <-served }()
			stream, err := net.Dial(c.network, address)
			if err != nil {
				t.Fatal(err)
			}
			if c.name[:3] == "TLS" {
				stream = tls.Client(stream, config)
			}
			conn := tenon.NewConn(t.Context(), iolink.New(stream), nil)
			defer conn.Close()
			if got, err := fail.Call(t.Context(), conn, ""); err != nil || got != c.want {
				t.Errorf("%q, %v; wanted %q", got, err, c.want)
			}
		})
	}
}

// A knowingLink knows its peer, as those of shm do.
type knowingLink struct{ *inproc.Link }

func (knowingLink) PeerUID() (int, bool) { return 4711, true }
func (knowingLink) PeerPID() (int, bool) { return 42, true }

func TestLinksTellWhoThePeerIs(t *testing.T) {
	a, b := inproc.Pair()
	srv := tenon.NewServer()
	tenon.Handle(srv, &fail, whoCalls)
	go srv.ServeLink(t.Context(), knowingLink{b})
	conn := tenon.NewConn(t.Context(), a, nil)
	defer conn.Close()
	if got, err := fail.Call(t.Context(), conn, ""); err != nil || got != "4711 true process 42" {
		t.Errorf("%q, %v", got, err)
	}
}
