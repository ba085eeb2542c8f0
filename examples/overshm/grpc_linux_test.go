package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
)

func testClient(t *testing.T) (*server, grpc_testing.TestServiceClient) {
	t.Helper()
	s := startTest(t)
	return s, grpc_testing.NewTestServiceClient(s.grpc())
}

func TestUnaryCallsOf64Callers(t *testing.T) {
	_, c := testClient(t)
	ctx := soon(t)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for j := range 20 {
				checkUnary(t, c, ctx, []byte(fmt.Sprint(i, " ", j)))
			}
		})
	}
	all.Wait()
	checkUnary(t, c, ctx, make([]byte, 3<<20))
}

func TestAllKindsOfStreamsAtOnce(t *testing.T) {
	_, c := testClient(t)
	ctx := soon(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { checkOutput(t, c, ctx) })
		all.Go(func() { checkInput(t, c, ctx) })
		all.Go(func() { checkDuplex(t, c, ctx) })
		all.Go(func() { checkUnary(t, c, ctx, make([]byte, 1<<20)) })
	}
	all.Wait()
}

func TestDeadlineAndCancelEndOneCallOnly(t *testing.T) {
	_, c := testClient(t)
	checkUnary(t, c, soon(t), []byte("connected"))
	short, cancel := context.WithTimeout(soon(t), 20*time.Millisecond)
	defer cancel()
	stream, err := c.FullDuplexCall(short)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("got %v, want DeadlineExceeded", err)
	}
	checkUnary(t, c, soon(t), []byte("still here"))
}

func TestAKilledServerEndsEveryCall(t *testing.T) {
	s, c := testClient(t)
	ctx := soon(t)
	var all sync.WaitGroup
	for range 8 {
		stream, err := c.FullDuplexCall(ctx)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			_, err := stream.Recv()
			if status.Code(err) != codes.Unavailable {
				t.Errorf("a stream: %v, want Unavailable", err)
			}
		})
	}
	kill(t, s)
	all.Wait()
	_, err := c.UnaryCall(ctx, &grpc_testing.SimpleRequest{})
	failsSoon(t, "a call", ctx, err)
}

func checkUnary(t *testing.T, c grpc_testing.TestServiceClient, ctx context.Context, body []byte) {
	t.Helper()
	r, err := c.UnaryCall(ctx, &grpc_testing.SimpleRequest{Payload: &grpc_testing.Payload{Body: body}})
	if err != nil || !bytes.Equal(r.Payload.GetBody(), body) {
		t.Errorf("another body came back, error %v", err)
	}
}

var sizes = []int{0, 1, 1000, 100_000, 1 << 20}

func checkOutput(t *testing.T, c grpc_testing.TestServiceClient, ctx context.Context) {
	var want []*grpc_testing.ResponseParameters
	for _, size := range sizes {
		want = append(want, &grpc_testing.ResponseParameters{Size: int32(size)})
	}
	stream, err := c.StreamingOutputCall(ctx, &grpc_testing.StreamingOutputCallRequest{ResponseParameters: want})
	if err != nil {
		t.Error(err)
		return
	}
	for _, size := range sizes {
		m, err := stream.Recv()
		if err != nil || len(m.Payload.Body) != size {
			t.Errorf("want %d bytes, error %v", size, err)
			return
		}
	}
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func checkInput(t *testing.T, c grpc_testing.TestServiceClient, ctx context.Context) {
	stream, err := c.StreamingInputCall(ctx)
	if err != nil {
		t.Error(err)
		return
	}
	total := 0
	for _, size := range sizes {
		total += size
		payload := &grpc_testing.Payload{Body: make([]byte, size)}
		if err := stream.Send(&grpc_testing.StreamingInputCallRequest{Payload: payload}); err != nil {
			t.Error(err)
			return
		}
	}
	r, err := stream.CloseAndRecv()
	if err != nil || int(r.AggregatedPayloadSize) != total {
		t.Errorf("got %v, %v", r, err)
	}
}

func checkDuplex(t *testing.T, c grpc_testing.TestServiceClient, ctx context.Context) {
	stream, err := c.FullDuplexCall(ctx)
	if err != nil {
		t.Error(err)
		return
	}
	for _, size := range sizes {
		body := bytes.Repeat([]byte{byte(size)}, size)
		m := &grpc_testing.StreamingOutputCallRequest{Payload: &grpc_testing.Payload{Body: body}}
		if err := stream.Send(m); err != nil {
			t.Error(err)
			return
		}
		r, err := stream.Recv()
		if err != nil || !bytes.Equal(r.Payload.GetBody(), body) {
			t.Errorf("another body came back, error %v", err)
			return
		}
	}
	stream.CloseSend()
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}
