package kinds

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/big"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/geo"
	"github.com/tenon-go/tenon/codec"
)

func wire[T any](t *testing.T, appendTo appender[T], v T) string {
	return hex.EncodeToString(encode(t, appendTo, &v))
}

func TestCompositeKindsHaveTheirWireForm(t *testing.T) {
	one, null := 1, (*int)(nil)
	for name, test := range map[string]struct{ got, want string }{
		"arguments are an array":       {wire(t, kindsAppendNamedArgs, kindsNamedArgs{1, 2}), "920102"},
		"no arguments":                 {wire(t, kindsAppendNothingArgs, kindsNothingArgs{}), "90"},
		"struct is an array of fields": {wire(t, kindsAppendBase, Base{7, "n"}), "9207a16e"},
		"struct of another package":    {wire(t, kindsAppendGeoPoint, geo.Point{Lat: 1}), "92cb3ff0000000000000cb0000000000000000"},
		"unexported fields of others":  {wire(t, kindsAppendGeoTrack, geo.Track{Name: "x"}), "93a178c0" + "c70cff00000000fffffff1886e0900"},
		"nil slice":                    {wire(t, kindsAppendLevelSlice, nil), "c0"},
		"empty slice":                  {wire(t, kindsAppendLevelSlice, []Level{}), "90"},
		"slice":                        {wire(t, kindsAppendLevelSlice, []Level{7, -1}), "9207ff"},
		"slice of strings":             {wire(t, kindsAppendVariadicArgs, kindsVariadicArgs{[]string{"a", ""}}), "9192a161a0"},
		"nil slice of strings":         {wire(t, kindsAppendVariadicArgs, kindsVariadicArgs{}), "91c0"},
		"array":                        {wire(t, kindsAppendStringArray2, [2]string{"a", "b"}), "92a161a162"},
		"nil map":                      {wire(t, kindsAppendStringIntMap, nil), "c0"},
		"empty map":                    {wire(t, kindsAppendStringIntMap, map[string]int{}), "80"},
		"map":                          {wire(t, kindsAppendStringIntMap, map[string]int{"a": 1}), "81a16101"},
		"nil pointer":                  {wire(t, kindsAppendIntPointer, nil), "c0"},
		"pointer":                      {wire(t, kindsAppendIntPointer, &one), "01"},
		"pointer to nil pointer":       {wire(t, kindsAppendIntPointerPointer, &null), "91c0"},
		"enumerations are numbers":     {wire(t, kindsAppendForeign, Foreign{Side: geo.South})[38:40], "02"},
		"times": {wire(t, kindsAppendTimes, Times{Time: time.Unix(1, 0), Duration: time.Second, Stamps: []time.Time{}}),
			"94d6ff00000001d23b9aca0090c0"},
		"text and binary": {wire(t, kindsAppendMarshalers, Marshalers{Addr: netip.MustParseAddr("::1"), Number: big.NewInt(12), Version: Version{1, 2}}),
			"97a33a3a31a23132c0c0c0a3312e3292a0a0"},
		"byte arrays are bytes": {wire(t, kindsAppendTexts, Texts{Mode: Fast}),
			"97a0a466617374c0c0c403000000c40400000000c400"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", name, test.got, test.want)
		}
	}
}

func TestFieldsOfANewerPeerAreSkippedAndThoseOfAnOlderStayZero(t *testing.T) {
	for message, want := range map[string]Base{
		"90":                         {},
		"9107":                       {ID: 7},
		"9207a16e":                   {7, "n"},
		"9407a16e9281a16101c3c40178": {7, "n"},
	} {
		data, err := hex.DecodeString(message)
		if err != nil {
			t.Fatal(err)
		}
		var (
			d   codec.Decoder
			got Base
		)
		d.Reset(data)
		kindsDecodeBase(&d, &got)
		if err := d.Finish(); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", message, got, err, want)
		}
	}
}

func TestErrorsNameThePlaceInTheArguments(t *testing.T) {
	for message, want := range map[string]string{
		"9192c0a16e":       "tree.Name: want string, got nil",
		"9193a16e9192c3c0": "tree.Children[0].Name: want string, got bool",
		"9193a16ec081c080": "tree.ByName[0]: want string, got nil",
		"91c0":             "tree: want array, got nil",
		"92":               "array of 2 elements in 0 bytes",
		"9190" + "00":      "1 bytes are left over after the value",
		"9490c0c0c1":       "#3: malformed value",
	} {
		data, err := hex.DecodeString(message)
		if err != nil {
			t.Fatal(err)
		}
		var d codec.Decoder
		d.Reset(data)
		kindsDecodeRecursiveArgs(&d, new(kindsRecursiveArgs))
		if err := d.Finish(); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", message, err, want)
		}
	}
}

func TestRecursionEndsInBothDirections(t *testing.T) {
	list := &List{}
	list.Next = list
	var e codec.Encoder
	kindsAppendList(nil, &e, list)
	if e.Err() == nil || !strings.Contains(e.Err().Error(), "contains itself") {
		t.Errorf("a list that contains itself gave %v", e.Err())
	}

	deep := []byte(nil)
	for range codec.MaxDepth + 1 {
		deep = append(deep, 0x92, 0x00)
	}
	var d codec.Decoder
	d.Reset(append(deep, 0xc0))
	kindsDecodeList(&d, new(List))
	var problem *codec.Error
	if err := d.Finish(); !errors.As(err, &problem) || !strings.HasPrefix(problem.Path, "Next.Next.") {
		t.Errorf("a list that is too deep gave %v", err)
	}

	d.Reset(bytes.Repeat([]byte{0x91}, 1<<20)) // array of array of array ...
	kindsDecodeForest(&d, new(Forest))
	if d.Finish() == nil {
		t.Error("a forest without end was accepted")
	}

	chain := (*List)(nil)
	for range codec.MaxDepth {
		chain = &List{Next: chain}
	}
	roundTrip(t, kindsAppendList, kindsDecodeList, *chain)
}

func TestShortMessagesDoNotTakeMuchMemory(t *testing.T) {
	const n = 10_000 // elements of one byte, 32 KiB each in memory
	for name, header := range map[string][]byte{
		"slice":    {0x91, 0xdd, 0, 0, n >> 8, n & 0xff},
		"pointers": {0x92, 0xc0, 0xdd, 0, 0, n >> 8, n & 0xff},
		"map":      {0x93, 0xc0, 0xc0, 0xdf, 0, 0, n / 2 >> 8, n / 2 & 0xff},
	} {
		message := append(header, bytes.Repeat([]byte{0x90}, n)...)
		if name == "map" {
			message = append(header, bytes.Repeat([]byte{0x01, 0x90}, n/2)...)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var d codec.Decoder
		d.Reset(message)
		kindsDecodeLargeArgs(&d, new(kindsLargeArgs))
		err := d.Finish()
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "bytes of memory") {
			t.Errorf("%s: got %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 40<<20 {
			t.Errorf("%s: took %d MiB", name, took>>20)
		}
	}
	roundTrip(t, kindsAppendLargeArgs, kindsDecodeLargeArgs, kindsLargeArgs{list: make([]Large, 100), pointers: []*Large{{}}, byNumber: map[int]Large{1: {}}})
}

func TestOnlyMethodsWithMarshalersAreEncodedOnTheHeap(t *testing.T) {
	if !kindsMarshalers.Args.UserCode || !kindsMarshalers.Result.UserCode {
		t.Error("Marshalers runs code of the user, and does not say so")
	}
	if kindsNumbers.Args.UserCode || kindsCollections.Args.UserCode {
		t.Error("Numbers and Collections run no code of the user")
	}
}

func TestLargeValuesInsideStructsBecomeSegments(t *testing.T) {
	v := Texts{String: strings.Repeat("s", codec.SegmentSize), Bytes: bytes.Repeat([]byte{'b'}, 3*codec.SegmentSize)}
	var e codec.Encoder
	kindsAppendTexts(nil, &e, &v)
	if len(e.Segments()) != 2 {
		t.Errorf("%d segments, want 2", len(e.Segments()))
	}
	got := roundTrip(t, kindsAppendTexts, kindsDecodeTexts, v)
	if got.String != v.String || !bytes.Equal(got.Bytes, v.Bytes) {
		t.Error("large values did not survive")
	}
}
