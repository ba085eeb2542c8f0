package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/internal/leak"
)

func TestMain(m *testing.M) {
	peer.Main(All()...)
	if err := startOnce(All()[0]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// startOnce has what is made once for the whole program made, so that it is no
// leak of a test: the thread that starts workers.
func startOnce(p peer.Peer) error {
	c, err := p.Start(context.Background())
	if err != nil {
		return err
	}
	return c.Close()
}

func TestEveryPeerAnswersCorrectly(t *testing.T) {
	for _, p := range All() {
		t.Run(p.Info().Name, func(t *testing.T) {
			leak.Check(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c, err := p.Start(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := c.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			if sum, err := c.Add(ctx, 1<<40, -2); sum != 1<<40-2 || err != nil {
				t.Errorf("Add: %d, %v", sum, err)
			}
			user := contract.Users(1)[0]
			if same, err := c.Echo(ctx, user); !same.Equal(user) || err != nil {
				t.Errorf("Echo: %+v, %v", same, err)
			}
			list, err := c.List(ctx, 100)
			if !slices.EqualFunc(list, contract.Users(100), contract.User.Equal) || err != nil {
				t.Errorf("List: %d users, %v", len(list), err)
			}
			for _, size := range []int{0, 1, 1 << 20, 16 << 20} {
				if size > p.Info().MaxUpload {
					continue
				}
				if n, err := c.Upload(ctx, bytes.Repeat([]byte{7}, size)); n != size || err != nil {
					t.Errorf("Upload of %d: %d, %v", size, n, err)
				}
			}
			if p.Info().Kind == peer.Floor {
				return // it has no errors
			}
			if _, err := c.List(ctx, contract.MaxList+1); err == nil {
				t.Error("List of too many: no error")
			}
		})
	}
}

func TestEveryPeerStreamsCorrectly(t *testing.T) {
	const many = 3000
	for _, p := range All() {
		t.Run(p.Info().Name, func(t *testing.T) {
			leak.Check(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c, err := p.Start(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := c.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			if back := c.Back(); back != nil {
				sum1, err1 := back.AddBack(ctx, 1<<40, -2)
				sum2, err2 := back.AddWith(ctx, 1<<40, -2, contract.Local{}.Add)
				if err := errors.Join(err1, err2); sum1 != 1<<40-2 || sum2 != sum1 || err != nil {
					t.Errorf("called back: %d and %d, %v", sum1, sum2, err)
				}
			}
			feed := c.Feed()
			if (feed != nil) != p.Info().Streams {
				t.Fatalf("streams: %v, but the feed is %v", p.Info().Streams, feed)
			}
			if feed == nil {
				return
			}
			for _, n := range []int{0, 1, many} {
				if got, err := contract.Collected(feed.Items(ctx, n)); got != n || err != nil {
					t.Errorf("%d of %d items, %v", got, n, err)
				}
				if got, err := feed.Collect(ctx, contract.ItemsOf(n)); got != n || err != nil {
					t.Errorf("%d of %d items in, %v", got, n, err)
				}
				if got, err := contract.Collected(feed.Exchange(ctx, contract.ItemsOf(n))); (got != n || err != nil) && !errors.Is(err, errors.ErrUnsupported) {
					t.Errorf("%d of %d items there and back, %v", got, n, err)
				}
			}
			users := 0
			for user, err := range feed.Users(ctx, many) {
				if want := contract.Users(contract.MaxList)[users%contract.MaxList]; !user.Equal(want) || err != nil {
					t.Fatalf("user %d: %+v, %v", users, user, err)
				}
				users++
			}
			pieces := 0
			for piece, err := range feed.Pieces(ctx, 10) {
				if errors.Is(err, errors.ErrUnsupported) {
					pieces = 10
					break
				}
				if !bytes.Equal(piece, contract.Piece) || err != nil {
					t.Fatalf("piece %d has %d bytes, %v", pieces, len(piece), err)
				}
				pieces++
			}
			if users != many || pieces != 10 {
				t.Errorf("%d users and %d pieces", users, pieces)
			}
		})
	}
}

func TestEveryPeerAnswersManyAtOnce(t *testing.T) {
	for _, p := range All() {
		t.Run(p.Info().Name, func(t *testing.T) {
			leak.Check(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c, err := p.Start(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := c.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			var callers sync.WaitGroup
			for caller := range int64(64) {
				callers.Go(func() {
					for i := range int64(10) {
						if sum, err := c.Add(ctx, caller, i); sum != caller+i || err != nil {
							t.Errorf("Add(%d, %d): %d, %v", caller, i, sum, err)
							return
						}
					}
				})
			}
			callers.Wait()
		})
	}
}

func TestNamesOfPeersAreDistinct(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range All() {
		if name := p.Info().Name; seen[name] {
			t.Errorf("two peers are called %q", name)
		} else {
			seen[name] = true
		}
	}
}
