package remote_test

import (
	"context"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tenon-go/tenon/cmd/tenon/internal/remote"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"unix:/run/shop.sock": "", "unix:@shop": "", "unix:shop.sock": "", "shm:/run/shop": "",
		"tcp:localhost:7000": "", "tcp:[::1]:7000": "", "tls:shop.example:https": "",
		"":                "does not say of which kind",
		"/run/shop.sock":  "does not say of which kind",
		"localhost:7000":  "unknown kind",
		"http://shop":     "unknown kind",
		"unix:":           "names nothing",
		"tcp:localhost":   "no port: write tcp:localhost:7000",
		"tls:example.com": "no port",
	} {
		a, err := remote.Parse(text)
		switch {
		case want == "" && (err != nil || a.String() != text):
			t.Errorf("%s: %v, %v", text, a, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestWhatCannotBeReachedSaysWhatToLookAt(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "left.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: left})
	if err != nil {
		t.Skip(err)
	}
	l.SetUnlinkOnClose(false) // as one leaves it who was killed
	l.Close()
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		a    remote.Address
		tls  remote.TLS
		want string
	}{
		{t.Context(), remote.Address{Kind: "unix", Where: filepath.Join(dir, "none")}, remote.TLS{}, "There is no socket: is the process running"},
		{t.Context(), remote.Address{Kind: "unix", Where: left}, remote.TLS{}, "One that was killed leaves its socket's file behind"},
		{t.Context(), remote.Address{Kind: "unix", Where: "@tenon-nobody"}, remote.TLS{}, "Nobody listens under this name"},
		{t.Context(), remote.Address{Kind: "shm", Where: "@tenon-nobody"}, remote.TLS{}, "Nobody listens under this name"},
		{t.Context(), remote.Address{Kind: "tcp", Where: "127.0.0.1:1"}, remote.TLS{}, "Nobody listens at this port"},
		{ended, remote.Address{Kind: "tcp", Where: "127.0.0.1:1"}, remote.TLS{}, "It does not answer"},
		{t.Context(), remote.Address{Kind: "tls", Where: "127.0.0.1:1"}, remote.TLS{CA: filepath.Join(dir, "ca.pem")}, "ca.pem"},
		{t.Context(), remote.Address{Kind: "tls", Where: "127.0.0.1:1"}, remote.TLS{CA: "remote_test.go"}, "holds no certificate in PEM form"},
	} {
		if strings.HasPrefix(c.a.Where, "@") && runtime.GOOS != "linux" {
			continue
		}
		_, err := remote.Dial(c.ctx, c.a, c.tls)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.a.String()) {
			t.Errorf("%s: %v\nwant %s", c.a, err, c.want)
		}
	}
}
