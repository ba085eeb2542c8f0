package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/shm"
)

// TLS names the files for a tls: address.
type TLS struct {
	Cert, Key  string // shown to the server
	CA         string // who signs the server; "" for those that the system trusts
	ServerName string // in the server's certificate; "" for the host of the address
}

// Fit reports what is wrong with the files for an address.
func (f TLS) Fit(a Address) error {
	switch {
	case a.Kind != "tls" && f != (TLS{}):
		return errors.New("certificates are for tls: addresses only")
	case (f.Cert == "") != (f.Key == ""):
		return errors.New("--cert and --key belong together")
	}
	return nil
}

// Dial connects to a process. An error says what to look at.
func Dial(ctx context.Context, a Address, files TLS) (tenon.Link, error) {
	link, err := dial(ctx, a, files)
	if err != nil {
		return nil, unreachable(a, err)
	}
	return link, nil
}

func dial(ctx context.Context, a Address, files TLS) (tenon.Link, error) {
	switch a.Kind {
	case "shm":
		link, err := shm.Dial(ctx, a.Where)
		if err != nil {
			return nil, err
		}
		return link, nil
	case "tls":
		config, err := files.config(a.Where)
		if err != nil {
			return nil, err
		}
		return stream((&tls.Dialer{Config: config}).DialContext(ctx, "tcp", a.Where))
	default:
		return stream((&net.Dialer{}).DialContext(ctx, a.Kind, a.Where))
	}
}

func stream(conn net.Conn, err error) (tenon.Link, error) {
	if err != nil {
		return nil, err
	}
	return iolink.New(conn), nil
}

func (f TLS) config(address string) (*tls.Config, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{ServerName: host}
	if f.ServerName != "" {
		c.ServerName = f.ServerName
	}
	if f.Cert != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate in PEM form", f.CA)
		}
	}
	return c, nil
}
