package signature_test

import (
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/signature"
)

func TestServicesAreWrittenLikeGoWithEachTypeOnce(t *testing.T) {
	services, err := signature.Services([]tenon.Offer{
		{Name: "geo.Map/At", Shape: `(p Point{X float64, Y float64}, at time) ([]Point, *Name:string{A="a"})`},
		{Name: "geo.Map/Near", Shape: `(p Point{X float64, Y float64}, q b.Point{N int}, r b.Point#2{M int}) (n int, err bytes)`},
		{Name: "geo.Map/Ping", Shape: `() ()`},
		{Name: "geo.Map/Tree", Shape: `(t Tree{Kids []Tree, By map[Level:int{Low=-1, High=2}]*Tree, Old<Older? int, In {A int}, Wait duration}) (f Forest:[]Forest)`},
		{Name: "geo.Map/Walk", Shape: `(from Point{X float64, Y float64}, via stream Stop{At time}, n int, visit func(s Stop, int) (bool), done func() ()) (stream Leg{To Stop})`},
		{Name: "geo.Map/Watch", Shape: `(func(int) (n int, ok bool), stream bytes) (a stream []int, n int, b stream string)`},
		{Name: "web.Map/At", Shape: `(p Point{Lat float32}, b.Point{M int}, a netip.Addr:text, k Key:binary, e Empty{}) ([2]byte)`},
		{Name: "web.Map/By", Shape: `(p b.Point{N int}) (b.Point)`},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := signature.Write(&got, services); err != nil {
		t.Fatal(err)
	}
	const want = `geo.Map
  At(p Point, at time.Time) ([]Point, *Name)
  Near(p Point, q b.Point, r b.Point#2) (n int, err []byte)
  Ping()
  Tree(t Tree) (f Forest)
  Walk(from Point, via iter.Seq2[Stop, error], n int, visit func(s Stop, int) bool, done func()) iter.Seq2[Leg, error]
  Watch(func(int) (n int, ok bool), iter.Seq2[[]byte, error]) (a iter.Seq2[[]int, error], n int, b iter.Seq2[string, error])

  type Point struct {
      X float64
      Y float64
  }

  type Name string // A = "a"

  type b.Point struct {
      N int
  }

  type b.Point#2 struct {
      M int
  }

  type Tree struct {
      Kids []Tree
      By   map[Level]*Tree
      Old  int // was Older, optional
      In   struct{ A int }
      Wait time.Duration
  }

  type Level int // Low = -1, High = 2

  type Forest []Forest

  type Stop struct {
      At time.Time
  }

  type Leg struct {
      To Stop
  }

web.Map
  At(p Point, b.Point, a netip.Addr, k Key, e Empty) [2]byte
  By(p b.Point#2) b.Point#2

  type Point struct {
      Lat float32
  }

  type b.Point struct {
      M int
  }

  type netip.Addr string // as its MarshalText writes it

  type Key []byte // as its MarshalBinary writes it

  type Empty struct{}

  type b.Point#2 struct {
      N int
  }
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}

func TestShapesThatCannotBeReadNameTheMethod(t *testing.T) {
	_, err := signature.Services([]tenon.Offer{{Name: "a.B/C", Shape: "(x Unknown) ()"}})
	if err == nil || !strings.HasPrefix(err.Error(), "a.B/C: ") {
		t.Error(err)
	}
}
