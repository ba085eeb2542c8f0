package kinds

import (
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/geo"
	"github.com/tenon-go/tenon/codec"
)

type (
	appender[T any] func(b []byte, e *codec.Encoder, v *T) []byte
	decoder[T any]  func(d *codec.Decoder, v *T)
)

func encode[T any](t interface{ Fatal(...any) }, appendTo appender[T], v *T) []byte {
	var e codec.Encoder
	message := appendTo(nil, &e, v)
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	for i := len(e.Segments()) - 1; i >= 0; i-- {
		s := e.Segments()[i]
		message = append(message[:s.At:s.At], append(s.Data, message[s.At:]...)...)
	}
	return message
}

// roundTrip appends v and decodes it again.
func roundTrip[T any](t interface{ Fatal(...any) }, appendTo appender[T], decode decoder[T], v T) T {
	var (
		d   codec.Decoder
		got T
	)
	d.Reset(encode(t, appendTo, &v))
	decode(&d, &got)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	return got
}

// property states that every value survives, and that no part of its message is
// mistaken for it.
func property[T any](t *testing.T, appendTo appender[T], decode decoder[T], values *rapid.Generator[T]) {
	t.Run(reflect.TypeFor[T]().Name(), rapid.MakeCheck(func(t *rapid.T) {
		v := values.Draw(t, "v")
		if got := roundTrip(t, appendTo, decode, v); !reflect.DeepEqual(got, v) {
			t.Fatalf("sent %#v\ngot  %#v", v, got)
		}
		message := encode(t, appendTo, &v)
		cut := rapid.IntRange(0, len(message)-1).Draw(t, "cut")
		var d codec.Decoder
		var got T
		d.Reset(message[:cut])
		if decode(&d, &got); d.Finish() == nil {
			t.Fatalf("%d of %d bytes were accepted", cut, len(message))
		}
		// Broken bytes may be an error or another value, but nothing worse.
		i := rapid.IntRange(0, len(message)-1).Draw(t, "broken")
		message[i] ^= rapid.Byte().Draw(t, "by")
		d.Reset(message)
		decode(&d, new(T))
	}))
}

func TestEveryValueSurvives(t *testing.T) {
	property(t, kindsAppendNumbers, kindsDecodeNumbers, values[Numbers]())
	property(t, kindsAppendTexts, kindsDecodeTexts, values[Texts]())
	property(t, kindsAppendTimes, kindsDecodeTimes, values[Times]())
	property(t, kindsAppendCollections, kindsDecodeCollections, values[Collections]())
	property(t, kindsAppendPointers, kindsDecodePointers, values[Pointers]())
	property(t, kindsAppendMarshalers, kindsDecodeMarshalers, values[Marshalers]())
	property(t, kindsAppendForeign, kindsDecodeForeign, values[Foreign]())
	property(t, kindsAppendNested, kindsDecodeNested, rapid.Custom(nested))
	property(t, kindsAppendTree, kindsDecodeTree, rapid.Custom(func(t *rapid.T) Tree { return tree(t, 3) }))
}

// values makes values of any type without unexported fields.
func values[T any]() *rapid.Generator[T] {
	return rapid.MakeCustom[T](rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[time.Time]():    instants.AsAny(),
		reflect.TypeFor[netip.Addr]():   addrs.AsAny(),
		reflect.TypeFor[netip.Prefix](): rapid.Map(addrs, func(a netip.Addr) netip.Prefix { p, _ := a.Prefix(7); return p }).AsAny(),
		reflect.TypeFor[*big.Int]():     rapid.Map(rapid.Int64(), big.NewInt).AsAny(),
		reflect.TypeFor[*url.URL]():     rapid.Just(&url.URL{Scheme: "https", Host: "example.com", Path: "/é"}).AsAny(),
		reflect.TypeFor[Version]():      rapid.Custom(func(t *rapid.T) Version { return Version{rapid.Int().Draw(t, "major"), rapid.Int().Draw(t, "minor")} }).AsAny(),
		reflect.TypeFor[geo.Track](): rapid.Custom(func(t *rapid.T) geo.Track {
			return geo.Track{Name: rapid.String().Draw(t, "name"), Points: values[[]geo.Point]().Draw(t, "points"), Start: instants.Draw(t, "start")}
		}).AsAny(),
	}})
}

var (
	instants = rapid.Custom(func(t *rapid.T) time.Time {
		seconds := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "seconds")
		nanos := rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(0, 999_999_999)).Draw(t, "nanos")
		return time.Unix(seconds, nanos).UTC()
	})
	addrs = rapid.OneOf(
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 4, 4), func(b []byte) netip.Addr { return netip.AddrFrom4([4]byte(b)) }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 16, 16), func(b []byte) netip.Addr { return netip.AddrFrom16([16]byte(b)) }),
	)
)

func nested(t *rapid.T) Nested {
	v := Nested{
		Base: values[Base]().Draw(t, "base"), Point: values[*geo.Point]().Draw(t, "point"),
		Pair: values[geo.Pair[string, []Base]]().Draw(t, "pair"), Renamed: rapid.Int().Draw(t, "renamed"),
	}
	v.Inner.A, v.Inner.B.C = rapid.Int().Draw(t, "a"), rapid.String().Draw(t, "c")
	for p := &v.Page; rapid.Bool().Draw(t, "more pages"); p = p.Next {
		p.Items, p.Next = values[[]Base]().Draw(t, "items"), new(Page[Base])
	}
	return v
}

func tree(t *rapid.T, depth int) Tree {
	v := Tree{Name: rapid.String().Draw(t, "name")}
	if depth == 0 {
		return v
	}
	v.Children = []Tree{}
	for range rapid.IntRange(0, 3).Draw(t, "children") {
		v.Children = append(v.Children, tree(t, depth-1))
	}
	if rapid.Bool().Draw(t, "map") {
		child := tree(t, depth-1)
		v.ByName = map[string]*Tree{"": nil, "child": &child}
	}
	return v
}

func TestFloatsPassBitForBitReport70(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, math.MaxFloat64} {
		got := roundTrip(t, kindsAppendNumbers, kindsDecodeNumbers, Numbers{Float64: f, Float32: float32(f)})
		if math.Float64bits(got.Float64) != math.Float64bits(f) || math.Float32bits(got.Float32) != math.Float32bits(float32(f)) {
			t.Errorf("sent %v, got %v and %v", f, got.Float64, got.Float32)
		}
	}
}

func TestIntegersAreExactAtTheirLimitsReport69(t *testing.T) {
	for _, v := range []Numbers{
		{Int64: math.MaxInt64, Uint64: math.MaxUint64, Int: math.MaxInt, Uint: math.MaxUint, Int8: math.MaxInt8, Uint8: math.MaxUint8,
			Int16: math.MaxInt16, Uint16: math.MaxUint16, Int32: math.MaxInt32, Uint32: math.MaxUint32, Rune: math.MaxInt32},
		{Int64: math.MinInt64, Int: math.MinInt, Int8: math.MinInt8, Int16: math.MinInt16, Int32: math.MinInt32},
		{Int64: 1<<53 + 1, Uint64: 1<<53 + 1},
	} {
		if got := roundTrip(t, kindsAppendNumbers, kindsDecodeNumbers, v); got != v {
			t.Errorf("sent %+v\ngot  %+v", v, got)
		}
	}
}

func TestStringsPassWhateverTheirBytesReport72(t *testing.T) {
	for _, s := range []string{"", "😀 emoji", "cut \xf0\x9f", "\x00"} {
		if got := roundTrip(t, kindsAppendTexts, kindsDecodeTexts, Texts{String: s}); got.String != s {
			t.Errorf("sent %q, got %q", s, got.String)
		}
	}
}

func TestNilAndEmptyStayApart(t *testing.T) {
	for _, v := range []Collections{
		{},
		{Strings: []string{}, Matrix: [][]int{nil, {}}, Chunks: [][]byte{nil, {}}, Map: map[string]int{}, Empties: make([]struct{}, 3),
			MapOfMaps: map[int]map[bool]float32{1: nil, 2: {}}},
	} {
		if got := roundTrip(t, kindsAppendCollections, kindsDecodeCollections, v); !reflect.DeepEqual(got, v) {
			t.Errorf("sent %#v\ngot  %#v", v, got)
		}
	}
}

func TestPointersToNilArriveAsPointersToNil(t *testing.T) {
	zero, null := 0, (*int)(nil)
	for _, v := range []Pointers{
		{},
		{Int: &zero, Pointer: &null, Bytes: new([]byte), Slice: new([]int), Map: new(map[string]int)},
		{Bytes: &[]byte{}, Slice: &[]int{}, Map: &map[string]int{}, Pointers: []*int{nil, &zero}},
	} {
		if got := roundTrip(t, kindsAppendPointers, kindsDecodePointers, v); !reflect.DeepEqual(got, v) {
			t.Errorf("sent %#v\ngot  %#v", v, got)
		}
	}
}
