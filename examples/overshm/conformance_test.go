package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/linknet"
	"github.com/tenon-go/tenon/linktest"
	"github.com/tenon-go/tenon/shm"
	"golang.org/x/net/nettest"
)

// plain hides all that a link can do beyond Send, Recv and Close.
type plain struct{ tenon.Link }

func TestEveryLinkIsANetConn(t *testing.T) {
	unix := func() (tenon.Link, tenon.Link, error) { return pairOf(iolink.Pair()) }
	for name, pair := range map[string]func() (a, b tenon.Link, err error){
		"shm":       func() (tenon.Link, tenon.Link, error) { return pairOf(shm.Pair()) },
		"small shm": func() (tenon.Link, tenon.Link, error) { return pairOf(shm.Pair(shm.Size(4096))) },
		"inproc": func() (tenon.Link, tenon.Link, error) {
			a, b := inproc.Pair()
			return a, b, nil
		},
		"unix": unix,
		"tcp":  overTCP,
		"tls":  overTLS,
		"pipe": func() (tenon.Link, tenon.Link, error) { return pairOf(iolink.Pipe()) },
		"plain": func() (tenon.Link, tenon.Link, error) {
			a, b, err := unix()
			return plain{a}, plain{b}, err
		},
		"plain, in pieces": func() (tenon.Link, tenon.Link, error) {
			a, b, err := unix()
			return plain{linktest.Cut(a, 1)}, plain{linktest.Cut(b, 2)}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nettest.TestConn(t, func() (a, b net.Conn, stop func(), err error) {
				x, y, err := pair()
				if err != nil {
					return nil, nil, nil, err
				}
				a, b = linknet.NewConn(x), linknet.NewConn(y)
				return a, b, func() {
					a.Close()
					b.Close()
				}, nil
			})
		})
	}
}

func pairOf[L tenon.Link](a, b L, err error) (x, y tenon.Link, _ error) { return a, b, err }

func overTCP() (x, y tenon.Link, err error) {
	a, b, err := connected()
	if err != nil {
		return nil, nil, err
	}
	return iolink.New(a), iolink.New(b), nil
}

func overTLS() (x, y tenon.Link, err error) {
	a, b, err := connected()
	if err != nil {
		return nil, nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	certificate := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	client := tls.Client(a, &tls.Config{InsecureSkipVerify: true})
	server := tls.Server(b, &tls.Config{Certificates: []tls.Certificate{certificate}})
	go client.Handshake()
	return iolink.New(client), iolink.New(server), server.Handshake()
}

// connected returns both ends of a TCP connection.
func connected() (a, b net.Conn, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err != nil {
		return nil, nil, err
	}
	b, err = l.Accept()
	return a, b, err
}
