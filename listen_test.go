package tenon_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/iolink"
)

// listen serves a calc on l and returns a function that connects to it.
func listen(t *testing.T, l net.Listener, dial func() (net.Conn, error), opts ...tenon.Option) func(opts ...tenon.Option) *tenon.Conn {
	t.Helper()
	srv := tenon.NewServer(append([]tenon.Option{tenon.WithLogger(quiet)}, opts...)...)
	tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a + p.b, nil })
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return func(opts ...tenon.Option) *tenon.Conn {
		c, err := dial()
		if err != nil {
			t.Fatal(err)
		}
		conn := tenon.NewConn(t.Context(), iolink.New(c), nil, opts...)
		t.Cleanup(func() { conn.Close() })
		return conn
	}
}

func tcp(t *testing.T) (net.Listener, func() (net.Conn, error)) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l, func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }
}

func mayCall(t *testing.T, conn *tenon.Conn) {
	t.Helper()
	if sum, err := add.Call(t.Context(), conn, pair{1, 2}); err != nil || sum != 3 {
		t.Errorf("%d, %v", sum, err)
	}
}

func mayNotCall(t *testing.T, conn *tenon.Conn, why string) {
	t.Helper()
	_, err := add.Call(t.Context(), conn, pair{1, 2})
	if err == nil || !tenon.SafeToRetry(err) || !strings.Contains(err.Error(), why) {
		t.Errorf("%v; wanted %q", err, why)
	}
}

func TestSameUserOverAUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	mayCall(t, listen(t, l, func() (net.Conn, error) { return net.Dial("unix", path) })())
}

func TestTCPWithoutCredentialsIsRefused(t *testing.T) {
	l, dial := tcp(t)
	mayNotCall(t, listen(t, l, dial)(), "needs a TLS client certificate or a token")
}

func TestAllowAnonymous(t *testing.T) {
	l, dial := tcp(t)
	mayCall(t, listen(t, l, dial, tenon.AllowAnonymous())())
}

func TestToken(t *testing.T) {
	l, dial := tcp(t)
	connect := listen(t, l, dial, tenon.WithToken("secret"))
	mayCall(t, connect(tenon.WithToken("secret")))
	mayNotCall(t, connect(tenon.WithToken("guess")), "the token is missing or wrong")
	mayNotCall(t, connect(), "the token is missing or wrong")
	_, err := add.Call(t.Context(), connect(), pair{})
	var e *tenon.Error
	if !errors.As(err, &e) || e.Code != tenon.PermissionDenied {
		t.Errorf("%v", err)
	}
}

func TestTLSClientCertificate(t *testing.T) {
	certificate, pool := selfSigned(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{certificate}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool,
	})
	if err != nil {
		t.Fatal(err)
	}
	var with atomic.Bool
	connect := listen(t, l, func() (net.Conn, error) {
		config := &tls.Config{RootCAs: pool, ServerName: "tenon.test"}
		if with.Load() {
			config.Certificates = []tls.Certificate{certificate}
		}
		return tls.Dial("tcp", l.Addr().String(), config)
	})
	mayNotCall(t, connect(), "needs a TLS client certificate or a token")
	with.Store(true)
	mayCall(t, connect())
}

func selfSigned(t testing.TB) (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tenon.test"}, DNSNames: []string{"tenon.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(crand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestAcceptGoesOnWhenDescriptorsAreFreeAgainReport26(t *testing.T) {
	srv := tenon.NewServer(tenon.WithLogger(quiet))
	tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a + p.b, nil })
	ctx, cancel := context.WithCancel(t.Context())
	links := make(chan tenon.Link, 1)
	failures := 0
	served := make(chan error, 1)
	go func() {
		served <- srv.ServeLinks(ctx, func(ctx context.Context) (tenon.Link, error) {
			if failures++; failures < 4 {
				return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
			}
			select {
			case l := <-links:
				return l, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
	}()
	a, b := inproc.Pair()
	links <- b
	conn := tenon.NewConn(t.Context(), a, nil)
	mayCall(t, conn)
	conn.Close()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestServeEndsWithItsServer(t *testing.T) {
	l, dial := tcp(t)
	srv := tenon.NewServer(tenon.AllowAnonymous())
	tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a + p.b, nil })
	served := make(chan error, 1)
	go func() { served <- srv.Serve(t.Context(), l) }()
	c, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	conn := tenon.NewConn(t.Context(), iolink.New(c), nil)
	defer conn.Close()
	mayCall(t, conn)
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, tenon.ErrServerClosed) {
		t.Error(err)
	}
	if c, err := dial(); err == nil {
		c.Close()
		t.Error("the listener still accepts")
	}
}

func TestShutdownOfAListeningServerAnswersRunningCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	open := make(chan struct{})
	var started atomic.Int64
	srv := holding(open, &started)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(t.Context(), l) }()
	c := tenon.NewClient(func(context.Context) (tenon.Link, error) {
		conn, err := net.Dial("unix", path)
		if err != nil {
			return nil, err
		}
		return iolink.New(conn), nil
	}, nil)
	defer c.Close()
	results := make(chan error, 20)
	for range 20 {
		go func() {
			_, err := hold.Call(t.Context(), c, "x")
			results <- err
		}()
	}
	eventually(t, "the handlers run", func() bool { return started.Load() == 20 })
	down := make(chan error, 1)
	go func() { down <- srv.Shutdown(t.Context()) }()
	eventually(t, "the listener is closed", func() bool {
		conn, err := net.Dial("unix", path)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(open)
	for range 20 {
		if err := <-results; err != nil {
			t.Errorf("a running call: %v", err)
		}
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, tenon.ErrServerClosed) {
		t.Error(err)
	}
}
