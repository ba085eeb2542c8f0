package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/shop"
	"github.com/tenon-go/tenon/cmd/tenon/internal/remote"
	"github.com/tenon-go/tenon/shm"
)

// server is the implementation of the process that scripts talk to.
type server struct{}

func (server) Price(_ context.Context, article string, count uint64) (uint64, error) {
	if article == "unicorn" {
		return 0, fmt.Errorf("%s: %w", article, shop.ErrSoldOut)
	}
	return 3 * count, nil
}

func (server) Order(_ context.Context, o shop.Order) (shop.Receipt, int, error) {
	return shop.Receipt{
		Order: o, Number: new(big.Int).Lsh(big.NewInt(1), 100), Total: math.Inf(1),
		At: time.Date(2026, 11, 30, 12, 0, 0, 5, time.UTC), Picture: []byte{0, 1, 2}, Related: &shop.Receipt{Number: big.NewInt(0)},
	}, 7, nil
}

func (server) Articles(_ context.Context, names []string) ([]shop.Article, map[int64]time.Duration, error) {
	var list []shop.Article
	for i, name := range names {
		list = append(list, shop.Article{Name: name, Stock: i})
	}
	return list, map[int64]time.Duration{-1: time.Second, math.MaxInt64: 90 * time.Minute}, nil
}

func (server) Data(_ context.Context, data []byte) ([]byte, error) { return data, nil }

func (server) Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (server) Metadata(ctx context.Context) (map[string]string, error) {
	return tenon.MetadataFrom(ctx), nil
}

func (server) Panic(context.Context) error { panic("on purpose, \x1b[31mred") }

func (server) Now(_ context.Context, zone shop.Zone) (time.Time, error) {
	return time.Time{}, errors.New("there is no zone " + zone.Name)
}

// serveShop is the program: it serves at the address of its command line,
// prints it when it can be connected to, and ends with its input.
func serveShop() {
	token := flag.String("token", "", "")
	empty := flag.Bool("empty", false, "")
	flag.Parse()
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	srv := tenon.NewServer(tenon.WithToken(*token), tenon.WithLogger(slog.New(slog.DiscardHandler)))
	if !*empty {
		shop.RegisterShop(srv, server{})
		shop.RegisterClock(srv, server{})
		shop.RegisterDepot(srv, depot{})
	}
	if err := serve(ctx, srv, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, srv *tenon.Server, text string) error {
	if where, ok := strings.CutPrefix(text, "http:"); ok {
		return stranger(ctx, where)
	}
	if where, ok := strings.CutPrefix(text, "silent:"); ok {
		return silent(ctx, where)
	}
	text, open := strings.CutPrefix(text, "open-") // with no client certificates
	address, err := remote.Parse(text)
	if err != nil {
		return err
	}
	if address.Kind == "shm" {
		l, err := shm.Listen(address.Where)
		if err != nil {
			return err
		}
		defer l.Close()
		fmt.Println(text)
		return srv.ServeLinks(ctx, func(ctx context.Context) (tenon.Link, error) { return l.Accept(ctx) })
	}
	network := address.Kind
	if network == "tls" {
		network = "tcp"
	}
	l, err := net.Listen(network, address.Where)
	if err != nil {
		return err
	}
	if address.Kind == "tls" {
		config, err := certificates()
		if err != nil {
			return err
		}
		if open {
			config.ClientAuth = tls.NoClientCert
		}
		fmt.Printf("tls:%s\n", l.Addr())
		return srv.Serve(ctx, tls.NewListener(l, config))
	}
	fmt.Printf("%s:%s\n", address.Kind, l.Addr())
	return srv.Serve(ctx, l)
}

// stranger speaks something else than tenon.
func stranger(ctx context.Context, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { l.Close() })
	fmt.Printf("tcp:%s\n", l.Addr())
	for {
		conn, err := l.Accept()
		if err != nil {
			return nil
		}
		io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n400 Bad Request")
		conn.Close()
	}
}

// silent is like a process that is stopped: it can be connected to.
func silent(ctx context.Context, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer l.Close()
	fmt.Printf("tcp:%s\n", l.Addr())
	<-ctx.Done()
	return nil
}

// certificates writes cert.pem and key.pem, with which both sides prove
// themselves, and which sign themselves.
func certificates() (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"shop.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := errors.Join(
		os.WriteFile("cert.pem", cert, 0o600),
		os.WriteFile("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
	); err != nil {
		return nil, err
	}
	known := x509.NewCertPool()
	known.AppendCertsFromPEM(cert)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: known,
	}, nil
}

// start starts a program for a script, waits until it has printed where it
// serves, and sets $ADDRESS to that. The program ends with its input.
func start(ts *testscript.TestScript, _ bool, args []string) {
	program := ts.MkAbs(args[0])
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, args[0]); filepath.Base(path) == args[0] {
			if _, err := os.Stat(path); err == nil {
				program = path
				break
			}
		}
	}
	cmd := exec.Command(program, args[1:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), os.Stderr
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			ts.Logf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	ts.Check(err)
	ts.Setenv("ADDRESS", strings.TrimSpace(line))
}
