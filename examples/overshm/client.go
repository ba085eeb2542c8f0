package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/tenon-go/tenon/linknet"
	"github.com/tenon-go/tenon/shm"
)

// overVariable tells the child over what to serve.
const overVariable = "OVERSHM_SERVE"

const (
	overUnix = "Unix socket"
	overShm  = "shared memory"
)

var transports = [2]string{overUnix, overShm}

// shmLinks is how many links a child inherits: one for HTTP/1.1, one for
// HTTP/2, one for gRPC.
const shmLinks = 3

type dialer func(context.Context) (net.Conn, error)

// A server is a child process and how to reach it.
type server struct {
	cmd                   *exec.Cmd
	dial1, dial2, dialRPC dialer
	listens               bool
	close                 []io.Closer
}

// start runs this program again as a server.
func start(over string) (*server, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{cmd: exec.Command(exe)}
	s.cmd.Env = append(os.Environ(), overVariable+"="+over)
	s.cmd.Stdout, s.cmd.Stderr = os.Stdout, os.Stderr

	prepare := s.overShm
	if over == overUnix {
		prepare = s.overUnix
	}
	err = prepare()
	if err == nil {
		err = s.cmd.Start()
	}
	for _, f := range s.cmd.ExtraFiles {
		f.Close() // the child has its own now
	}
	if err != nil {
		s.closeAll()
		return nil, err
	}
	return s, nil
}

// overShm makes links, whose other ends the child inherits.
func (s *server) overShm() error {
	for _, dial := range []*dialer{&s.dial1, &s.dial2, &s.dialRPC} {
		link, peer, err := shm.Create()
		if err != nil {
			return err
		}
		conn := linknet.NewConn(link)
		*dial = once(conn)
		s.close = append(s.close, conn)
		s.cmd.ExtraFiles = append(s.cmd.ExtraFiles, peer.Memory, peer.Socket)
	}
	return nil
}

// once is a dialer for a connection that exists already: a link is there once.
func once(conn net.Conn) dialer {
	first := make(chan net.Conn, 1)
	first <- conn
	return func(context.Context) (net.Conn, error) {
		select {
		case conn := <-first:
			return conn, nil
		default:
			return nil, errors.New("the link to the server has ended")
		}
	}
}

// overUnix makes sockets, on which the child listens.
func (s *server) overUnix() error {
	web, err := s.listenUnix("web")
	if err != nil {
		return err
	}
	rpc, err := s.listenUnix("rpc")
	s.listens = true
	s.dial1, s.dial2, s.dialRPC = web, web, rpc
	return err
}

func (s *server) listenUnix(name string) (dialer, error) {
	addr := &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("@tenon-overshm-%d-%s", os.Getpid(), name)}
	l, err := net.ListenUnix("unix", addr)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	f, err := l.File()
	if err != nil {
		return nil, err
	}
	s.cmd.ExtraFiles = append(s.cmd.ExtraFiles, f)
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, addr.Network(), addr.String())
	}, nil
}

// http1 and http2 return clients; the host in their URLs does not matter.
func (s *server) http1() *http.Client { return s.client(s.dial1, (*http.Protocols).SetHTTP1) }
func (s *server) http2() *http.Client {
	return s.client(s.dial2, (*http.Protocols).SetUnencryptedHTTP2)
}

func (s *server) client(dial dialer, speak func(*http.Protocols, bool)) *http.Client {
	t := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		Protocols:   new(http.Protocols),
		// A link is one connection: whoever finds it in use waits.
		MaxConnsPerHost: 1,
	}
	speak(t.Protocols, true)
	s.close = append(s.close, closerFunc(t.CloseIdleConnections))
	return &http.Client{Transport: t}
}

func (s *server) grpc() *grpc.ClientConn {
	conn, err := grpc.NewClient("passthrough:///server",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return s.dialRPC(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithIdleTimeout(0), // else gRPC closes the link after half an hour
	)
	if err != nil {
		panic(err) // the options are wrong
	}
	s.close = append(s.close, conn)
	return conn
}

// stop closes the connections, which ends a server over shared memory; one that
// listens for more has to be told.
func (s *server) stop() error {
	s.closeAll()
	if s.listens {
		s.cmd.Process.Kill()
	}
	return s.cmd.Wait()
}

func (s *server) closeAll() {
	for _, c := range slices.Backward(s.close) {
		c.Close()
	}
}

type closerFunc func()

func (f closerFunc) Close() error {
	f()
	return nil
}

func getter(c *http.Client, path string) caller {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server"+path, nil)
		if err != nil {
			return err
		}
		resp, err := c.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
}

func checker(conn *grpc.ClientConn) caller {
	health := grpc_health_v1.NewHealthClient(conn)
	return func(ctx context.Context) error {
		_, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{})
		return err
	}
}
