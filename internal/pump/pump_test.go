package pump_test

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/internal/pump"
	"github.com/tenon-go/tenon/linktest"
)

func TestMain(m *testing.M) {
	pump.Linger = 100 * time.Millisecond
	os.Exit(leak.Main(m))
}

var _ tenon.DirectLink = (*pump.Link)(nil)

// unbuffered is a plain link in which every Send waits until its bytes were
// received: the least obliging there is.
type unbuffered struct {
	conn net.Conn
	buf  []byte
	once sync.Once
	own  chan struct{}
}

func newUnbuffered(c net.Conn) *unbuffered {
	return &unbuffered{conn: c, buf: make([]byte, 1000), own: make(chan struct{})}
}

func (u *unbuffered) Send(p []byte) error {
	_, err := u.conn.Write(p)
	return u.errorOf(err)
}

func (u *unbuffered) Recv() ([]byte, error) {
	n, err := u.conn.Read(u.buf)
	return u.buf[:n], u.errorOf(err)
}

func (u *unbuffered) Close() error {
	u.once.Do(func() { close(u.own) })
	return u.conn.Close()
}

func (u *unbuffered) errorOf(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	select {
	case <-u.own:
		return net.ErrClosed
	default:
		return tenon.ErrPeerGone
	}
}

func pair() (a, b *pump.Link) {
	x, y := net.Pipe()
	return pump.New(newUnbuffered(x)), pump.New(newUnbuffered(y))
}

func TestAPumpedLinkIsADirectLink(t *testing.T) {
	linktest.Run(t, func(t *testing.T) (a, b tenon.Link) { return pair() })
}

func TestAFailedSendIsReportedByTheNextOperations(t *testing.T) {
	a, b := pair()
	defer a.Close()
	b.Close()
	deadline := time.Now().Add(20 * time.Second)
	var err error
	for err == nil && time.Now().Before(deadline) {
		a.Commit([]byte("x"))
		err = a.Flush()
	}
	if !errors.Is(err, tenon.ErrPeerGone) {
		t.Fatalf("Flush: got %v, want ErrPeerGone", err)
	}
	if err := a.WaitSend(1); !errors.Is(err, tenon.ErrPeerGone) {
		t.Errorf("WaitSend: got %v, want ErrPeerGone", err)
	}
	if p := a.Reserve(1); p != nil {
		t.Error("Reserve gives memory for bytes that cannot be sent")
	}
}

// TestThePlainLinkSeesNoRecvBeforeTheChunkIsBack is what makes borrowing safe.
func TestThePlainLinkSeesNoRecvBeforeTheChunkIsBack(t *testing.T) {
	recvs := make(chan []byte)
	asked := make(chan struct{}, 10)
	r := pump.NewReceiver(func() ([]byte, error) {
		asked <- struct{}{}
		p, ok := <-recvs
		if !ok {
			return nil, io.EOF
		}
		return p, nil
	})
	recvs <- []byte("one")
	if p, err := r.Recv(); string(p) != "one" || err != nil {
		t.Fatalf("got %q, %v", p, err)
	}
	<-asked
	select {
	case <-asked:
		t.Fatal("Recv was called while the chunk was lent")
	case <-time.After(10 * time.Millisecond):
	}
	if p, err := r.TryRecv(); p != nil || err != nil {
		t.Fatalf("got %q, %v", p, err)
	}
	<-asked // it is back
	close(recvs)
	if _, err := r.Recv(); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
	r.End()
}

func TestCloseDoesNotWaitLongForAPeerThatDoesNotReceive(t *testing.T) {
	a, b := pair()
	defer b.Close()
	a.Commit(make([]byte, 100_000))
	a.Flush()
	start := time.Now()
	a.Close()
	if took := time.Since(start); took > pump.Linger+5*time.Second {
		t.Errorf("Close took %v", took)
	}
}
