package codec_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/big"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tinylib/msgp/msgp"

	"github.com/tenon-go/tenon/codec"
)

func TestLargeValuesAreReferredToAndNotCopied(t *testing.T) {
	for _, size := range []int{codec.SegmentSize - 1, codec.SegmentSize, 1<<16 - 1, 1 << 16, 1 << 20} {
		data := bytes.Repeat([]byte{'x'}, size)
		var e codec.Encoder
		b := codec.AppendInt(nil, 7)
		b = codec.AppendBytes(b, &e, data)
		b = codec.AppendString(b, &e, string(data))
		b = codec.AppendInt(b, 8)

		segments := e.Segments()
		wantSegments := 2
		if size < codec.SegmentSize {
			wantSegments = 0
		}
		if len(segments) != wantSegments {
			t.Fatalf("size %d: %d segments, want %d", size, len(segments), wantSegments)
		}
		if wantSegments > 0 && &segments[0].Data[0] != &data[0] {
			t.Errorf("size %d: the segment is a copy", size)
		}
		var d codec.Decoder
		d.ResetOwned(joined(b, segments))
		before, raw, text, after := d.Int(), d.Bytes(), d.String(), d.Int()
		if err := d.Finish(); err != nil || before != 7 || after != 8 || !bytes.Equal(raw, data) || text != string(data) {
			t.Errorf("size %d: %v, %d bytes, %d characters, then %d", size, err, len(raw), len(text), after)
		}
		if want := map[bool]byte{true: 0xda, false: 0xdb}[size <= 1<<16-1]; wantSegments > 0 && b[segments[0].At] != want {
			t.Errorf("size %d: string header %#x, want %#x", size, b[segments[0].At], want)
		}
		e.Reset()
		if len(e.Segments()) != 0 {
			t.Error("Reset kept the segments")
		}
		for _, s := range segments {
			if s.Data != nil {
				t.Error("Reset keeps the user's memory alive")
			}
		}
	}
}

// joined puts segments into a message as a connection does.
func joined(b []byte, segments []codec.Segment) []byte {
	var all []byte
	from := 0
	for _, s := range segments {
		all = append(append(all, b[from:s.At]...), s.Data...)
		from = s.At
	}
	return append(all, b[from:]...)
}

func TestStringsAndBytesOfOneMessageShareOneBlock(t *testing.T) {
	var e codec.Encoder
	message := codec.AppendInt(nil, 1)
	message = codec.AppendBytes(message, &e, []byte("first"))
	message = codec.AppendString(message, &e, "second")
	message = codec.AppendBytes(message, &e, []byte("third"))
	message = codec.AppendString(message, &e, "fourth")
	var d codec.Decoder
	var first, third []byte
	var second, fourth string
	allocs := testing.AllocsPerRun(100, func() {
		d.Reset(message)
		d.Int()
		first, second, third, fourth = d.Bytes(), d.String(), d.Bytes(), d.String()
	})
	if allocs != 1 {
		t.Errorf("%v allocations, want 1", allocs)
	}
	clear(message)
	_ = append(first, "overwrites?"...)
	_ = append(third, "overwrites?"...)
	if string(first) != "first" || second != "second" || string(third) != "third" || fourth != "fourth" {
		t.Errorf("got %q %q %q %q: they share memory with the message or with each other", first, second, third, fourth)
	}
}

func TestSlicesOfStringsShareMemoryButNotRoom(t *testing.T) {
	var (
		e       codec.Encoder
		d       codec.Decoder
		message []byte
		lists   [100][]string
	)
	for i := range lists {
		message = codec.AppendStrings(message, &e, []string{"a", "b", "c"}[:i%4%3+1])
	}
	message = codec.AppendStrings(codec.AppendStrings(message, &e, nil), &e, []string{})
	allocs := testing.AllocsPerRun(10, func() {
		d.Reset(message)
		for i := range lists {
			lists[i] = d.Strings()
		}
	})
	if allocs > 8 {
		t.Errorf("%v allocations for %d slices", allocs, len(lists))
	}
	if d.Strings() != nil || d.Strings() == nil || d.Finish() != nil {
		t.Error("nil and empty did not stay apart")
	}
	for i := range lists {
		lists[i] = append(lists[i], "more")
	}
	for i, list := range lists {
		if want := append([]string{"a", "b", "c"}[:i%4%3+1:i%4%3+1], "more"); !slices.Equal(list, want) {
			t.Errorf("list %d: %q, want %q", i, list, want)
		}
	}
	d.Reset([]byte{0x92, 0xa1, 'x', 0x01})
	if d.Strings(); d.Err() == nil || d.Err().Error() != "[1]: want string, got integer" {
		t.Errorf("got %v", d.Err())
	}
}

func TestNumbersAllocateNothing(t *testing.T) {
	var e codec.Encoder
	message := codec.AppendArray(nil, &e, 5)
	message = codec.AppendInt(message, 1<<40)
	message = codec.AppendFloat64(message, 1.5)
	message = codec.AppendTime(message, time.Now())
	message = codec.AppendString(message, &e, "")
	message = codec.AppendBytes(message, &e, []byte{})
	var d codec.Decoder
	allocs := testing.AllocsPerRun(100, func() {
		d.Reset(message)
		d.Array()
		d.Int64()
		d.Float64()
		d.Time()
		_ = d.String()
		d.Bytes()
	})
	if err := d.Finish(); err != nil || allocs != 0 {
		t.Errorf("err %v, %v allocations, want none", err, allocs)
	}
}

func TestResetOwnedPointsIntoTheMessage(t *testing.T) {
	var e codec.Encoder
	message := codec.AppendBytes(nil, &e, []byte("data"))
	var d codec.Decoder
	d.ResetOwned(message)
	data := d.Bytes()
	if unsafe.SliceData(data) != &message[2] || cap(data) != len(data) {
		t.Errorf("data is a copy, or its capacity %d reaches into the rest", cap(data))
	}
}

func TestAppendTimeIsWhatMsgpWrites(t *testing.T) {
	for _, stamp := range []time.Time{
		{}, time.Unix(0, 1), time.Unix(1, 0), time.Unix(1<<32-1, 0), time.Unix(1<<32-1, 5), time.Unix(1<<32, 0),
		time.Unix(1<<34-1, 999999999), time.Unix(1<<34, 0), time.Unix(-1, 1), time.Now(),
		time.Date(-5000, 1, 2, 3, 4, 5, 6, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("x", -3600)),
	} {
		got, want := codec.AppendTime(nil, stamp), msgp.AppendTimeExt(nil, stamp)
		if !bytes.Equal(got, want) {
			t.Errorf("%v: %x, want %x", stamp, got, want)
		}
	}
}

func TestTimesKeepTheirInstantAndArriveInUTCReport67(t *testing.T) {
	sent := time.Date(2026, 7, 1, 12, 0, 0, 123456789, time.FixedZone("CEST", 2*3600))
	var d codec.Decoder
	d.Reset(codec.AppendTime(nil, sent))
	got := d.Time()
	if !got.Equal(sent) || got.Location() != time.UTC || got.Nanosecond() != 123456789 {
		t.Errorf("sent %v, got %v", sent, got)
	}
	// msgp's own extension 5, which other Go programs write.
	d.Reset(msgp.AppendTime(nil, sent))
	if got := d.Time(); !got.Equal(sent) || got.Location() != time.UTC {
		t.Errorf("from extension 5: %v", got)
	}
}

func TestWholeNumbersAreTakenAsFloats(t *testing.T) {
	var d codec.Decoder
	d.Reset(codec.AppendInt(codec.AppendInt(codec.AppendFloat32(nil, 1.5), -3), 1<<24))
	if a, b, c := d.Float64(), d.Float64(), d.Float32(); a != 1.5 || b != -3 || c != 1<<24 || d.Finish() != nil {
		t.Errorf("got %v %v %v, %v", a, b, c, d.Err())
	}
	d.Reset(codec.AppendInt(nil, 1<<53+1))
	if d.Float64(); d.Err() == nil || !strings.Contains(d.Err().Error(), "9007199254740993 does not fit into float64") {
		t.Errorf("an inexact number gave %v", d.Err())
	}
}

func TestMarshalersTravelAsTextAndBytes(t *testing.T) {
	var e codec.Encoder
	addr, number := netip.MustParseAddr("192.0.2.1"), big.NewInt(1).Lsh(big.NewInt(1), 200)
	link, _ := url.Parse("https://example.com/?a=b")
	message := codec.AppendText(nil, &e, &addr)
	message = codec.AppendText(message, &e, number)
	message = codec.AppendBinary(message, &e, link)
	var (
		d         codec.Decoder
		gotAddr   netip.Addr
		gotNumber big.Int
		gotLink   url.URL
	)
	d.Reset(message)
	d.Text(&gotAddr)
	d.Text(&gotNumber)
	d.Binary(&gotLink)
	if err := d.Finish(); err != nil || gotAddr != addr || gotNumber.Cmp(number) != 0 || gotLink != *link {
		t.Errorf("%v: got %v %v %v", err, gotAddr, &gotNumber, gotLink)
	}
}

type failing struct{}

var errFailing = errors.New("out of ink")

func (failing) MarshalText() ([]byte, error)   { return nil, errFailing }
func (failing) MarshalBinary() ([]byte, error) { return nil, errFailing }
func (failing) UnmarshalText([]byte) error     { return errFailing }
func (failing) UnmarshalBinary([]byte) error   { return errFailing }

func TestErrorsOfMarshalersNameTheType(t *testing.T) {
	var e codec.Encoder
	codec.AppendText(nil, &e, failing{})
	checkFailing(t, e.Err())
	e.Reset()
	codec.AppendBinary(nil, &e, failing{})
	checkFailing(t, e.Err())
	var d codec.Decoder
	d.Reset(codec.AppendString(nil, &e, "x"))
	d.Text(failing{})
	checkFailing(t, d.Err())
	d.Reset(codec.AppendBytes(nil, &e, []byte("x")))
	d.Binary(failing{})
	checkFailing(t, d.Err())
}

func checkFailing(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, errFailing) || !strings.Contains(err.Error(), "codec_test.failing") {
		t.Errorf("got %v", err)
	}
}

func TestErrorsSayWhatWasWantedAndWhatCame(t *testing.T) {
	var e codec.Encoder
	for _, test := range []struct {
		message string // hex
		read    func(d *codec.Decoder)
		want    string
	}{
		{"a161", func(d *codec.Decoder) { d.Time() }, "want time, got string"},
		{"c0", func(d *codec.Decoder) { d.Time() }, "want time, got nil"},
		{"c0", func(d *codec.Decoder) { _ = d.String() }, "want string, got nil"},
		{"c40161", func(d *codec.Decoder) { _ = d.String() }, "want string, got bytes"},
		{"a161", func(d *codec.Decoder) { d.Bytes() }, "want bytes, got string"},
		{"c2", func(d *codec.Decoder) { d.Int() }, "want int, got bool"},
		{"80", func(d *codec.Decoder) { d.Array() }, "want array, got map"},
		{"90", func(d *codec.Decoder) { d.Map() }, "want map, got array"},
		{"01", func(d *codec.Decoder) { d.Bool() }, "want bool, got integer"},
		{"c1", func(d *codec.Decoder) { d.Bool() }, "want bool, got nothing that is a value"},
		{"cb3ff8000000000000", func(d *codec.Decoder) { d.Int32() }, "want int32, got float"},
		{"cd012c", func(d *codec.Decoder) { d.Uint8() }, "300 does not fit into uint8"},
		{"d1ff00", func(d *codec.Decoder) { d.Int8() }, "-256 does not fit into int8"},
		{"ff", func(d *codec.Decoder) { d.Uint64() }, "-1 does not fit into uint64"},
		{"cfffffffffffffffff", func(d *codec.Decoder) { d.Int64() }, "18446744073709551615 does not fit into int64"},
		{"", func(d *codec.Decoder) { d.Int16() }, "the message ends within an int16"},
		{"", func(d *codec.Decoder) { d.Uint16() }, "the message ends within a uint16"},
		{"d9", func(d *codec.Decoder) { _ = d.String() }, "the message ends within a string"},
		{"d7ffffffffff00000000", func(d *codec.Decoder) { d.Time() }, "timestamp is malformed"},
		{"dd7fffffff", func(d *codec.Decoder) { d.Array() }, "array of 2147483647 elements in 0 bytes"},
		{"dfffffffff00", func(d *codec.Decoder) { d.Map() }, "map of 4294967295 entries in 1 bytes"},
		{"82010101", func(d *codec.Decoder) { d.Map() }, "map of 2 entries in 3 bytes"},
		{"920102", func(d *codec.Decoder) { d.FixedArray(3) }, "want an array of 3 elements, got 2"},
		{"c40101", func(d *codec.Decoder) { d.ByteArray(make([]byte, 2)) }, "want 2 bytes, got 1"},
		{"0102", func(d *codec.Decoder) { d.Int() }, "1 bytes are left over after the value"},
		{"c1", func(d *codec.Decoder) { d.Skip() }, "malformed value"},
		{"9201", func(d *codec.Decoder) { d.Skip() }, "the message ends within a value"},
	} {
		message, err := hex.DecodeString(test.message)
		if err != nil {
			t.Fatal(err)
		}
		var d codec.Decoder
		d.Reset(message)
		test.read(&d)
		if err := d.Finish(); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %q, want %q", test.message, err, test.want)
		}
		d.Int()
		_ = d.String()
		d.Skip()
		if err := d.Finish(); err.Error() != test.want {
			t.Errorf("%s: the first failure did not stick: %v", test.message, err)
		}
	}
	_ = e
}

func TestErrorsNameTheirPlace(t *testing.T) {
	var d codec.Decoder
	d.Reset([]byte{0xc0})
	d.Int()
	d.InElement(1)
	d.InField(2, "ID", "Name", "Tags")
	d.InField(0, "user")
	var e *codec.Error
	if !errors.As(d.Err(), &e) || e.Path != "user.Tags[1]" || e.Error() != "user.Tags[1]: want int, got nil" {
		t.Errorf("got %v", d.Err())
	}
	d.InField(9, "a")
	if e.Path != "#9.user.Tags[1]" {
		t.Errorf("a field that is not known is called %s", e.Path)
	}
}

func TestNestingIsLimitedInBothDirections(t *testing.T) {
	var e codec.Encoder
	var d codec.Decoder
	d.Reset([]byte{0})
	for range codec.MaxDepth {
		if !e.Enter(nil) || !d.Enter() {
			t.Fatal("refused too early")
		}
	}
	if e.Enter(nil) || d.Enter() || e.Err() == nil || d.Err() == nil {
		t.Error("nested too deep without an error")
	}
	e.Reset()
	if e.Err() != nil || !e.Enter(nil) {
		t.Error("Reset kept the depth")
	}
}
