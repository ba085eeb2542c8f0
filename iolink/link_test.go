package iolink_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"os"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/internal/pump"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/linktest"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(child(role))
	}
	pump.Linger = 100 * time.Millisecond
	os.Exit(leak.Main(m))
}

var _ tenon.DirectLink = (*iolink.Link)(nil)

// pairs are all the streams a link can run over.
var pairs = map[string]func(t *testing.T) (a, b *iolink.Link){
	"unix socket pair": func(t *testing.T) (a, b *iolink.Link) { return must2(t)(iolink.Pair()) },
	"pipes":            func(t *testing.T) (a, b *iolink.Link) { return must2(t)(iolink.Pipe()) },
	"unix":             func(t *testing.T) (a, b *iolink.Link) { return dialed(t, "unix") },
	"tcp":              func(t *testing.T) (a, b *iolink.Link) { return dialed(t, "tcp") },
	"tls":              tlsPair,
	"net.Pipe": func(t *testing.T) (a, b *iolink.Link) {
		x, y := net.Pipe()
		return iolink.New(x), iolink.New(y)
	},
	"io.Pipe": func(t *testing.T) (a, b *iolink.Link) {
		ar, bw := io.Pipe()
		br, aw := io.Pipe()
		return iolink.NewReadWriter(ar, aw), iolink.NewReadWriter(br, bw)
	},
}

func must2(t *testing.T) func(a, b *iolink.Link, err error) (*iolink.Link, *iolink.Link) {
	return func(a, b *iolink.Link, err error) (*iolink.Link, *iolink.Link) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a, b
	}
}

func connected(t *testing.T, network string) (a, b net.Conn) {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = t.TempDir() + "/s"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err = net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

func dialed(t *testing.T, network string) (a, b *iolink.Link) {
	x, y := connected(t, network)
	return iolink.New(x), iolink.New(y)
}

var certificate = func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}()

func tlsPair(t *testing.T) (a, b *iolink.Link) {
	x, y := connected(t, "tcp")
	client := tls.Client(x, &tls.Config{InsecureSkipVerify: true})
	server := tls.Server(y, &tls.Config{Certificates: []tls.Certificate{certificate}})
	go client.Handshake()
	if err := server.Handshake(); err != nil {
		t.Fatal(err)
	}
	return iolink.New(client), iolink.New(server)
}

func TestEveryStreamPassesTheSuite(t *testing.T) {
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			linktest.Run(t, func(t *testing.T) (a, b tenon.Link) { return pair(t) })
		})
	}
}
