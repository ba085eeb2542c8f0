package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A tally sums up what the workers count, and knows by how much the reading is
// ahead of the counting.
type tally struct {
	bar *progressbar.ProgressBar // of bytes that were counted

	mu   sync.Mutex
	sum  Counts
	read int64 // bytes
	most int64 // that were read and not counted, at any time
}

func newTally(files []string) *tally {
	return &tally{
		sum: Counts{Words: make(map[string]int64)},
		bar: progressbar.NewOptions64(sizeOf(files),
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))),
			progressbar.OptionShowBytes(true),
			progressbar.OptionSetWidth(24),
			progressbar.OptionClearOnFinish(),
		),
	}
}

// sizeOf is the size of all files, or -1 if it is not known.
func sizeOf(files []string) int64 {
	var size int64
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		size += info.Size()
	}
	return cmp.Or(size, -1)
}

// meter returns a reader that tells t what is read from r.
func (t *tally) meter(r io.Reader) *metered { return &metered{from: r, t: t} }

type metered struct {
	from io.Reader
	t    *tally
	err  error // why it ended, if not at the end
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if err != io.EOF {
		m.err = err
	}
	m.t.mu.Lock()
	defer m.t.mu.Unlock()
	m.t.read += int64(n)
	m.t.most = max(m.t.most, m.t.read-m.t.sum.Bytes)
	return n, err
}

// add adds the counts of a part.
func (t *tally) add(part Counts) {
	t.mu.Lock()
	t.sum.Bytes += part.Bytes
	t.sum.Lines += part.Lines
	for word, n := range part.Words {
		t.sum.Words[word] += n
	}
	counted, ahead := t.sum.Bytes, t.read-t.sum.Bytes
	t.mu.Unlock()
	t.bar.Describe(fmt.Sprintf("%4d KiB in flight", ahead>>10))
	t.bar.Set64(counted)
}

func (t *tally) print(w io.Writer, top int) {
	words := slices.SortedFunc(maps.Keys(t.sum.Words), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.sum.Words[b], t.sum.Words[a]), cmp.Compare(a, b))
	})
	var all int64
	for _, word := range words {
		all += t.sum.Words[word]
	}
	for _, word := range words[:min(max(top, 0), len(words))] {
		fmt.Fprintf(w, "%9d  %s\n", t.sum.Words[word], word)
	}
	fmt.Fprintf(w, "%d words, %d of them different, in %d lines and %d bytes\n", all, len(words), t.sum.Lines, t.sum.Bytes)
	fmt.Fprintf(w, "The reading was %d KiB ahead of the counting at most.\n", t.most>>10)
}
