package main

import (
	"bufio"
	"context"
	"io"
	"iter"
	"strings"
	"time"
	"unicode"

	"github.com/tenon-go/tenon"
)

//go:generate go tool tenon gen

// Counter counts the words of texts that need not fit into memory.
//
//tenon:service
type Counter interface {
	// Count counts the words of a text that comes in pieces, cut anywhere. It
	// streams partial counts, one for about every 64 KiB, and rests after each.
	Count(ctx context.Context, text iter.Seq2[[]byte, error], rest time.Duration) iter.Seq2[Counts, error]
}

// Counts are those of a part of a text.
type Counts struct {
	Bytes int64
	Lines int64
	Words map[string]int64 // in lower case
}

// part is how many bytes a partial count is about, or a few more: no word is cut.
const part = 64 << 10

// counter is the implementation, which the workers serve.
type counter struct{}

// Count takes a piece of the text when it has counted the one before it, and stops
// in yield as long as nobody takes its counts. So both streams go at the pace of
// the slowest, and neither side holds more than a few pieces.
func (counter) Count(ctx context.Context, text iter.Seq2[[]byte, error], rest time.Duration) iter.Seq2[Counts, error] {
	return func(yield func(Counts, error) bool) {
		pieces := tenon.StreamReader(text)
		defer pieces.Close()
		r := bufio.NewReader(pieces) // puts runes together that were cut
		for {
			counts, err := countPart(r)
			if counts.Bytes > 0 && !yield(counts, nil) {
				return
			}
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(Counts{}, err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(rest):
			}
		}
	}
}

// maxWord is where a word is cut that is longer, in runes: not everything is a text.
const maxWord = 256

// countPart counts the words of the next part, up to the end of a word.
func countPart(r *bufio.Reader) (Counts, error) {
	counts := Counts{Words: make(map[string]int64)}
	var word []rune
	for {
		c, size, err := r.ReadRune()
		counts.Bytes += int64(size)
		if err == nil && inWord(c) {
			if len(word) < maxWord {
				word = append(word, unicode.ToLower(c))
			}
			continue
		}
		if w := strings.Trim(string(word), "'’"); w != "" {
			counts.Words[w]++
		}
		word = word[:0]
		if c == '\n' {
			counts.Lines++
		}
		if err != nil || counts.Bytes >= part {
			return counts, err
		}
	}
}

func inWord(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c) || c == '\'' || c == '’'
}
