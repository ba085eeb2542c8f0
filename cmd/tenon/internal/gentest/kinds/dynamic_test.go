package kinds

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/dynamic"
	"github.com/tenon-go/tenon/cmd/tenon/internal/jsonvalue"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/shape"
)

// What "tenon call" encodes by the shape, generated code decodes, and the other
// way round: a value in JSON comes back as it was.
func TestJSONPassesThroughGeneratedCode(t *testing.T) {
	srv := tenon.NewServer()
	RegisterKinds(srv, echo{})
	here, there := inproc.Pair()
	served := make(chan error)
	go func() { served <- srv.ServeLink(context.Background(), there) }()
	conn := tenon.NewConn(context.Background(), here, nil)
	defer func() {
		conn.Close()
		<-served
	}()
	offers, err := conn.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]tenon.Offer{}
	for _, o := range offers {
		named[strings.TrimPrefix(o.Name, "kinds.Kinds/")] = o
	}
	passes(t, conn, named["Numbers"], kindsAppendNumbers, values[Numbers]())
	passes(t, conn, named["Texts"], kindsAppendTexts, values[Texts]())
	passes(t, conn, named["Times"], kindsAppendTimes, rapid.Map(instants.Filter(written), func(i time.Time) Times { return Times{Time: i, Stamps: []time.Time{i, {}}} }))
	passes(t, conn, named["Collections"], kindsAppendCollections, values[Collections]())
	passes(t, conn, named["Pointers"], kindsAppendPointers, values[Pointers]())
	passes(t, conn, named["Nested"], kindsAppendNested, rapid.Custom(nested))
	passes(t, conn, named["Marshalers"], kindsAppendMarshalers, values[Marshalers]())
}

// written reports whether RFC 3339 has a form for an instant.
func written(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

func passes[T any](t *testing.T, conn *tenon.Conn, offer tenon.Offer, appendTo appender[T], values *rapid.Generator[T]) {
	s, err := shape.Parse(offer.Shape)
	if err != nil {
		t.Fatal(offer.Name, err)
	}
	t.Run(offer.Name, rapid.MakeCheck(func(t *rapid.T) {
		v := values.Draw(t, "v")
		sent, err := jsonvalue.Results(s.Params, append([]byte{0x91}, encode(t, appendTo, &v)...))
		if err != nil {
			t.Fatal(err)
		}
		method, err := dynamic.NewMethod(offer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := method.Call(context.Background(), conn, [][]byte{[]byte("[" + string(sent) + "]")}, dynamic.Talk{})
		if err != nil || string(got) != string(sent) {
			t.Fatalf("sent %s\ngot  %s, %v", sent, got, err)
		}
	}))
}
