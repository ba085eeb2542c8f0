package linknet_test

import (
	"io"
	"net"
	"os"
	"testing"

	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/linknet"
	"github.com/tenon-go/tenon/shm"
)

func BenchmarkRoundTrip(b *testing.B) {
	for name, pair := range benchPairs() {
		b.Run(name, func(b *testing.B) {
			x, y, err := pair()
			if err != nil {
				b.Skip(err)
			}
			defer x.Close()
			defer y.Close()
			go io.Copy(onlyWriter{y}, onlyReader{y})
			p := make([]byte, 64)
			b.ReportAllocs()
			for b.Loop() {
				x.Write(p)
				if _, err := io.ReadFull(x, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkThroughput(b *testing.B) {
	for name, pair := range benchPairs() {
		b.Run(name, func(b *testing.B) {
			x, y, err := pair()
			if err != nil {
				b.Skip(err)
			}
			defer x.Close()
			defer y.Close()
			p := make([]byte, 1<<20)
			go io.Copy(io.Discard, onlyReader{y})
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				if _, err := x.Write(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchPairs are connections over links, and a Unix socket of package net
// beside them.
func benchPairs() map[string]func() (a, b net.Conn, err error) {
	return map[string]func() (a, b net.Conn, err error){
		"shm": func() (net.Conn, net.Conn, error) {
			a, b, err := shm.Pair()
			if err != nil {
				return nil, nil, err
			}
			return linknet.NewConn(a), linknet.NewConn(b), nil
		},
		"iolink": func() (net.Conn, net.Conn, error) {
			a, b, err := iolink.Pair()
			if err != nil {
				return nil, nil, err
			}
			return linknet.NewConn(a), linknet.NewConn(b), nil
		},
		"unix": unixPair,
	}
}

func unixPair() (a, b net.Conn, err error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", dir+"/s")
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	if a, err = net.Dial("unix", dir+"/s"); err != nil {
		return nil, nil, err
	}
	if b, err = l.Accept(); err != nil {
		a.Close()
	}
	return a, b, err
}
