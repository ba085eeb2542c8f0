// Package nats calls by request and reply over NATS.
package nats

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// Peers is what this package offers.
var Peers = []peer.Peer{natsRequest{}}

// natsRequest is the usual way to call over NATS: requests with JSON. The NATS
// server is embedded in the serving process, which subscribes in-process;
// the caller comes in over TCP. Uploads travel as they are.
type natsRequest struct{}

func (natsRequest) Info() peer.Info {
	return peer.Info{
		Name:      "nats",
		About:     "NATS request/reply with JSON, server embedded in the worker, TCP",
		Kind:      peer.Other,
		Module:    "github.com/nats-io/nats-server/v2",
		Program:   "nats",
		MaxUpload: peer.AnySize,
		Streams:   true,
	}
}

const (
	natsMaxPayload = 64 << 20 // the default of 1 MiB is too small for the uploads
	natsMaxPending = 1 << 30  // with the default of 64 MiB a fast stream would end the connection
)

func (p natsRequest) Start(context.Context) (peer.Client, error) {
	cmd, err := peer.Command(p)
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	worker, err := peer.Start(cmd)
	if err != nil {
		return nil, err
	}
	url, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		worker.Close()
		return nil, fmt.Errorf("nats: the server did not say where it is: %w", err)
	}
	conn, err := nats.Connect(strings.TrimSpace(url))
	if err != nil {
		worker.Close()
		return nil, err
	}
	return peer.Joined{
		Directory: natsClient{conn},
		Streams:   feed{conn},
		End: func() error {
			conn.Close()
			return worker.Close()
		},
	}, nil
}

func (natsRequest) Serve() error {
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, MaxPayload: natsMaxPayload, MaxPending: natsMaxPending, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return err
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		return errors.New("the NATS server did not start")
	}
	conn, err := nats.Connect("", nats.InProcessServer(srv))
	if err != nil {
		return err
	}
	if err := errors.Join(subscribeDirectory(conn), subscribeFeed(conn)); err != nil {
		return err
	}
	if err := conn.Flush(); err != nil {
		return err
	}
	fmt.Println(srv.ClientURL())
	peer.EndWithParent()
	srv.WaitForShutdown()
	return nil
}

type natsAdd struct{ A, B int64 }

func subscribeDirectory(conn *nats.Conn) error {
	ctx, local := context.Background(), contract.Local{}
	_, err1 := conn.Subscribe("directory.add", answerJSON(func(r natsAdd) (int64, error) { return local.Add(ctx, r.A, r.B) }))
	_, err2 := conn.Subscribe("directory.echo", answerJSON(func(u contract.User) (contract.User, error) { return local.Echo(ctx, u) }))
	_, err3 := conn.Subscribe("directory.list", answerJSON(func(n int) ([]contract.User, error) { return local.List(ctx, n) }))
	_, err4 := conn.Subscribe("directory.upload", func(m *nats.Msg) {
		length, err := local.Upload(ctx, m.Data)
		respondJSON(m, length, err)
	})
	return errors.Join(err1, err2, err3, err4)
}

func answerJSON[A, R any](f func(A) (R, error)) nats.MsgHandler {
	return func(m *nats.Msg) {
		var (
			args   A
			result R
		)
		err := json.Unmarshal(m.Data, &args)
		if err == nil {
			result, err = f(args)
		}
		respondJSON(m, result, err)
	}
}

const natsError = "Error"

func respondJSON(m *nats.Msg, result any, err error) {
	answer := nats.NewMsg(m.Reply)
	if err == nil {
		answer.Data, err = json.Marshal(result)
	}
	if err != nil {
		answer.Header.Set(natsError, err.Error())
	}
	_ = m.RespondMsg(answer)
}

type natsClient struct{ conn *nats.Conn }

func (c natsClient) call(ctx context.Context, subject string, args []byte, result any) error {
	answer, err := c.conn.RequestWithContext(ctx, subject, args)
	if err != nil {
		return err
	}
	if message := answer.Header.Get(natsError); message != "" {
		return errors.New(message)
	}
	return json.Unmarshal(answer.Data, result)
}

func (c natsClient) callJSON(ctx context.Context, subject string, args, result any) error {
	data, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return c.call(ctx, subject, data, result)
}

func (c natsClient) Add(ctx context.Context, a, b int64) (sum int64, err error) {
	err = c.callJSON(ctx, "directory.add", natsAdd{a, b}, &sum)
	return sum, err
}

func (c natsClient) Echo(ctx context.Context, user contract.User) (same contract.User, err error) {
	err = c.callJSON(ctx, "directory.echo", &user, &same)
	return same, err
}

func (c natsClient) List(ctx context.Context, n int) (list []contract.User, err error) {
	err = c.callJSON(ctx, "directory.list", n, &list)
	return list, err
}

func (c natsClient) Upload(ctx context.Context, data []byte) (length int, err error) {
	err = c.call(ctx, "directory.upload", data, &length)
	return length, err
}
