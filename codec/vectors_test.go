package codec_test

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tinylib/msgp/msgp"

	"github.com/tenon-go/tenon/codec"
)

// A vector is one line of testdata/values.txt, which peers in other languages
// test against too: kind, value, and the bytes on the wire.
type vector struct{ kind, value, wire string }

func readVectors(t *testing.T) []vector {
	t.Helper()
	f, err := os.Open("testdata/values.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []vector
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); line != "" && line[0] != '#' {
			parts := strings.Split(line, "|")
			if len(parts) != 3 {
				t.Fatalf("line %q has %d parts, want 3", line, len(parts))
			}
			all = append(all, vector{strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]), strings.TrimSpace(parts[2])})
		}
	}
	return all
}

func TestValuesHaveTheWireFormOfTheVectors(t *testing.T) {
	for _, v := range readVectors(t) {
		t.Run(v.kind+" "+v.value, func(t *testing.T) {
			value := parse(t, v.kind, v.value)
			var e codec.Encoder
			wire := appendAny(nil, &e, value)
			if e.Err() != nil || len(e.Segments()) > 0 {
				t.Fatalf("err %v, %d segments", e.Err(), len(e.Segments()))
			}
			if got := hex.EncodeToString(wire); got != v.wire {
				t.Errorf("appended %s, want %s", got, v.wire)
			}
			want, _ := hex.DecodeString(v.wire)
			var d codec.Decoder
			d.Reset(want)
			got := decodeAny(&d, value)
			if err := d.Finish(); err != nil {
				t.Fatal(err)
			}
			if !same(got, value) {
				t.Errorf("decoded %#v, want %#v", got, value)
			}
			for n := range want {
				d.Reset(want[:n])
				decodeAny(&d, value)
				if d.Finish() == nil {
					t.Errorf("the first %d bytes alone were accepted", n)
				}
			}
		})
	}
}

func TestVectorsAreWhatAnIndependentDecoderReads(t *testing.T) {
	for _, v := range readVectors(t) {
		wire, _ := hex.DecodeString(v.wire)
		got, rest, err := msgp.ReadIntfBytes(wire)
		if err != nil || len(rest) > 0 {
			t.Errorf("%s %s: %v, %d bytes left", v.kind, v.value, err, len(rest))
		}
		if stamp, ok := got.(time.Time); ok && !stamp.Equal(parse(t, v.kind, v.value).(time.Time)) {
			t.Errorf("time %s: got %v", v.value, stamp)
		}
	}
}

func parse(t *testing.T, kind, text string) any {
	t.Helper()
	into := map[string]any{
		"bool": new(bool), "int64": new(int64), "int32": new(int32), "int16": new(int16), "int8": new(int8),
		"uint64": new(uint64), "uint32": new(uint32), "uint16": new(uint16), "uint8": new(uint8),
		"float32": new(float32), "float64": new(float64), "string": new(string),
	}[kind]
	switch {
	case kind == "bytes" && text == "nil":
		return []byte(nil)
	case kind == "bytes":
		data, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	case kind == "time":
		stamp, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return stamp
	case kind == "float64" && text == "-0":
		return math.Copysign(0, -1)
	case kind == "string":
		fmt.Sscanf(text, "%q", into)
	default:
		if _, err := fmt.Sscan(text, into); err != nil {
			t.Fatalf("%s %q: %v", kind, text, err)
		}
	}
	return reflect.ValueOf(into).Elem().Interface()
}

func appendAny(b []byte, e *codec.Encoder, v any) []byte {
	switch v := v.(type) {
	case bool:
		return codec.AppendBool(b, v)
	case float32:
		return codec.AppendFloat32(b, v)
	case float64:
		return codec.AppendFloat64(b, v)
	case string:
		return codec.AppendString(b, e, v)
	case []byte:
		return codec.AppendBytes(b, e, v)
	case time.Time:
		return codec.AppendTime(b, v)
	}
	r := reflect.ValueOf(v)
	if r.CanInt() {
		return codec.AppendInt(b, r.Int())
	}
	return codec.AppendUint(b, r.Uint())
}

// decodeAny decodes a value of the type that like has.
func decodeAny(d *codec.Decoder, like any) any {
	switch like.(type) {
	case bool:
		return d.Bool()
	case int64:
		return d.Int64()
	case int32:
		return d.Int32()
	case int16:
		return d.Int16()
	case int8:
		return d.Int8()
	case uint64:
		return d.Uint64()
	case uint32:
		return d.Uint32()
	case uint16:
		return d.Uint16()
	case uint8:
		return d.Uint8()
	case float32:
		return d.Float32()
	case float64:
		return d.Float64()
	case string:
		return d.String()
	case []byte:
		return d.Bytes()
	case time.Time:
		return d.Time()
	}
	panic(fmt.Sprintf("no %T", like))
}

// same compares bit for bit: NaN equals NaN, zero differs from negative zero.
func same(a, b any) bool {
	switch a := a.(type) {
	case float64:
		return math.Float64bits(a) == math.Float64bits(b.(float64))
	case float32:
		return math.Float32bits(a) == math.Float32bits(b.(float32))
	}
	return reflect.DeepEqual(a, b)
}
