// Package kinds uses every kind of value that can travel, in as many places as
// possible.
package kinds

import (
	"context"
	"math/big"
	"net/netip"
	"net/url"
	"time"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/geo"
)

//go:generate go run github.com/tenon-go/tenon/cmd/tenon gen

// Kinds has one method per group of kinds.
//
//tenon:service
type Kinds interface {
	Numbers(ctx context.Context, v Numbers) (Numbers, error)
	Texts(ctx context.Context, v Texts) (Texts, error)
	Times(ctx context.Context, v Times) (Times, error)
	Collections(ctx context.Context, v Collections) (Collections, error)
	Pointers(ctx context.Context, v Pointers) (Pointers, error)
	Nested(ctx context.Context, v Nested) (Nested, error)
	Marshalers(ctx context.Context, v Marshalers) (Marshalers, error)
	Recursive(ctx context.Context, tree Tree, list *List, forest Forest) (Tree, error)
	Foreign(ctx context.Context, v Foreign) (geo.Track, error)
	Large(ctx context.Context, list []Large, pointers []*Large, byNumber map[int]Large) error
	Signatures
}

// Signatures has methods whose parameters and results are the interesting part.
type Signatures interface {
	Nothing(ctx context.Context) error
	Unnamed(context.Context, int, string) (int, string, error)
	Named(ctx context.Context, a, b int) (sum int, difference int, err error)
	Blank(_ context.Context, _ int, _ string) (_ bool, _ error)
	Variadic(ctx context.Context, names ...string) ([]string, error)
	VariadicBytes(ctx context.Context, data ...byte) (int, error)
	// Awkward has names that generated code uses itself.
	Awkward(ctx context.Context, c, r, err, b, d, e, v, tenon, codec, string int) (x int, i int, _ error)
	Collide(c context.Context, ctx int, kindsCollide int) (err int, r error)
}

type (
	Level    int
	Mode     string
	Flags    uint16
	Raw      []byte
	Names    []string
	Digest   [4]byte
	Scores   map[string]float64
	OtherInt = int64 // an alias
)

const (
	Low, High     Level = -1, 7
	Fast          Mode  = "fast"
	Slow          Mode  = "slow \"quoted\""
	FlagA         Flags = 1
	FlagB               = FlagA << 15
	hiddenFlag    Flags = 2
	unrelatedType       = 5
)

type Numbers struct {
	Bool    bool
	Int     int
	Int8    int8
	Int16   int16
	Int32   int32
	Int64   int64
	Uint    uint
	Uint8   uint8
	Uint16  uint16
	Uint32  uint32
	Uint64  uint64
	Uintptr uintptr
	Byte    byte
	Rune    rune
	Float32 float32
	Float64 float64
	Level   Level
	Flags   Flags
	Alias   OtherInt
}

type Texts struct {
	String string
	Mode   Mode
	Bytes  []byte
	Raw    Raw
	Array  [3]byte
	Digest Digest
	Empty  [0]byte
}

type Times struct {
	Time     time.Time
	Duration time.Duration
	Stamps   []time.Time
	ByTime   map[time.Duration]*time.Time
}

type Collections struct {
	Strings   []string
	Names     Names
	Matrix    [][]int
	Levels    []Level
	Chunks    [][]byte
	Empties   []struct{}
	Array     [2]string
	Grid      [2][3]int8
	Map       map[string]int
	Scores    Scores
	ByArray   map[[2]int]string
	ByStruct  map[geo.Point]bool
	ByLevel   map[Level][]string
	ByDigest  map[Digest]string
	MapOfMaps map[int]map[bool]float32
}

type Pointers struct {
	Int      *int
	Struct   *geo.Point
	String   *string
	Bytes    *[]byte
	Slice    *[]int
	Map      *map[string]int
	Pointer  **int
	Array    *[2]int
	Pointers []*int
	Mode     *Mode
}

type Base struct {
	ID   int64
	Note string
}

type Nested struct {
	Base
	*geo.Point
	Inner struct {
		A int
		B struct{ C string }
	}
	Page    Page[Base]
	Pair    geo.Pair[string, []Base]
	Ignored func() `tenon:"-"`
	hidden  int    `tenon:"-"`
	_       int
	Renamed int `tenon:"was=Old"`
	Maybe   int `tenon:",optional"`
	Both    int `tenon:"was=Older,optional"`
	Nothing struct{}
}

type Page[T any] struct {
	Items []T
	Next  *Page[T]
}

type Marshalers struct {
	Addr    netip.Addr
	Number  *big.Int
	Addrs   []netip.Addr
	ByAddr  map[netip.Addr]netip.Prefix
	URL     *url.URL
	Version Version
	// Wrapped has the promoted methods of netip.Addr; its own field must
	// travel nevertheless.
	Wrapped Wrapped
}

// Version has both pairs of methods: text comes first.
type Version struct{ major, minor int }

type Wrapped struct {
	netip.Addr
	Zone string
}

type Tree struct {
	Name     string
	Children []Tree
	ByName   map[string]*Tree
}

type List struct {
	Value int
	Next  *List
}

type Forest []Forest

type Foreign struct {
	Track  geo.Track
	Side   geo.Side
	Points map[string]geo.Point
	Pair   geo.Pair[geo.Side, *geo.Point]
}

// Large is one byte on the wire if it comes from a peer that knows no field.
type Large struct {
	Local [1 << 12]int64 `tenon:"-"`
	N     int
}
