package dynamic_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/dynamic"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/shop"
	"github.com/tenon-go/tenon/inproc"
)

// depot has some of the methods.
type depot struct {
	shop.Depot
	cut func() // ends the connection
}

// Pair takes all of right, then some of left.
func (depot) Pair(_ context.Context, left, right iter.Seq2[string, error]) (map[string]string, error) {
	var n [2]int
	for i, in := range []iter.Seq2[string, error]{right, left} {
		for _, err := range in {
			if err != nil {
				return nil, err
			}
			if n[i]++; i == 1 && n[i] == 2 {
				break
			}
		}
	}
	return map[string]string{"right": fmt.Sprint(n[0]), "left": fmt.Sprint(n[1])}, nil
}

func (d depot) Import(_ context.Context, articles iter.Seq2[shop.Article, error]) (count, length int, err error) {
	for range articles {
		d.cut()
	}
	return 0, 0, nil
}

func (depot) Sort(_ context.Context, articles iter.Seq2[shop.Article, error]) (there, missing iter.Seq2[string, error]) {
	endless := func(yield func(string, error) bool) {
		for yield("x", nil) {
		}
	}
	return endless, endless
}

func (depot) Weigh(_ context.Context, articles iter.Seq2[shop.Article, error]) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for a, err := range articles {
			if !yield(len(a.Name), err) || err != nil || a.Name == "enough" {
				return
			}
		}
	}
}

// method returns a method of a depot at the other end of a connection.
func method(t *testing.T, name string) (*tenon.Conn, *dynamic.Method) {
	t.Helper()
	a, b := inproc.Pair()
	srv := tenon.NewServer()
	shop.RegisterDepot(srv, depot{cut: func() { b.Close() }})
	go srv.ServeLink(t.Context(), b)
	conn := tenon.NewConn(t.Context(), a, nil)
	t.Cleanup(func() { conn.Close() })
	offers, err := conn.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(offers, func(o tenon.Offer) bool { return o.Name == "shop.Depot/"+name })
	m, err := dynamic.NewMethod(offers[i])
	if err != nil {
		t.Fatal(err)
	}
	return conn, m
}

// What comes for one stream does not hold another one up, and what nobody wants any
// more is dropped.
func TestStreamsAreReadInWhateverOrderTheyAreWanted(t *testing.T) {
	conn, m := method(t, "Pair")
	left := `{"left": "` + strings.Repeat("x", 100_000) + "\"}\n"
	input := strings.Repeat(left, 30) + strings.Repeat(`{"right": "y"}`+"\n", 5) + strings.Repeat(left, 30)
	got, err := m.Call(t.Context(), conn, nil, dynamic.Talk{Input: dynamic.NewLines("input", strings.NewReader(input))})
	if want := "{\n  \"left\": \"2\",\n  \"right\": \"5\"\n}"; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// Lines of any length are read whole, and the ones behind them too.
func TestLongLinesReport71(t *testing.T) {
	conn, m := method(t, "Weigh")
	line := func(n int) string { return `{"Name": "` + strings.Repeat("x", n) + `", "Stock": 1}` + "\n" }
	var got []string
	input := line(64<<10) + line(20_000_000) + "\n" + line(1) + strings.TrimSpace(line(2))
	_, err := m.Call(t.Context(), conn, nil, dynamic.Talk{
		Input: dynamic.NewLines("input", strings.NewReader(input)),
		Print: func(line []byte) error {
			got = append(got, string(line))
			return nil
		},
	})
	if err != nil || !slices.Equal(got, []string{"65536", "20000000", "1", "2"}) {
		t.Errorf("%v, %v", got, err)
	}
}

// A reader that has one line and then nothing, until the test ends.
func oneLine(t *testing.T, line string) io.Reader {
	r, w := io.Pipe()
	go io.WriteString(w, line)
	t.Cleanup(func() { w.Close() })
	return r
}

func TestConnectionThatIsLostEndsTheWaitForALine(t *testing.T) {
	conn, m := method(t, "Import")
	_, err := m.Call(t.Context(), conn, nil, dynamic.Talk{
		Input: dynamic.NewLines("input", oneLine(t, `{"Name": "a", "Stock": 1}`+"\n")),
	})
	if e, ok := err.(*tenon.Error); !ok || e.Code != tenon.Unavailable {
		t.Error(err)
	}
}

func TestEarlyAnswerEndsTheWaitForALine(t *testing.T) {
	conn, m := method(t, "Weigh")
	_, err := m.Call(t.Context(), conn, nil, dynamic.Talk{
		Input: dynamic.NewLines("input", oneLine(t, `{"Name": "enough", "Stock": 1}`+"\n")),
		Print: func([]byte) error { return nil },
	})
	if err != nil {
		t.Error(err)
	}
}

func TestContextEndsTheWaitForALine(t *testing.T) {
	conn, m := method(t, "Pair")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := m.Call(ctx, conn, nil, dynamic.Talk{Input: dynamic.NewLines("input", oneLine(t, ""))})
	if ctx.Err() == nil || err == nil {
		t.Error(err)
	}
}

func TestPrinterThatFailsEndsAllStreams(t *testing.T) {
	conn, m := method(t, "Sort")
	full := fmt.Errorf("the disk is full")
	var lines []string
	_, err := m.Call(t.Context(), conn, nil, dynamic.Talk{
		Input: dynamic.NewLines("input", strings.NewReader("")),
		Print: func(line []byte) error {
			if lines = append(lines, string(line)); len(lines) == 3 {
				return full
			}
			return nil
		},
	})
	if err != full || len(lines) < 3 || len(lines) > 4 {
		t.Errorf("%v after %q", err, lines)
	}
}

// What nobody takes is not read, but for a little and the stream's credit.
func TestLinesAreReadALittleAhead(t *testing.T) {
	conn, m := method(t, "Sort")
	input := &counted{r: strings.NewReader(strings.Repeat(`{"Name": "`+strings.Repeat("x", 1000)+"\", \"Stock\": 1}\n", 50_000))}
	stop := fmt.Errorf("enough")
	_, err := m.Call(t.Context(), conn, nil, dynamic.Talk{
		Input: dynamic.NewLines("input", input),
		Print: func([]byte) error {
			for before := int64(-1); before != input.n.Load(); time.Sleep(50 * time.Millisecond) {
				before = input.n.Load()
			}
			return stop
		},
	})
	if n := input.n.Load(); err != stop || n == 0 || n > 20<<20 {
		t.Errorf("%d bytes were read, %v", n, err)
	}
}

type counted struct {
	r io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func TestMethodsThatCannotBeShown(t *testing.T) {
	_, err := dynamic.NewMethod(tenon.Offer{Name: "a.B/C", Shape: "() (n int, out stream int)"})
	if err == nil || !strings.Contains(err.Error(), "values and with streams") {
		t.Error(err)
	}
}
