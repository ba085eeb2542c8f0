package conversation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/geo"
)

// talk is the value that the client is compared with.
type talk struct{ noted chan string }

func (talk) Count(ctx context.Context, to int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range to {
			if !yield(i, nil) {
				return
			}
		}
		if to < 0 {
			yield(0, &NumberError{to})
		}
	}
}

func (talk) Sum(ctx context.Context, parts iter.Seq2[int, error]) (sum int, err error) {
	for n, err := range parts {
		if err != nil {
			return sum, fmt.Errorf("after %d: %w", sum, err)
		}
		if n == 0 {
			return sum, nil // wants no more
		}
		sum += n
	}
	return sum, nil
}

func (talk) Double(ctx context.Context, in iter.Seq2[Page, error]) iter.Seq2[Page, error] {
	return each(in, func(p Page) Page { return Page{2 * p.Number, p.Text + p.Text} })
}

func (talk) Zip(ctx context.Context, glue string, left iter.Seq2[string, error], upper bool, right iter.Seq2[string, error]) (string, error) {
	l, err := collect(left)
	if err != nil {
		return "", err
	}
	r, err := collect(right)
	if err != nil {
		return "", err
	}
	joined := strings.Join(append(l, r...), glue)
	if upper {
		joined = strings.ToUpper(joined)
	}
	return joined, nil
}

func (talk) Split(ctx context.Context, in iter.Seq2[int, error]) (even, odd iter.Seq2[int, error]) {
	all := sync.OnceValues(func() ([]int, error) { return collect(in) })
	of := func(rest int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			list, err := all()
			for _, n := range list {
				if n%2 == rest && !yield(n, nil) {
					return
				}
			}
			if err != nil {
				yield(0, err)
			}
		}
	}
	return of(0), of(1)
}

func (t talk) Unnamed(ctx context.Context, n int, in iter.Seq2[int, error]) (iter.Seq2[int, error], iter.Seq2[string, error]) {
	same, other := t.Split(ctx, in)
	return each(same, func(x int) int { return x * n }), each(other, func(x int) string { return fmt.Sprint(x) })
}

func (talk) Blocks(ctx context.Context, in iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return each(in, func(b []byte) []byte {
		slices.Reverse(b) // it is ours
		return b
	})
}

func (talk) Marshaled(ctx context.Context, addrs iter.Seq2[netip.Addr, error]) iter.Seq2[*big.Int, error] {
	return each(addrs, func(a netip.Addr) *big.Int {
		if !a.IsValid() {
			return nil
		}
		return new(big.Int).SetBytes(a.AsSlice())
	})
}

func (talk) Pointers(ctx context.Context, in iter.Seq2[*Page, error]) iter.Seq2[map[string][]Page, error] {
	return each(in, func(p *Page) map[string][]Page {
		if p == nil {
			return nil
		}
		return map[string][]Page{p.Text: {*p}}
	})
}

func (talk) Declared(ctx context.Context, in Pages, each Visit) Pages {
	return func(yield func(Page, error) bool) {
		for p, err := range in {
			if err == nil && each != nil {
				err = each(p)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

func (t talk) Aliased(ctx context.Context, in Stream[int], visit Each) Stream[int] {
	return each(in, func(n int) int {
		if visit != nil && visit(n) != nil {
			return -1
		}
		return n
	})
}

func (talk) Foreign(ctx context.Context, in geo.Points) geo.Points {
	return geo.Points(each(iter.Seq2[geo.Point, error](in), func(p geo.Point) geo.Point { return geo.Point{Lat: p.Lon, Lon: p.Lat} }))
}

func (talk) Literal(ctx context.Context, in func(yield func(int, error) bool)) func(yield func(int, error) bool) {
	return in
}

func (talk) Report(ctx context.Context, steps int, report func(done, total int)) error {
	if report == nil {
		return errors.New("nobody to report to")
	}
	for i := range steps {
		report(i+1, steps)
	}
	return nil
}

func (talk) Ask(ctx context.Context, ask func(ctx context.Context, question string) (string, bool, error)) (string, error) {
	answer, sure, err := ask(ctx, "how far?")
	if err != nil {
		return "", fmt.Errorf("no answer: %w", err)
	}
	return fmt.Sprintf("%s %v", answer, sure), nil
}

func (talk) Walk(ctx context.Context, visit func(p Page) error) error {
	for n := range 10 {
		if err := visit(Page{Number: n}); err != nil {
			return err
		}
	}
	return nil
}

func (talk) Choose(ctx context.Context, choose func([]Page) (*Page, error)) (*Page, error) {
	return choose([]Page{{1, "a"}, {2, "b"}})
}

func (talk) Tell(ctx context.Context, tell func(ctx context.Context)) error {
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { tell(ctx) })
	}
	all.Wait()
	return nil
}

func (talk) Both(ctx context.Context, in iter.Seq2[int, error], even func(int) (bool, error)) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for n, err := range in {
			ok := false
			if err == nil {
				ok, err = even(n)
			}
			if (ok || err != nil) && (!yield(n, err) || err != nil) {
				return
			}
		}
	}
}

func (t talk) Note(ctx context.Context, text string) { t.noted <- text }

func (talk) Check(ctx context.Context, page Page, pointer *Page, span Range, names Names, unchecked map[string]Range) (int, error) {
	return page.Number + len(names) + len(unchecked), nil
}

func (talk) CheckItems(ctx context.Context, ranges iter.Seq2[Range, error]) (total int, err error) {
	for r, err := range ranges {
		if err != nil {
			return total, err
		}
		total += r.To - r.From
	}
	return total, nil
}

func (talk) CheckAnswers(ctx context.Context, answer func(Range) (Range, error)) iter.Seq2[Range, error] {
	return func(yield func(Range, error) bool) {
		for _, r := range []Range{{1, 2}, {3, 3}, {5, 4}} {
			r, err := answer(r)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (talk) Get(ctx context.Context, name string) (Page, error) { return Page{len(name), name}, nil }

func (talk) Close(ctx context.Context, when time.Time) error { return nil }

func (talk) Find(ctx context.Context, near geo.Point) (geo.Point, error) { return near, nil }

// each passes the items of a stream through f, and its error as it is.
func each[A, B any](in iter.Seq2[A, error], f func(A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for a, err := range in {
			var b B
			if err == nil {
				b = f(a)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

func collect[T any](in iter.Seq2[T, error]) (list []T, err error) {
	for v, err := range in {
		if err != nil {
			return list, err
		}
		list = append(list, v)
	}
	return list, nil
}

func collectPages(in Pages) ([]Page, error) { return collect(iter.Seq2[Page, error](in)) }

// items is a stream of the values, and of the error if there is one.
func items[T any](err error, values ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}
