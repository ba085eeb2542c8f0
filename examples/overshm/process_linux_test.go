package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/tenon-go/tenon"
)

// The test binary runs again as the server, as the program itself does.
func TestMain(m *testing.M) {
	over := os.Getenv(overVariable)
	if over == "" {
		os.Exit(m.Run())
	}
	web, rpc, err := inherited(over)
	if err == nil {
		err = serve(web, testHandler(), rpc, testServices())
	}
	if err != nil {
		log.Fatal(err)
	}
}

// testHandler adds to the program's own handler what takes and gives a lot.
func testHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", handler())
	mux.HandleFunc("POST /sum", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.New()
		io.Copy(sum, r.Body)
		w.Write(sum.Sum(nil))
	})
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Write(body)
	})
	mux.HandleFunc("POST /refuse", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not that", http.StatusRequestEntityTooLarge) // and never reads the body
	})
	mux.HandleFunc("GET /lines/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		for i := 0; i < n && r.Context().Err() == nil; i++ {
			fmt.Fprintln(w, i)
			http.NewResponseController(w).Flush()
		}
	})
	mux.HandleFunc("GET /hang", func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	return mux
}

// testService answers every message with its payload.
type testService struct {
	grpc_testing.UnimplementedTestServiceServer
}

func testServices() *grpc.Server {
	srv := services()
	grpc_testing.RegisterTestServiceServer(srv, testService{})
	return srv
}

func (testService) UnaryCall(_ context.Context, in *grpc_testing.SimpleRequest) (*grpc_testing.SimpleResponse, error) {
	return &grpc_testing.SimpleResponse{Payload: in.Payload}, nil
}

func (testService) StreamingOutputCall(in *grpc_testing.StreamingOutputCallRequest, out grpc_testing.TestService_StreamingOutputCallServer) error {
	for _, p := range in.ResponseParameters {
		payload := &grpc_testing.Payload{Body: make([]byte, p.Size)}
		if err := out.Send(&grpc_testing.StreamingOutputCallResponse{Payload: payload}); err != nil {
			return err
		}
	}
	return nil
}

func (testService) StreamingInputCall(in grpc_testing.TestService_StreamingInputCallServer) error {
	size := 0
	for {
		m, err := in.Recv()
		if err == io.EOF {
			return in.SendAndClose(&grpc_testing.StreamingInputCallResponse{AggregatedPayloadSize: int32(size)})
		}
		if err != nil {
			return err
		}
		size += len(m.Payload.Body)
	}
}

func (testService) FullDuplexCall(both grpc_testing.TestService_FullDuplexCallServer) error {
	for {
		m, err := both.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := both.Send(&grpc_testing.StreamingOutputCallResponse{Payload: m.Payload}); err != nil {
			return err
		}
	}
}

// startTest starts a server over shared memory and checks at the end that it
// ended by itself and that nothing is left of it here.
func startTest(t *testing.T) *server {
	t.Helper()
	checkNothingLeft(t)
	s, err := start(overShm)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended := make(chan error, 1)
		go func() { ended <- s.stop() }()
		select {
		case err := <-ended:
			if s.cmd.ProcessState.ExitCode() > 0 {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the server does not end though its links have")
			s.cmd.Process.Kill()
			<-ended
		}
	})
	return s
}

func checkNothingLeft(t *testing.T) {
	t.Helper()
	goroutines, descriptors := runtime.NumGoroutine(), countDescriptors()
	t.Cleanup(func() {
		deadline := time.Now().Add(5 * time.Second)
		for runtime.NumGoroutine() > goroutines || countDescriptors() > descriptors {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("left: %d goroutines and %d descriptors, before %d and %d\n%s", runtime.NumGoroutine(),
					countDescriptors(), goroutines, descriptors, stacks[:runtime.Stack(stacks, true)])
			}
			time.Sleep(time.Millisecond)
		}
	})
}

func countDescriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// soon ends what would otherwise hang.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func failsSoon(t *testing.T, what string, ctx context.Context, err error) {
	t.Helper()
	if err == nil || ctx.Err() != nil {
		t.Errorf("%s after the server was killed: %v, want an error at once", what, err)
	}
}

func kill(t *testing.T, s *server) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
}

func TestTheProgramRuns(t *testing.T) {
	checkNothingLeft(t)
	if err := run(soon(t), 1); err != nil {
		t.Fatal(err)
	}
}

func TestHealthIsAnUnchangedService(t *testing.T) {
	s := startTest(t)
	conn := s.grpc()
	answer, err := grpc_health_v1.NewHealthClient(conn).Check(soon(t), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || answer.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("got %v, %v", answer, err)
	}
}

func TestTheDeathOfTheServerIsNoOrderlyEnd(t *testing.T) {
	s := startTest(t)
	conn, err := s.dial1(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	kill(t, s)
	_, err = io.ReadAll(conn)
	if !errors.Is(err, tenon.ErrPeerGone) {
		t.Errorf("Read: %v, want ErrPeerGone", err)
	}
	for err = nil; err == nil; {
		_, err = conn.Write([]byte("x")) // the writing half hears of it a moment later
	}
	if !errors.Is(err, tenon.ErrPeerGone) {
		t.Errorf("Write: %v, want ErrPeerGone", err)
	}
}
