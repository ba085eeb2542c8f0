package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/shop"
)

// depot is the part of the process that scripts talk to which has streams and
// functions.
type depot struct{}

func (depot) Watch(ctx context.Context, from int) iter.Seq2[shop.Article, error] {
	return func(yield func(shop.Article, error) bool) {
		defer os.WriteFile("watched", nil, 0o600) // for scripts that want to know
		for i := from; yield(shop.Article{Name: fmt.Sprint("<", i, ">"), Stock: i}, nil); i++ {
		}
	}
}

func (depot) Import(_ context.Context, articles iter.Seq2[shop.Article, error]) (count, length int, err error) {
	for a, err := range articles {
		if err != nil {
			return 0, 0, err
		}
		count++
		length += len(a.Name)
	}
	return count, length, nil
}

func (depot) Weigh(_ context.Context, articles iter.Seq2[shop.Article, error]) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for a, err := range articles {
			if err == nil && a.Stock == 0 {
				err = fmt.Errorf("%s: %w", a.Name, shop.ErrSoldOut)
			}
			if !yield(2*a.Stock, err) || err != nil {
				return
			}
		}
	}
}

func (depot) Sort(_ context.Context, articles iter.Seq2[shop.Article, error]) (there, missing iter.Seq2[string, error]) {
	names := make(map[bool][]string)
	var failed error
	for a, err := range articles {
		if err != nil {
			failed = err
			break
		}
		names[a.Stock > 0] = append(names[a.Stock > 0], a.Name)
	}
	list := func(names []string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, name := range names {
				if !yield(name, nil) {
					return
				}
			}
			if failed != nil {
				yield("", failed)
			}
		}
	}
	return list(names[true]), list(names[false])
}

func (depot) Pair(_ context.Context, left, right iter.Seq2[string, error]) (map[string]string, error) {
	var all [2][]string
	for i, in := range []iter.Seq2[string, error]{left, right} {
		for s, err := range in {
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], s)
		}
	}
	pairs := make(map[string]string)
	for i, s := range all[0] {
		pairs[s] = all[1][i]
	}
	return pairs, nil
}

func (depot) Pack(ctx context.Context, boxes int, report func(done, total int),
	confirm func(ctx context.Context, question string, a shop.Article) (sure bool, remark string, err error),
) (string, error) {
	for i := range boxes {
		tenon.ReportProgress(ctx, int64(i+1), int64(boxes), "packing")
		report(i+1, boxes)
	}
	sure, remark, err := confirm(ctx, "all of it?", shop.Article{Name: "box", Stock: boxes})
	if err == nil && !sure {
		err = errors.New("nobody is sure")
	}
	return fmt.Sprintf("%d boxes: %s", boxes, remark), err
}

func (depot) Note(context.Context, string) {}
