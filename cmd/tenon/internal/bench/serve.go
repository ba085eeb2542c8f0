package bench

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"iter"
	"math/big"
	"net"
	"sync"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/bench/contract"
	"github.com/tenon-go/tenon/worker"
)

// entry marks the process that is the other side.
const entry = "bench"

// serverName is in the certificate of the other side.
const serverName = "bench.tenon"

// Main serves, in the process that was started as the other side, and exits.
// Everywhere else it returns at once: call it first in main.
func Main() {
	worker.Main(entry, func(srv *tenon.Server) error {
		contract.RegisterBench(srv, server{})
		contract.RegisterControl(srv, new(controller))
		return nil
	})
}

// server does as little as it can: what is measured is the way there and back.
type server struct{}

func (server) Add(_ context.Context, a, b int64) (int64, error) { return a + b, nil }

func (server) Echo(_ context.Context, user contract.User) (contract.User, error) { return user, nil }

func (server) List(_ context.Context, n int) ([]contract.User, error) {
	if n < 0 || n > contract.MaxList {
		return nil, fmt.Errorf("there are %d users, not %d", contract.MaxList, n)
	}
	return contract.Users(n), nil
}

func (server) Upload(_ context.Context, data []byte) (int, error) { return len(data), nil }

func (server) Items(context.Context) iter.Seq2[contract.Item, error] {
	return func(yield func(contract.Item, error) bool) {
		for yield(contract.AnItem, nil) {
		}
	}
}

func (server) Pieces(_ context.Context, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for piece := make([]byte, size); yield(piece, nil); {
		}
	}
}

func (server) Collect(_ context.Context, items iter.Seq2[contract.Item, error]) (n int, err error) {
	for _, err := range items {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// controller is the Control of the other side's process.
type controller struct {
	mu   sync.Mutex
	ring *ringWriter // once there was something to write
}

func (*controller) Usage(context.Context) (contract.Usage, error) { return ownUsage(), nil }

func (*controller) Listen(ctx context.Context, secure bool, token string) (string, []byte, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := listener.Addr().String()
	var der []byte
	if secure {
		var certificate tls.Certificate
		if certificate, err = newCertificate(); err != nil {
			listener.Close()
			return "", nil, err
		}
		der = certificate.Certificate[0]
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate}})
	}
	srv := tenon.NewServer(tenon.WithToken(token))
	contract.RegisterBench(srv, server{})
	// It ends with the process.
	go func() { _ = srv.Serve(context.WithoutCancel(ctx), listener) }()
	return address, der, nil
}

// newCertificate makes one that signs itself and is good for an hour.
func newCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{serverName},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

func (c *controller) WriteRing(ctx context.Context, size, count int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ring == nil {
		w, err := openInheritedRing()
		if err != nil {
			return err
		}
		c.ring = w
	}
	return c.ring.write(ctx, size, count)
}
