// Package bare is the floor of what a stream socket allows: frames and a codec
// written by hand for the contract, calls answered by the goroutine that reads
// them, nothing checked that could be left out.
//
//	frame: u32 length of the rest, u32 call, u8 method (in answers 0), values
package bare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// Peers is what this package offers.
var Peers = []peer.Peer{frames{}}

type frames struct{}

func (frames) Info() peer.Info {
	return peer.Info{
		Name:      "bare",
		About:     "hand-written frames over a Unix socket",
		Kind:      peer.Floor,
		Program:   "bare",
		MaxUpload: peer.AnySize,
		Streams:   true,
	}
}

const (
	opAnswer = iota
	opAdd
	opEcho
	opList
	opUpload

	// Streams, see feed.
	opItems
	opUsers
	opPieces
	opCollect
	opExchange

	headerSize = 9
	bufferSize = 64 << 10
)

func (p frames) Start(ctx context.Context) (peer.Client, error) {
	server, path, err := peer.StartOnSocket(p)
	if err != nil {
		return nil, err
	}
	dial := peer.DialSocket(path)
	conn, err := dial(ctx)
	if err != nil {
		server.Close()
		return nil, err
	}
	calls := &caller{conn: conn, pending: make(map[uint32]*call)}
	go calls.read()
	return peer.Joined{
		Directory: calls,
		Streams:   feed{dial},
		End: func() error {
			conn.Close()
			return server.Close()
		},
	}, nil
}

func (frames) Serve() error {
	listener, err := peer.InheritedListener()
	if err != nil {
		return err
	}
	for { // until the parent ends this process
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			if err := answer(conn); err != nil && !errors.Is(err, io.EOF) {
				fmt.Fprintln(os.Stderr, "bare:", err)
			}
		}()
	}
}
