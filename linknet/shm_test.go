package linknet_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/linknet"
	"github.com/tenon-go/tenon/shm"
)

var _ linknet.Source[*shm.Link] = (*shm.Listener)(nil)

func TestHTTPServesWhoDialsSharedMemory(t *testing.T) {
	leak.Check(t)
	address := filepath.Join(t.TempDir(), "http")
	source, err := shm.Listen(address)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Path)
	})}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(linknet.NewListener(source)) }()

	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		link, err := shm.Dial(ctx, address)
		if err != nil {
			return nil, err
		}
		return linknet.NewConn(link), nil
	}}}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 10 {
				path := fmt.Sprint("/", i)
				resp, err := client.Get("http://server" + path)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if string(got) != path || err != nil {
					t.Errorf("got %q, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	client.CloseIdleConnections()
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != http.ErrServerClosed {
		t.Errorf("Serve: %v", err)
	}
	if _, err := shm.Dial(t.Context(), address); err == nil {
		t.Error("somebody listens after Shutdown")
	}
}

func TestCloseGivesTheMemoryBackThoughAChunkIsHalfRead(t *testing.T) {
	before := mappings(t)
	x, y, err := shm.Pair()
	if err != nil {
		t.Skip(err)
	}
	a, b := linknet.NewConn(x), linknet.NewConn(y)
	write(t, a, "half of this")
	read(t, b, 4)
	b.Close()
	a.Close()
	if left := mappings(t) - before; left > 0 {
		t.Errorf("%d mappings are left", left)
	}
	runtime.KeepAlive(x) // they would be unmapped with the links
	runtime.KeepAlive(y)
}

// mappings counts the shared memory of this process.
func mappings(t *testing.T) int {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	return strings.Count(string(maps), "memfd:")
}
