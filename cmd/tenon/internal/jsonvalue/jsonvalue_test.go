package jsonvalue_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tinylib/msgp/msgp"
	"pgregory.net/rapid"

	"github.com/tenon-go/tenon/cmd/tenon/internal/jsonvalue"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/shape"
)

func parse(t testing.TB, text string) *shape.Shape {
	t.Helper()
	s, err := shape.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func texts(list ...string) [][]byte {
	var all [][]byte
	for _, s := range list {
		all = append(all, []byte(s))
	}
	return all
}

// everything has a value of each kind.
const everything = `(b bool, s string, i8 int8, i64 int64, u64 uint64, f32 float32, f float64, data bytes, id [2]byte, at time, ` +
	`wait duration, level Level:int{Low=-1, High=7}, mode Mode:string{Fast="fast"}, addr netip.Addr:text, key Key:binary, ` +
	`list []int, pair [2]string, byName map[string]int, byID map[int]*Point{X int, Y? float64}, p *Point, tree Tree{Kids []Tree}, pp **int) ()`

// Arguments sent as results come back as they were.
func TestValuesPassInBothDirections(t *testing.T) {
	s := parse(t, everything)
	const text = `{
  "b": true,
  "s": "é <\u0000>",
  "i8": -128,
  "i64": 9223372036854775807,
  "u64": 18446744073709551615,
  "f32": 0.1,
  "f": -0,
  "data": "AAEC",
  "id": "AQI=",
  "at": "2026-11-30T12:00:00.123456789Z",
  "wait": "1h0m0.000000001s",
  "level": "High",
  "mode": "fast",
  "addr": "192.0.2.1",
  "key": "aw==",
  "list": [
    1,
    2
  ],
  "pair": [
    "a",
    "b"
  ],
  "byName": {
    "": 0,
    "x": 1
  },
  "byID": {
    "-5": {
      "X": 1,
      "Y": 2.5
    },
    "7": null
  },
  "p": null,
  "tree": {
    "Kids": [
      {
        "Kids": null
      },
      {
        "Kids": []
      }
    ]
  },
  "pp": 3
}`
	encoded, err := jsonvalue.Arguments(s.Params, texts(text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := jsonvalue.Results(s.Params, encoded)
	if err != nil || string(got) != text {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestFormsOfArguments(t *testing.T) {
	two := parse(t, `(a int, b string) ()`)
	for _, list := range [][]string{{`{"a":1,"b":"x"}`}, {`[1,"x"]`}, {`1`, `"x"`}} {
		encoded, err := jsonvalue.Arguments(two.Params, texts(list...))
		if want := []byte{0x92, 1, 0xa1, 'x'}; err != nil || !bytes.Equal(encoded, want) {
			t.Errorf("%v: % x, %v", list, encoded, err)
		}
	}
	for text, forms := range map[string][][]string{
		`() ()`:                  {{}, {`{}`}, {`[]`}},
		`(p {X int, Y? int}) ()`: {{`{"p":{"X":1}}`}, {`[{"X":1}]`}},
		`(l []int) ()`:           {{`[[1]]`}, {`{"l":[1]}`}},
		`(int) ()`:               {{`5`}, {`[5]`}},
		`(l L:int{Low=1}, m M:string{Fast="fast"}) ()`: {{`"Low"`, `"Fast"`}, {`1`, `"fast"`}},
		`(p *P{Next *P}, q *int) ()`:                   {{`{}`}},
	} {
		for _, form := range forms {
			if _, err := jsonvalue.Arguments(parse(t, text).Params, texts(form...)); err != nil {
				t.Errorf("%s %v: %v", text, form, err)
			}
		}
	}
}

// A text that is a value is never taken for the name of another one.
func TestConstantsThatAreTexts(t *testing.T) {
	s := parse(t, `(m M:string{A="B", B="C", D="d"}) ()`)
	for text, want := range map[string]string{"A": "B", "B": "B", "C": "C", "D": "d", "x": "x"} {
		encoded, err := jsonvalue.Arguments(s.Params, texts(`"`+text+`"`))
		if got := string(encoded[2:]); err != nil || got != want {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct {
		shape string
		texts []string
		want  string
	}{
		{`(user User{Name string, Age int32}) ()`, []string{`{"user":{"Name":"x","Age":"x"}}`}, `argument user.Age: want int32, got "x"`},
		{`(user User{Name string, Age int32}) ()`, []string{`{"user":{"Name":"x"}}`}, `argument user.Age is missing: want int32`},
		{`(user User{Name string, Age int32}) ()`, []string{`{"user":{"Name":"x","age":1}}`}, `argument user.age is not known: did you mean Age?`},
		{`(user User{Name string}) ()`, []string{`{"Name":"x"}`}, `argument Name is not known: there are user; the object holds the arguments by name: {"user": {...}}`},
		{`() ()`, []string{`{"x":1}`}, `argument x is not known: nothing is wanted there`},
		{`(a int, b int) ()`, []string{`1`}, `want 2 arguments, got 1`},
		{`(a int) ()`, nil, `want 1 arguments, got 0`},
		{`(int) ()`, []string{`{"a":1}`}, `argument 1 has no name: write the arguments as an array`},
		{`(a int8) ()`, []string{`300`}, `argument a: want int8: 300 does not fit`},
		{`(a uint) ()`, []string{`-1`}, `argument a: want uint, got -1`},
		{`(a int) ()`, []string{`1.5`}, `argument a: want int, got 1.5`},
		{`(a int64) ()`, []string{`9223372036854775808`}, `argument a: want int64: 9223372036854775808 does not fit`},
		{`(a float32) ()`, []string{`1e300`}, `argument a: want float32: 1e300 does not fit`},
		{`(a string) ()`, []string{`null`}, `argument a: want string, got null`},
		{`(a bool) ()`, []string{`"true"`}, `argument a: want bool, got "true"`},
		{`(l L:int{Low=1, High=2}) ()`, []string{`"low"`}, `argument l: want L ("Low", "High" or a number), got "low"`},
		{`(a bytes) ()`, []string{`"!"`}, `argument a: want bytes as base64 text: illegal base64 data at input byte 0`},
		{`(a [3]byte) ()`, []string{`"AA=="`}, `argument a: want [3]byte as base64 text: got 1 bytes`},
		{`(a time) ()`, []string{`"today"`}, `argument a: want a time such as "2006-01-02T15:04:05Z", got "today"`},
		{`(a duration) ()`, []string{`5`}, `argument a: want a duration such as "1m30s", got 5`},
		{`(a []T{B []int}) ()`, []string{`[[{"B":[]},{"B":[1,true]}]]`}, `argument a[1].B[1]: want int, got true`},
		{`(a [2]int) ()`, []string{`[[1]]`}, `argument a: want [2]int as an array of 2, got an array of 1`},
		{`(m map[int]bool) ()`, []string{`{"m":{"x":true}}`}, `argument m[x] (the key): want int, got "x"`},
		{`(m map[int]bool) ()`, []string{`{"m":{"1":7}}`}, `argument m[1]: want bool, got 7`},
		{`(a int) ()`, []string{`{`}, `value 1 is not JSON: unexpected EOF`},
		{`(a int) ()`, []string{``}, `value 1 is not JSON: it is empty`},
		{`(a string) ()`, []string{`nail`}, `value 1 is not JSON: invalid character 'a' in literal null (expecting 'u'); text is written in quotes: '"nail"'`},
		{`(a string) ()`, []string{`it's`}, `value 1 is not JSON: invalid character 'i' looking for beginning of value; text is written in quotes: '"..."'`},
		{`(a int, b int) ()`, []string{`1`, `2 3`}, `value 2 is not JSON: something follows at offset 3`},
		{`(t T{A? T}) ()`, []string{`{"t":{}}`}, `it nests too deep`},
		{`(t T:*T) ()`, []string{`1`}, `it nests too deep`},
		{`(t {A? [1000000000]int, B? [1000000000]byte}) ()`, []string{`{"t":{}}`}, `argument t.A is missing: want [1000000000]int as an array of 1000000000`},
	} {
		_, err := jsonvalue.Arguments(parse(t, c.shape).Params, texts(c.texts...))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v:\n got %v\nwant %s", c.shape, c.texts, err, c.want)
		}
	}
}

func TestResults(t *testing.T) {
	array := func(n uint32) []byte { return msgp.AppendArrayHeader(nil, n) }
	for _, c := range []struct {
		results string
		encoded []byte
		want    string // of the JSON, or of the error
	}{
		{`()`, array(0), ``},
		{`(int)`, append(array(1), 5), `5`},
		{`(n int)`, append(array(2), 5, 6), `5`},
		{`(n *int)`, array(0), `null`},
		{`(a int, b int)`, append(array(2), 5, 6), "{\n  \"a\": 5,\n  \"b\": 6\n}"},
		{`(int, int)`, append(array(2), 5, 6), "[\n  5,\n  6\n]"},
		{`(f float64)`, msgp.AppendFloat64(array(1), math.Inf(-1)), `"-Infinity"`},
		{`(f float64)`, msgp.AppendFloat64(array(1), math.NaN()), `"NaN"`},
		{`(f float32)`, msgp.AppendFloat32(array(1), 1e20), `1e+20`},
		{`(l L:int{A=1, B=1})`, append(array(1), 1), `"A"`},
		{`(l L:int{A=1, B=1})`, append(array(1), 3), `3`},
		{`(m map[{X int}]bool)`, append(array(1), 0x81, 0x91, 1, 0xc3), "{\n  \"{\\\"X\\\":1}\": true\n}"},
		{`(u {A {B []string}})`, append(array(1), 0x91, 0x91, 0x92, 0xa0, 1), `result: A.B[1]: want string, got integer`},
		{`(a int)`, append(array(1), 0xc1), `result: want int64`},
		{`(t T:*T)`, bytes.Repeat(array(1), 6000), `result: it nests too deep`},
		{`(a int)`, append(array(1), 1, 2), `1 bytes are left over`},
	} {
		got, err := jsonvalue.Results(parse(t, "() "+c.results).Results, c.encoded)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && string(got) != c.want {
			t.Errorf("%s: %s, %v", c.results, got, err)
		}
	}
}

// Items and the values of functions, on one line.
func TestItemsAndValues(t *testing.T) {
	for _, c := range []struct{ results, text, want string }{ // want: of the error, if there is one
		{`()`, `null`, ``},
		{`(n int)`, `5`, ``},
		{`(u {A int, B []string})`, `{"A":1,"B":["x"]}`, ``},
		{`(a int, b *int)`, `{"a":5,"b":null}`, ``},
		{`(int, s string)`, `[5,"x"]`, ``},
		{`()`, `1`, `there are no results: want null, got 1`},
		{`(n int)`, `"x"`, `result n: want int, got "x"`},
		{`(int)`, `{`, `it is not JSON: unexpected EOF`},
		{`(a int, b int)`, `[1,2]`, `want an object with the results by name, got an array of 2`},
		{`(a int, b int)`, `{"a":1}`, `result b is missing: want int`},
		{`(int, int)`, `[1]`, `want an array of 2 results, got an array of 1`},
		{`(int, int)`, `7`, `want an array of 2 results, got 7`},
	} {
		results := parse(t, "() "+c.results).Results
		encoded, err := jsonvalue.ParseValues(results, []byte(c.text))
		switch {
		case c.want != "":
			if err == nil || err.Error() != c.want {
				t.Errorf("%s %s: %v\nwant %s", c.results, c.text, err, c.want)
			}
			continue
		case err != nil:
			t.Errorf("%s %s: %v", c.results, c.text, err)
			continue
		}
		if again, err := jsonvalue.Values(results, encoded); err != nil || string(again) != c.text {
			t.Errorf("%s %s: %s, %v", c.results, c.text, again, err)
		}
	}
	item := parse(t, `(u {A int, B []string}) ()`).Params[0].Type
	encoded, err := jsonvalue.ParseItem(item, []byte(`{"B": null, "A": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := jsonvalue.Item(item, encoded); err != nil || string(again) != `{"A":1,"B":null}` {
		t.Errorf("%s, %v", again, err)
	}
	if _, err := jsonvalue.ParseItem(item, []byte(`{"A": 1, "B": [2]}`)); err == nil || err.Error() != "item.B[0]: want string, got 2" {
		t.Error(err)
	}
}

func TestZeroValues(t *testing.T) {
	results := parse(t, `() (b bool, n int, s string, f float64, u U{A int, V {B []int}}, p *U, a [2]U, d duration, at time, key [2]byte)`).Results
	encoded, err := jsonvalue.ZeroValues(results)
	if err != nil {
		t.Fatal(err)
	}
	const u = `{"A":0,"V":{"B":null}}`
	const want = `{"b":false,"n":0,"s":"","f":0,"u":` + u + `,"p":null,"a":[` + u + `,` + u + `],"d":"0s","at":"0001-01-01T00:00:00Z","key":"AAA="}`
	if got, err := jsonvalue.Values(results, encoded); err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if _, err := jsonvalue.ZeroValues(parse(t, `() (u {A netip.Addr:text})`).Results); err == nil || err.Error() != "result u.A is missing: want netip.Addr as text" {
		t.Error(err)
	}
}

// types makes a type, and values of it, of at most the given depth.
func types(t *rapid.T, depth int) (string, *rapid.Generator[[]byte]) {
	scalar := func(text string, v *rapid.Generator[[]byte]) (string, *rapid.Generator[[]byte]) { return text, v }
	choice := rapid.IntRange(0, 15).Draw(t, "type")
	if depth == 0 {
		choice = min(choice, 10)
	}
	switch choice {
	case 0:
		return scalar("bool", rapid.Map(rapid.Bool(), func(v bool) []byte { return msgp.AppendBool(nil, v) }))
	case 1:
		return scalar("string", rapid.Map(rapid.String(), func(v string) []byte { return msgp.AppendString(nil, strings.ToValidUTF8(v, "?")) }))
	case 2:
		return scalar("int64", rapid.Map(rapid.Int64(), func(v int64) []byte { return msgp.AppendInt64(nil, v) }))
	case 3:
		return scalar("uint64", rapid.Map(rapid.Uint64(), func(v uint64) []byte { return msgp.AppendUint64(nil, v) }))
	case 4:
		return scalar("float64", rapid.Map(rapid.Float64(), func(v float64) []byte { return msgp.AppendFloat64(nil, v) }))
	case 5:
		return scalar("float32", rapid.Map(rapid.Float32(), func(v float32) []byte { return msgp.AppendFloat32(nil, v) }))
	case 6:
		return scalar("bytes", rapid.Map(rapid.SliceOf(rapid.Byte()), func(v []byte) []byte { return msgp.AppendBytes(nil, v) }))
	case 7:
		return scalar("time", rapid.Custom(func(t *rapid.T) []byte {
			return codec.AppendTime(nil, time.Unix(rapid.Int64Range(-1<<35, 1<<37).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")))
		}))
	case 8:
		return scalar("duration", rapid.Map(rapid.Int64(), func(v int64) []byte { return msgp.AppendInt64(nil, v) }))
	case 9:
		return scalar("[2]byte", rapid.Just(msgp.AppendBytes(nil, []byte{1, 2})))
	case 10:
		return scalar("int8", rapid.Map(rapid.Int8(), func(v int8) []byte { return msgp.AppendInt64(nil, int64(v)) }))
	}
	text, elem := types(t, depth-1)
	null := rapid.Just(msgp.AppendNil(nil))
	switch choice {
	case 11:
		return "[]" + text, rapid.OneOf(null, rapid.Map(rapid.SliceOfN(elem, 0, 3), func(v [][]byte) []byte {
			return append(msgp.AppendArrayHeader(nil, uint32(len(v))), bytes.Join(v, nil)...)
		}))
	case 12:
		return "[2]" + text, rapid.Map(rapid.SliceOfN(elem, 2, 2), func(v [][]byte) []byte {
			return append(msgp.AppendArrayHeader(nil, 2), bytes.Join(v, nil)...)
		})
	case 13:
		return "map[" + text + "]bool", rapid.OneOf(null, rapid.Map(elem, func(v []byte) []byte {
			return msgp.AppendBool(append(msgp.AppendMapHeader(nil, 1), v...), true)
		}))
	case 14:
		if strings.HasPrefix(text, "*") || strings.HasPrefix(text, "[]") || strings.HasPrefix(text, "map") || text == "bytes" {
			return "*" + text, rapid.OneOf(null, rapid.Map(elem, func(v []byte) []byte {
				if msgp.IsNil(v) {
					return v // JSON has one null only
				}
				return append(msgp.AppendArrayHeader(nil, 1), v...)
			}))
		}
		return "*" + text, rapid.OneOf(null, elem)
	}
	other, second := types(t, depth-1)
	return "{A " + text + ", B " + other + "}", rapid.Custom(func(t *rapid.T) []byte {
		b := append(msgp.AppendArrayHeader(nil, 2), elem.Draw(t, "A")...)
		return append(b, second.Draw(t, "B")...)
	})
}

func TestEveryValueSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, values := types(t, 3)
		s, err := shape.Parse("(v " + text + ") ()")
		if err != nil {
			t.Fatal(err)
		}
		value := values.Draw(t, "value")
		if bytes.Contains(value, []byte{0x7f, 0xc0, 0, 0}) || strings.Contains(text, "map[") && strings.ContainsAny(text, "*") {
			return // another NaN, or a key that is a pointer
		}
		encoded := append(msgp.AppendArrayHeader(nil, 1), value...)
		shown, err := jsonvalue.Results(s.Params, encoded)
		if err != nil {
			t.Fatal(err)
		}
		again, err := jsonvalue.Arguments(s.Params, [][]byte{[]byte(`{"v":` + string(shown) + `}`)})
		if err != nil {
			t.Fatalf("%s: %s: %v", text, shown, err)
		}
		if !bytes.Equal(again, encoded) {
			t.Fatalf("%s: %s\nwas %s\nnow %s", text, shown, hex.EncodeToString(encoded), hex.EncodeToString(again))
		}
	})
}

func FuzzAnyJSONForAnyShape(f *testing.F) {
	f.Add(everything, []byte(`{"b":true}`))
	f.Add(`(a []int, m map[int]{X *int}) ([]int)`, []byte(`[[1],{"1":{"X":null}}]`))
	f.Add(`(T{A? T}) (U:*U)`, []byte(`[{}]`))
	f.Fuzz(func(t *testing.T, text string, input []byte) {
		s, err := shape.Parse(text)
		if err != nil {
			return
		}
		encoded, err := jsonvalue.Arguments(s.Params, [][]byte{input})
		if err == nil {
			if _, err := msgp.Skip(encoded); err != nil {
				t.Fatalf("%s: %s became % x: %v", text, input, encoded, err)
			}
			jsonvalue.Results(s.Params, encoded)
		}
		jsonvalue.Results(s.Results, input)
		for _, parsed := range [][]shape.Field{s.Params, s.Results} {
			if encoded, err := jsonvalue.ParseValues(parsed, input); err == nil {
				if _, err := msgp.Skip(encoded); err != nil {
					t.Fatalf("%s: %s became % x: %v", text, input, encoded, err)
				}
			}
			jsonvalue.ZeroValues(parsed)
		}
	})
}
