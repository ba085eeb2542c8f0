package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tenon-go/tenon/ring"
)

// Words of the header, at their offsets in RING.md.
const (
	wordMagic        = 0
	wordVersion      = 4
	wordHead         = 128
	wordReaderSleeps = 132
	wordTail         = 256
	wordWriterSleeps = 260
	wordReaderWake   = 384
	wordWriterWake   = 512
)

const small = ring.MinCapacity

// A javaScript is the other side of a ring, in a process of node. It gets a copy
// of the memory with each request and answers with what it made of it.
type javaScript struct {
	t    *testing.T
	to   *json.Encoder
	from *json.Decoder
}

type request struct {
	Order    string   `json:"order"`
	Memory   []byte   `json:"memory,omitempty"`
	Capacity int      `json:"capacity,omitempty"`
	Messages [][]byte `json:"messages,omitempty"`
	Limit    int      `json:"limit,omitempty"`
	Announce bool     `json:"announce,omitempty"`
	Close    bool     `json:"close,omitempty"`
}

type answer struct {
	Memory   []byte   `json:"memory"`
	Messages [][]byte `json:"messages"`
	Written  int      `json:"written"`
	Presses  int      `json:"presses"`
	Closed   bool     `json:"closed"`
	Asleep   bool     `json:"asleep"`
	Error    string   `json:"error"`
}

func startJavaScript(t *testing.T) *javaScript {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node: ", err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "interop.mjs")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return &javaScript{t, json.NewEncoder(in), json.NewDecoder(out)}
}

func (j *javaScript) try(o request) answer {
	j.t.Helper()
	if err := j.to.Encode(o); err != nil {
		j.t.Fatal(err)
	}
	var a answer
	if err := j.from.Decode(&a); err != nil {
		j.t.Fatal(err)
	}
	return a
}

// do has a request carried out on mem.
func (j *javaScript) do(mem []byte, o request) answer {
	j.t.Helper()
	o.Memory = mem
	a := j.try(o)
	if a.Error != "" {
		j.t.Fatalf("%s: %s", o.Order, a.Error)
	}
	copy(mem, a.Memory)
	return a
}

// ringAt is an empty ring whose indexes stand at a value.
func ringAt(t *testing.T, index uint32) []byte {
	t.Helper()
	mem, err := ring.Alloc(small)
	if err != nil {
		t.Fatal(err)
	}
	set(mem, wordHead, index)
	set(mem, wordTail, index)
	return mem
}

func get(mem []byte, word int) uint32 { return binary.LittleEndian.Uint32(mem[word:]) }

func set(mem []byte, word int, value uint32) { binary.LittleEndian.PutUint32(mem[word:], value) }

// randomMessages are of all lengths, often short, sometimes the longest.
func randomMessages(random *rand.Rand, longest int) [][]byte {
	list := make([][]byte, 1+random.IntN(40))
	for i := range list {
		n := random.IntN(100)
		switch random.IntN(12) {
		case 0:
			n = random.IntN(longest + 1)
		case 1:
			n = longest
		}
		list[i] = make([]byte, n)
		for k := range list[i] {
			list[i][k] = byte(random.Uint32())
		}
	}
	return list
}

func equal(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

var starts = map[string]uint32{"from 0": 0, "over the end of 32 bits": 1<<32 - 5*small + 8}

func TestJavaScriptReadsWhatGoWrites(t *testing.T) {
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			js, mem, random := startJavaScript(t), ringAt(t, start), rand.New(rand.NewPCG(1, 2))
			w, err := ring.NewWriter(mem)
			if err != nil {
				t.Fatal(err)
			}
			var written [][]byte // and not read
			for range 60 {
				for _, p := range randomMessages(random, w.MaxRecord()) {
					ok, err := w.TryWrite(p)
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						break
					}
					written = append(written, p)
				}
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
				want := written[:random.IntN(len(written)+1)]
				if got := js.do(mem, request{Order: "read", Limit: len(want)}).Messages; !equal(got, want) {
					t.Fatalf("%d messages arrived in JavaScript, not the %d that were written", len(got), len(want))
				}
				written = written[len(want):]
			}
			if around := (get(mem, wordHead) - start) / small; around < 10 {
				t.Errorf("only %d times around the ring", around)
			}
		})
	}
}

func TestGoReadsWhatJavaScriptWrites(t *testing.T) {
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			js, mem, random := startJavaScript(t), ringAt(t, start), rand.New(rand.NewPCG(3, 4))
			r, err := ring.NewReader(mem)
			if err != nil {
				t.Fatal(err)
			}
			var written [][]byte
			for range 60 {
				list := randomMessages(random, small/2-8)
				a := js.do(mem, request{Order: "write", Messages: list})
				if a.Written == 0 && len(written) == 0 {
					t.Fatal("an empty ring has no room")
				}
				written = append(written, list[:a.Written]...)
				n := random.IntN(len(written) + 1)
				for _, want := range written[:n] {
					if got, err := r.TryRead(); err != nil || got == nil || !bytes.Equal(got, want) {
						t.Fatalf("%d bytes arrived in Go, error %v; %d were written", len(got), err, len(want))
					}
				}
				if written = written[n:]; len(written) == 0 {
					if p, err := r.TryRead(); p != nil || err != nil {
						t.Fatalf("%d bytes, error %v behind the last message", len(p), err)
					}
				}
			}
			if around := (get(mem, wordHead) - start) / small; around < 10 {
				t.Errorf("only %d times around the ring", around)
			}
		})
	}
}

// Wherever the end lies, what JavaScript writes is what Go writes, byte for byte.
func TestJavaScriptWritesTheSameBytesAsGo(t *testing.T) {
	js, random := startJavaScript(t), rand.New(rand.NewPCG(5, 6))
	for at := uint32(0); at < small; at += 8 * (1 + random.Uint32N(8)) {
		ours, theirs := ringAt(t, at), ringAt(t, at)
		list := randomMessages(random, small/2-8)
		w, err := ring.NewWriter(ours)
		if err != nil {
			t.Fatal(err)
		}
		written := 0
		for _, p := range list {
			ok, err := w.TryWrite(p)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			written++
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if a := js.do(theirs, request{Order: "write", Messages: list}); a.Written != written {
			t.Fatalf("at %d: %d messages found room in JavaScript, %d in Go", at, a.Written, written)
		}
		if !bytes.Equal(ours, theirs) {
			t.Fatalf("at %d: the memories differ", at)
		}
	}
}

func TestJavaScriptMakesTheSameEmptyRing(t *testing.T) {
	js := startJavaScript(t)
	mem := ringAt(t, 0)
	if a := js.try(request{Order: "format", Capacity: small}); a.Error != "" || !bytes.Equal(a.Memory, mem) {
		t.Errorf("the memories differ, error %q", a.Error)
	}
}

func TestJavaScriptRefusesWhatIsNoRing(t *testing.T) {
	js := startJavaScript(t)
	for name, c := range map[string]struct {
		spoil func(mem []byte) []byte
		want  string
	}{
		"magic":   {func(mem []byte) []byte { set(mem, wordMagic, 0x474e5255); return mem }, "no ring"},
		"version": {func(mem []byte) []byte { set(mem, wordVersion, 2); return mem }, "version 2"},
		"length":  {func(mem []byte) []byte { return mem[:len(mem)-8] }, "bytes of memory"},
		"twice":   {func(mem []byte) []byte { return append(mem, make([]byte, small)...) }, "capacity"},
		"head":    {func(mem []byte) []byte { set(mem, wordHead, small+8); return mem }, "corrupt"},
		"tail":    {func(mem []byte) []byte { set(mem, wordTail, 4); return mem }, "corrupt"},
		"kind":    {func(mem []byte) []byte { set(mem, wordHead, 8); return mem }, "corrupt"},
		"record": {func(mem []byte) []byte {
			set(mem, wordHead, 64)
			set(mem, ring.HeaderSize, 1<<32-8) // with its header 0 in 32 bits
			set(mem, ring.HeaderSize+4, 1)
			return mem
		}, "corrupt"},
		"padding": {func(mem []byte) []byte {
			set(mem, wordHead, 64)
			set(mem, ring.HeaderSize+4, 2)
			return mem
		}, "corrupt"},
	} {
		a := js.try(request{Order: "read", Memory: c.spoil(ringAt(t, 0)), Limit: 1})
		if !strings.Contains(a.Error, c.want) {
			t.Errorf("%s: error %q", name, a.Error)
		}
	}
}

func TestJavaScriptWritesNoLongerMessageThanGo(t *testing.T) {
	js := startJavaScript(t)
	a := js.try(request{Order: "write", Memory: ringAt(t, 0), Messages: [][]byte{make([]byte, small/2-7)}})
	if !strings.Contains(a.Error, "the longest has 2040") {
		t.Errorf("error %q", a.Error)
	}
}

func TestJavaScriptWakesWhoSleeps(t *testing.T) {
	js, message := startJavaScript(t), [][]byte{[]byte("wake up")}
	for sleeps, presses := range map[uint32]int{0: 0, 1: 0, 2: 1, 3: 0} {
		mem := ringAt(t, 0)
		set(mem, wordReaderSleeps, sleeps)
		a := js.do(mem, request{Order: "write", Messages: message})
		wakes := uint32(0)
		if sleeps == 1 || sleeps == 2 {
			wakes = 1
		}
		if get(mem, wordReaderSleeps) != 0 || get(mem, wordReaderWake) != wakes || a.Presses != presses {
			t.Errorf("a reader at %d: now %d, wake word %d, %d presses", sleeps, get(mem, wordReaderSleeps), get(mem, wordReaderWake), a.Presses)
		}
	}
	mem := ringAt(t, 0)
	w, err := ring.NewWriter(mem)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := w.TryWrite(message[0]); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	set(mem, wordWriterSleeps, 1)
	js.do(mem, request{Order: "read", Limit: 1})
	if get(mem, wordWriterSleeps) != 0 || get(mem, wordWriterWake) != 1 {
		t.Errorf("a writer at 1: now %d, wake word %d", get(mem, wordWriterSleeps), get(mem, wordWriterWake))
	}
}

func TestGoWakesJavaScript(t *testing.T) {
	js, mem := startJavaScript(t), ringAt(t, 0)
	w, err := ring.NewWriter(mem)
	if err != nil {
		t.Fatal(err)
	}
	if a := js.do(mem, request{Order: "read", Limit: 1, Announce: true}); !a.Asleep {
		t.Fatal("the reader found something in an empty ring")
	}
	if _, err := w.TryWrite(nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if get(mem, wordReaderSleeps) != 0 || get(mem, wordReaderWake) != 1 {
		t.Errorf("the reader sleeps at %d, wake word %d", get(mem, wordReaderSleeps), get(mem, wordReaderWake))
	}
	if a := js.do(mem, request{Order: "read", Announce: true}); a.Asleep {
		t.Error("the reader sleeps beside a message")
	}
}

func TestTheEndIsSeenAcross(t *testing.T) {
	js, last := startJavaScript(t), []byte("last words")

	mem := ringAt(t, 0) // JavaScript writes and closes
	js.do(mem, request{Order: "write", Messages: [][]byte{last}, Close: true})
	r, err := ring.NewReader(mem)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := r.Read(t.Context()); err != nil || !bytes.Equal(p, last) {
		t.Errorf("%q, %v before the end", p, err)
	}
	if _, err := r.Read(t.Context()); err != io.EOF {
		t.Errorf("%v at the end", err)
	}

	mem = ringAt(t, 0) // Go writes and closes
	w, err := ring.NewWriter(mem)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.TryWrite(last); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if a := js.do(mem, request{Order: "read", Limit: 9}); !a.Closed || !equal(a.Messages, [][]byte{last}) {
		t.Errorf("%q, closed %v", a.Messages, a.Closed)
	}

	mem = ringAt(t, 0) // JavaScript stops reading
	if w, err = ring.NewWriter(mem); err != nil {
		t.Fatal(err)
	}
	js.do(mem, request{Order: "read", Close: true})
	if err := w.Flush(); err != io.ErrClosedPipe {
		t.Errorf("%v to a closed reader", err)
	}

	mem = ringAt(t, 0) // Go stops reading
	if r, err = ring.NewReader(mem); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if a := js.do(mem, request{Order: "write", Messages: [][]byte{last}}); !a.Closed {
		t.Error("JavaScript does not see that the reader has closed")
	}
}
