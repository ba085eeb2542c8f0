package wire

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func frameOf(h Header, body []byte) []byte {
	b := append(h.Append(nil), body...)
	SetSize(b)
	return b
}

// vectors are golden frames, one per kind that is built; testdata/frames.txt has
// their bytes for implementations in other languages.
var vectors = []struct {
	name  string
	frame []byte
}{
	{"hello", frameOf(Header{Kind: Hello, Arg: Version}, Greeting{
		Limits:  Limits{Message: 256 << 20, Reassembly: 512 << 20, Calls: 16384, Metadata: 65536, StreamBytes: 65536, StreamItems: 16384},
		Methods: []Method{{"calc.Calc/Add", 0x0123456789abcdef}, {"calc.Calc/Echo", 1}},
	}.Append(nil))},
	{"call add(1, 2) as call 7 of method 0", frameOf(Header{Kind: Call, ID: 7}, []byte{0x92, 1, 2})},
	{"the same with 1.5 s left", frameOf(Header{Kind: Call, Flags: HasDeadline, ID: 7}, append(AppendDeadline(nil, 1500*time.Millisecond), 0x92, 1, 2))},
	{"answer [3]", frameOf(Header{Kind: Answer, Flags: Callee, ID: 7}, []byte{0x91, 3})},
	{"error", frameOf(Header{Kind: Error, Flags: Callee, ID: 7}, Failure{Code: 9, Message: "not you"}.Append(nil))},
	{"refused", frameOf(Header{Kind: Error, Flags: Callee | Refused, ID: 7}, Failure{Code: 4, Message: "no such method", Details: []byte{1}}.Append(nil))},
	{"error with two that have names", frameOf(Header{Kind: Error, Flags: Callee, ID: 7}, Failure{Message: "no", Errors: []NamedError{{"calc.ErrA", nil}, {"calc.B", []byte{0x91, 1}}}}.Append(nil))},
	{"cancel", frameOf(Header{Kind: Cancel, ID: 7}, nil)},
	{"first fragment of a call of 5 bytes", frameOf(Header{Kind: Call, Flags: More, ID: 8}, append(AppendTotal(nil, 5), 0x91, 0xc4, 2))},
	{"last fragment", frameOf(Header{Kind: Fragment, ID: 8}, []byte{0xaa, 0xbb})},
	{"ping", frameOf(Header{Kind: Ping, Arg: 5}, nil)},
	{"pong", frameOf(Header{Kind: Pong, Arg: 5}, nil)},
	{"bye after call 8", frameOf(Header{Kind: Bye, Arg: 8}, nil)},
	{"final bye after call 8", frameOf(Header{Kind: Bye, Flags: Final, Arg: 8}, nil)},
	{"bye that says why", frameOf(Header{Kind: Bye}, Failure{Code: 9, Message: "no token"}.Append(nil))},
	{"announce of method 2", frameOf(Header{Kind: Announce, Arg: 2}, AppendMethods(nil, []Method{{"calc.Calc/Sub", 3}}))},
	{"describe method 1", frameOf(Header{Kind: Describe, Arg: 1}, nil)},
	{"description of method 1", frameOf(Header{Kind: Description, Arg: 1}, []byte("(p bytes) (bytes)"))},
	{"items 1, 2 and 3 on port 1 of call 7 to its caller", frameOf(Header{Kind: Item, Flags: Callee, Port: 1, ID: 7, Arg: 3}, []byte{1, 2, 3})},
	{"credit of 4096 bytes for 3 items taken from port 1 of call 7", frameOf(Header{Kind: Credit, Port: 1, ID: 7, Arg: 4096}, []byte{3, 0, 0, 0})},
	{"end of port 2 of call 7", frameOf(Header{Kind: End, Port: 2, ID: 7}, nil)},
	{"end that says why", frameOf(Header{Kind: End, Port: 2, ID: 7}, Failure{Message: "no"}.Append(nil))},
	{"reset of port 2 of call 7 by its callee", frameOf(Header{Kind: Reset, Flags: Callee, Port: 2, ID: 7}, nil)},
	{"progress of call 7", frameOf(Header{Kind: Progress, Flags: Callee, ID: 7}, []byte{0x93, 1, 2, 0xa1, 'x'})},
	{"call 3 of the function at port 1 of call 7", frameOf(Header{Kind: Function, Port: 1, ID: 3, Arg: 7}, []byte{0x91, 5})},
	{"call with metadata", frameOf(Header{Kind: Call, Flags: HasMetadata, ID: 9}, append(AppendMetadata(nil, []byte{0x81, 0xa1, 'k', 0xa1, 'v'}), 0x92, 1, 2))},
}

func TestGoldenFrames(t *testing.T) {
	var got strings.Builder
	for _, v := range vectors {
		got.WriteString("# " + v.name + "\n" + hex.EncodeToString(v.frame) + "\n")
	}
	golden := filepath.Join("testdata", "frames.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		os.MkdirAll("testdata", 0o777)
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the bytes of a frame have changed; that breaks every peer. Got\n%s", got.String())
	}
}

func TestFramesSurviveAnyCuts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var stream []byte
		var want []Frame
		for range random.IntN(20) {
			size := random.IntN(200)
			if random.IntN(10) == 0 {
				size = MaxFrame - HeaderSize - random.IntN(2)
			}
			h := Header{Kind: Kind(random.Uint32()), Flags: uint8(random.Uint32()), Port: uint16(random.Uint32()), ID: random.Uint32(), Arg: random.Uint32()}
			body := make([]byte, size)
			for i := range body {
				body[i] = byte(random.Uint32())
			}
			h.Size = uint32(HeaderSize + size)
			want = append(want, Frame{h, body})
			stream = append(stream, frameOf(h, body)...)
		}
		var s Splitter
		n := 0
		for len(stream) > 0 {
			k := min(1+random.IntN(1+random.IntN(3*MaxFrame)), len(stream))
			if random.IntN(2) == 0 {
				k = min(k, 1+random.IntN(20))
			}
			chunk := bytes.Clone(stream[:k])
			stream = stream[k:]
			s.Feed(chunk)
			for {
				f, ok, err := s.Next()
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				if f.Header != want[n].Header || !bytes.Equal(f.Body, want[n].Body) {
					t.Fatalf("frame %d is %v, sent was %v", n, f, want[n])
				}
				n++
			}
			clear(chunk) // the chunk was only lent
		}
		if n != len(want) || s.Partial() {
			t.Fatalf("%d of %d frames, partial %v", n, len(want), s.Partial())
		}
	}
}

func TestSizesOutsideOfTheRules(t *testing.T) {
	for _, size := range []uint32{0, 1, HeaderSize - 1, MaxFrame + 1, math.MaxUint32} {
		b := Header{Size: size, Kind: Call}.Append(nil)
		for _, cut := range []int{1, HeaderSize} {
			var s Splitter
			s.Feed(b[:cut])
			_, _, err := s.Next()
			if err == nil {
				s.Feed(b[cut:])
				_, _, err = s.Next()
			}
			if err == nil {
				t.Errorf("size %d passed", size)
			}
		}
	}
}

func TestIdsWrapAround(t *testing.T) {
	for _, c := range []struct {
		a, b uint32
		want bool
	}{{2, 1, true}, {1, 2, false}, {1, 1, false}, {0, math.MaxUint32, true}, {5, math.MaxUint32 - 5, true}} {
		if got := After(c.a, c.b); got != c.want {
			t.Errorf("After(%d, %d) = %v", c.a, c.b, got)
		}
	}
}

func TestGreetingOfALaterVersionIsRead(t *testing.T) {
	g := Greeting{Epoch: 1, Limits: Limits{Calls: 3}, Methods: []Method{{"a/B", 2}}}
	b := g.Append(nil)
	b[0]++ // one more element ...
	got, err := ParseGreeting(append(b, 0xc3))
	if err != nil || got.Limits.Calls != 3 || len(got.Methods) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// FuzzStream feeds arbitrary bytes, cut at arbitrary places, to everything that
// parses.
func FuzzStream(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.frame, uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint8) {
		var s Splitter
		for len(stream) > 0 {
			k := min(int(cut)+1, len(stream))
			s.Feed(stream[:k])
			stream = stream[k:]
			for {
				frame, ok, err := s.Next()
				if err != nil {
					return
				}
				if !ok {
					break
				}
				if int(frame.Size) != HeaderSize+len(frame.Body) {
					t.Fatalf("%v", frame)
				}
				parseAll(frame)
			}
		}
	})
}

func parseAll(f Frame) {
	ParseGreeting(f.Body)
	ParseFailure(f.Body)
	ParseCall(f.Flags, f.Body)
	Total(f.Body)
	_ = f.String()
}

func FuzzBody(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.frame[5], v.frame[HeaderSize:])
	}
	f.Fuzz(func(t *testing.T, flags uint8, body []byte) {
		parseAll(Frame{Header{Flags: flags}, body})
	})
}
