package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
)

// overBoth runs a test with HTTP/1.1 and with HTTP/2 over one link.
func overBoth(t *testing.T, test func(t *testing.T, s *server, c *http.Client)) {
	t.Run("HTTP1", func(t *testing.T) {
		s := startTest(t)
		test(t, s, s.http1())
	})
	t.Run("HTTP2", func(t *testing.T) {
		s := startTest(t)
		test(t, s, s.http2())
	})
}

func TestRequestsShareOneLink(t *testing.T) {
	overBoth(t, func(t *testing.T, s *server, c *http.Client) {
		ctx := httptrace.WithClientTrace(soon(t), &httptrace.ClientTrace{
			GotConn: func(i httptrace.GotConnInfo) {
				if i.Conn.LocalAddr().Network() != "shm" {
					t.Errorf("over %s", i.Conn.LocalAddr().Network())
				}
			},
		})
		want := fmt.Sprintf("Hello you, from process %d.\n", s.cmd.Process.Pid)
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for range 20 {
					if got := do(t, c, ctx, "GET", "/hello/you", nil); got != want {
						t.Errorf("got %q, want %q", got, want)
					}
				}
			})
		}
		all.Wait()
	})
}

func TestLargeBodiesBothWays(t *testing.T) {
	overBoth(t, func(t *testing.T, s *server, c *http.Client) {
		body := make([]byte, 16<<20)
		rand.NewChaCha8([32]byte{}).Read(body)
		sum := sha256.Sum256(body)
		if got := do(t, c, soon(t), "POST", "/sum", bytes.NewReader(body)); got != string(sum[:]) {
			t.Error("another body arrived")
		}
		// Of unknown length: in chunks.
		if got := do(t, c, soon(t), "POST", "/echo", io.MultiReader(bytes.NewReader(body))); got != string(body) {
			t.Error("another body came back")
		}
	})
}

func TestChunksArriveOneByOne(t *testing.T) {
	overBoth(t, func(t *testing.T, s *server, c *http.Client) {
		const n = 2000
		lines := strings.Fields(do(t, c, soon(t), "GET", fmt.Sprint("/lines/", n), nil))
		if len(lines) != n || lines[n-1] != fmt.Sprint(n-1) {
			t.Errorf("%d lines", len(lines))
		}
	})
}

func TestExpectContinueSavesTheBody(t *testing.T) {
	s := startTest(t)
	c := s.http1()
	c.Transport.(*http.Transport).ExpectContinueTimeout = 1 << 40
	read := false
	body := readerFunc(func(p []byte) (int, error) {
		read = true
		return 0, io.EOF
	})
	req := request(t, soon(t), "POST", "/refuse", body)
	req.Header.Set("Expect", "100-continue")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge || read {
		t.Errorf("%s, body read: %v", resp.Status, read)
	}
}

func TestExpectContinueSendsTheBody(t *testing.T) {
	s := startTest(t)
	c := s.http1()
	c.Transport.(*http.Transport).ExpectContinueTimeout = 1 << 40
	req := request(t, soon(t), "POST", "/echo", strings.NewReader("the body"))
	req.Header.Set("Expect", "100-continue")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); string(got) != "the body" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestACancelledRequestLeavesTheLinkToOthers(t *testing.T) {
	s := startTest(t)
	c := s.http2()
	ctx, cancel := context.WithCancel(soon(t))
	resp, err := c.Do(request(t, ctx, "GET", "/hang", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("no error")
	}
	do(t, c, soon(t), "GET", "/hello/you", nil)
}

func TestAServerKilledAmidAnAnswerIsAnError(t *testing.T) {
	overBoth(t, func(t *testing.T, s *server, c *http.Client) {
		ctx := soon(t)
		resp, err := c.Do(request(t, ctx, "GET", "/lines/1000000000", nil))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		r := bufio.NewReader(resp.Body)
		if _, err := r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		kill(t, s)
		_, err = io.Copy(io.Discard, r)
		failsSoon(t, "the answer", ctx, err)
		_, err = c.Do(request(t, ctx, "GET", "/hello/you", nil))
		failsSoon(t, "another request", ctx, err)
	})
}

func TestAServerKilledAmidARequestIsAnError(t *testing.T) {
	overBoth(t, func(t *testing.T, s *server, c *http.Client) {
		ctx := soon(t)
		sent := 0
		body := readerFunc(func(p []byte) (int, error) {
			if sent += len(p); sent > 8<<20 {
				s.cmd.Process.Kill()
			}
			return len(p), nil
		})
		_, err := c.Do(request(t, ctx, "POST", "/sum", body))
		failsSoon(t, "the request", ctx, err)
	})
}

func do(t *testing.T, c *http.Client, ctx context.Context, method, path string, body io.Reader) string {
	t.Helper()
	resp, err := c.Do(request(t, ctx, method, path, body))
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s: %s, %v", method, path, resp.Status, err)
	}
	return string(got)
}

func request(t *testing.T, ctx context.Context, method, path string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://server"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
