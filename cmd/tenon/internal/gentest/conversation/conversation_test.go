package conversation

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/geo"
	"github.com/tenon-go/tenon/inproc"
)

var errBoom = errors.New("boom")

// answer is what a call came to, however far away the other side was.
type answer struct {
	value any
	boom  bool // it failed, and the message says so
	err   string
}

func outcome(value any, err error) answer {
	switch {
	case err == nil:
		return answer{value: value}
	case strings.Contains(err.Error(), errBoom.Error()):
		return answer{value: value, boom: true}
	}
	return answer{value: value, err: err.Error()}
}

// both are two outcomes of one call.
type both struct{ first, second answer }

// What is said to the value and to the client, and what both must answer.
var said = map[string]struct {
	say  func(ctx context.Context, c Conversation) any
	want any
}{
	"stream out": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Count(ctx, 3)))
	}, answer{value: []int{0, 1, 2}}},
	"long stream out": {func(ctx context.Context, c Conversation) any {
		list, err := collect(c.Count(ctx, 100_000))
		return outcome(len(list), err)
	}, answer{value: 100_000}},
	"empty stream out": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Count(ctx, 0)))
	}, answer{value: []int(nil)}},
	"ranged over twice": {func(ctx context.Context, c Conversation) any {
		stream := c.Count(ctx, 2)
		return both{outcome(collect(stream)), outcome(collect(stream))}
	}, both{answer{value: []int{0, 1}}, answer{value: []int{0, 1}}}},
	"left early": {func(ctx context.Context, c Conversation) any {
		last := 0
		for n, err := range c.Count(ctx, 1<<40) {
			if last = n; err != nil || n == 1000 {
				break
			}
		}
		return last
	}, 1000},
	"error with its type": {func(ctx context.Context, c Conversation) any {
		_, err := collect(c.Count(ctx, -7))
		var number *NumberError
		errors.As(err, &number)
		return number
	}, &NumberError{-7}},

	"stream in": {func(ctx context.Context, c Conversation) any {
		return outcome(c.Sum(ctx, items(nil, 1, 2, 3)))
	}, answer{value: 6}},
	"stream in that fails": {func(ctx context.Context, c Conversation) any {
		_, err := c.Sum(ctx, items(errBoom, 1, 2, 3))
		return outcome(strings.Contains(err.Error(), "after 6"), err)
	}, answer{value: true, boom: true}},
	"stream in that nobody wants to the end": {func(ctx context.Context, c Conversation) any {
		return outcome(c.Sum(ctx, func(yield func(int, error) bool) {
			for n := 9; yield(n, nil); n = max(0, n-1) {
			}
		}))
	}, answer{value: 45}},

	"both": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Double(ctx, items(nil, Page{1, "a"}, Page{2, "b"}))))
	}, answer{value: []Page{{2, "aa"}, {4, "bb"}}}},
	"both, fails": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Double(ctx, items(errBoom, Page{1, "a"}))))
	}, answer{value: []Page{{2, "aa"}}, boom: true}},
	"several in": {func(ctx context.Context, c Conversation) any {
		return outcome(c.Zip(ctx, "-", items(nil, "a", "b"), true, items(nil, "c")))
	}, answer{value: "A-B-C"}},
	"several out": {func(ctx context.Context, c Conversation) any {
		even, odd := c.Split(ctx, items(nil, 1, 2, 3, 4))
		return both{outcome(collect(even)), outcome(collect(odd))}
	}, both{answer{value: []int{2, 4}}, answer{value: []int{1, 3}}}},
	"several out, fail": {func(ctx context.Context, c Conversation) any {
		even, odd := c.Split(ctx, items(errBoom, 2))
		return both{outcome(collect(even)), outcome(collect(odd))}
	}, both{answer{value: []int{2}, boom: true}, answer{value: []int(nil), boom: true}}},
	"without names": {func(ctx context.Context, c Conversation) any {
		numbers, texts := c.Unnamed(ctx, 10, items(nil, 1, 2, 3))
		return both{outcome(collect(numbers)), outcome(collect(texts))}
	}, both{answer{value: []int{20}}, answer{value: []string{"1", "3"}}}},

	"bytes": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Blocks(ctx, items(nil, []byte("abc"), []byte{}, nil, bytes.Repeat([]byte("x"), 1<<20)))))
	}, answer{value: [][]byte{[]byte("cba"), {}, nil, bytes.Repeat([]byte("x"), 1<<20)}}},
	"marshalers": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Marshaled(ctx, items(nil, netip.MustParseAddr("0.0.1.2"), netip.Addr{}))))
	}, answer{value: []*big.Int{big.NewInt(258), nil}}},
	"pointers and maps": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Pointers(ctx, items(nil, &Page{1, "a"}, nil))))
	}, answer{value: []map[string][]Page{{"a": {{1, "a"}}}, nil}}},

	"declared types": {func(ctx context.Context, c Conversation) any {
		seen := 0
		list, err := collectPages(c.Declared(ctx, Pages(items(nil, Page{1, "a"}, Page{2, "b"})), func(p Page) error {
			if seen += p.Number; seen == 3 {
				return errBoom
			}
			return nil
		}))
		return both{outcome(list, err), answer{value: seen}}
	}, both{answer{value: []Page{{1, "a"}}, boom: true}, answer{value: 3}}},
	"no function": {func(ctx context.Context, c Conversation) any {
		return both{
			outcome(collectPages(c.Declared(ctx, Pages(items(nil, Page{1, "a"})), nil))),
			answer{boom: c.Report(ctx, 1, nil) != nil},
		}
	}, both{answer{value: []Page{{1, "a"}}}, answer{boom: true}}},
	"aliases": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Aliased(ctx, items(nil, 1, 2), func(n int) error {
			if n == 2 {
				return errBoom
			}
			return nil
		})))
	}, answer{value: []int{1, -1}}},
	"types of other packages": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(iter.Seq2[geo.Point, error](c.Foreign(ctx, geo.Points(items(nil, geo.Point{Lat: 1, Lon: 2}))))))
	}, answer{value: []geo.Point{{Lat: 2, Lon: 1}}}},
	"types without a name": {func(ctx context.Context, c Conversation) any {
		return outcome(collect[int](c.Literal(ctx, items(nil, 1, 2))))
	}, answer{value: []int{1, 2}}},

	"function": {func(ctx context.Context, c Conversation) any {
		var all [][2]int
		err := c.Report(ctx, 3, func(done, total int) { all = append(all, [2]int{done, total}) })
		return outcome(all, err)
	}, answer{value: [][2]int{{1, 3}, {2, 3}, {3, 3}}}},
	"function with context and results": {func(ctx context.Context, c Conversation) any {
		return outcome(c.Ask(ctx, func(ctx context.Context, question string) (string, bool, error) {
			return question + " far", true, ctx.Err()
		}))
	}, answer{value: "how far? far true"}},
	"function that fails": {func(ctx context.Context, c Conversation) any {
		return outcome(c.Ask(ctx, func(context.Context, string) (string, bool, error) { return "", false, errBoom }))
	}, answer{value: "", boom: true}},
	"function with an error alone": {func(ctx context.Context, c Conversation) any {
		var seen []int
		err := c.Walk(ctx, func(p Page) error {
			if seen = append(seen, p.Number); p.Number == 2 {
				return errBoom
			}
			return nil
		})
		return outcome(seen, err)
	}, answer{value: []int{0, 1, 2}, boom: true}},
	"function with a slice and a pointer": {func(ctx context.Context, c Conversation) any {
		second, err := c.Choose(ctx, func(pages []Page) (*Page, error) { return &pages[1], nil })
		none, errNone := c.Choose(ctx, func([]Page) (*Page, error) { return nil, nil })
		return both{outcome(second, err), outcome(none, errNone)}
	}, both{answer{value: &Page{2, "b"}}, answer{value: (*Page)(nil)}}},
	"function called many times at once": {func(ctx context.Context, c Conversation) any {
		var told atomic.Int32
		err := c.Tell(ctx, func(context.Context) { told.Add(1) })
		return outcome(told.Load(), err)
	}, answer{value: int32(20)}},
	"function beside streams": {func(ctx context.Context, c Conversation) any {
		return outcome(collect(c.Both(ctx, items(nil, 1, 2, 3, 4), func(n int) (bool, error) { return n%2 == 0, nil })))
	}, answer{value: []int{2, 4}}},

	"checked arguments that are right": {func(ctx context.Context, c Conversation) any {
		return outcome(c.Check(ctx, Page{Number: 1}, nil, Range{1, 1}, Names{"a"}, map[string]Range{"not looked at": {2, 1}}))
	}, answer{value: 3}},
	"checked items that are right": {func(ctx context.Context, c Conversation) any {
		return outcome(c.CheckItems(ctx, items(nil, Range{1, 4}, Range{2, 3})))
	}, answer{value: 4}},
	"embedded methods": {func(ctx context.Context, c Conversation) any {
		point, err := c.Find(ctx, geo.Point{Lat: 1})
		return both{outcome(point, err), outcome(nil, c.Close(ctx, time.Now()))}
	}, both{answer{value: geo.Point{Lat: 1}}, answer{}}},
}

// connected returns the client of a value, over a connection that has ended when
// the test has.
func connected(t *testing.T, register func(*tenon.Server)) *tenon.Conn {
	srv := tenon.NewServer()
	register(srv)
	here, there := inproc.Pair()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- srv.ServeLink(ctx, there) }()
	conn := tenon.NewConn(ctx, here, nil)
	t.Cleanup(func() {
		conn.Close()
		cancel()
		<-served
	})
	return conn
}

func TestTheClientAnswersAsTheValueDoes(t *testing.T) {
	value := talk{make(chan string, 1)}
	conn := connected(t, func(srv *tenon.Server) { RegisterConversation(srv, value) })
	if err := CheckConversation(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	for name, s := range said {
		t.Run(name, func(t *testing.T) {
			for side, c := range map[string]Conversation{"value": value, "client": NewConversationClient(conn)} {
				if got := s.say(t.Context(), c); !reflect.DeepEqual(got, s.want) {
					t.Errorf("%s: got %+v, want %+v", side, got, s.want)
				}
			}
		})
	}
}

// awkward answers through names that generated code uses too.
type awkward struct{ Awkward }

func (awkward) Names(ctx context.Context, tenon, iter, codec, context, c, r int, stream iter.Seq2[int, error], fmt Pages, f func(ctx, caller, a, r, err int) (int, int, error)) (int, error) {
	items, err := collect(stream)
	pages, errPages := collectPages(fmt)
	first, second, errFunc := f(tenon, iter, codec, context, c)
	return len(items) + 10*len(pages) + 100*first + 1000*second + 10_000*r, errors.Join(err, errPages, errFunc)
}

func (awkward) Shadows(ctx context.Context, pages pages, p page) pages {
	return func(yield func(page, error) bool) {
		pages(func(q page, err error) bool { return yield(page{p.N + q.N}, err) })
	}
}

func TestNamesOfGeneratedCodeMayBeUsed(t *testing.T) {
	client := NewAwkwardClient(connected(t, func(srv *tenon.Server) { RegisterAwkward(srv, awkward{}) }))
	n, err := client.Names(t.Context(), 1, 2, 3, 4, 5, 6, items(nil, 0), Pages(items(nil, Page{}, Page{})), func(ctx, caller, a, r, err int) (int, int, error) {
		return ctx + caller, a + r - err, nil
	})
	if n != 1+20+300+2000+60_000 || err != nil {
		t.Error(n, err)
	}
	list, err := collect(iter.Seq2[page, error](client.Shadows(t.Context(), pages(items(nil, page{1})), page{2})))
	if len(list) != 1 || list[0].N != 3 || err != nil {
		t.Error(list, err)
	}
}

func TestNilIsAnEmptyStream(t *testing.T) {
	client := NewConversationClient(connected(t, func(srv *tenon.Server) { RegisterConversation(srv, talk{}) }))
	if sum, err := client.Sum(t.Context(), nil); sum != 0 || err != nil {
		t.Error(sum, err)
	}
	if list, err := collectPages(client.Declared(t.Context(), nil, nil)); list != nil || err != nil {
		t.Error(list, err)
	}
}

func TestOneWayCallsArrive(t *testing.T) {
	value := talk{make(chan string)}
	client := NewConversationClient(connected(t, func(srv *tenon.Server) {
		RegisterConversationPerConn(srv, func(*tenon.Conn) (Conversation, error) { return value, nil })
	}))
	client.Note(t.Context(), "in passing") // nobody takes it yet
	if noted := <-value.noted; noted != "in passing" {
		t.Errorf("got %q", noted)
	}
}

func TestArgumentsAreCheckedBeforeTheHandlerRuns(t *testing.T) {
	client := NewConversationClient(connected(t, func(srv *tenon.Server) { RegisterConversation(srv, talk{}) }))
	ctx := t.Context()
	for _, test := range []struct {
		page    Page
		pointer *Page
		span    Range
		names   Names
		want    string
	}{
		{page: Page{Number: -1}, want: "argument page: there is no page -1"},
		{pointer: &Page{Number: -2}, want: "argument pointer: there is no page -2"},
		{span: Range{2, 1}, want: "argument range_: it ends before it begins"},
		{names: Names{"a", "b", "c"}, want: "argument parameter 4: more than two names"},
	} {
		_, err := client.Check(ctx, test.page, test.pointer, test.span, test.names, nil)
		var e *tenon.Error
		if !errors.As(err, &e) || e.Code != tenon.InvalidArgument || !e.SafeToRetry || !strings.Contains(e.Message, test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
		var number *NumberError
		if about := strings.Contains(test.want, "there is no page"); errors.As(err, &number) != about {
			t.Errorf("%v: the cause is %v", err, number)
		}
	}
}

func TestItemsAreCheckedWhereTheyAreArguments(t *testing.T) {
	client := NewConversationClient(connected(t, func(srv *tenon.Server) { RegisterConversation(srv, talk{}) }))
	ctx := t.Context()
	_, err := client.CheckItems(ctx, items(nil, Range{1, 2}, Range{2, 1}))
	if err == nil || !strings.Contains(err.Error(), "item of ranges: it ends before it begins") {
		t.Errorf("items: %v", err)
	}
	// The handler's loop gets the error, with its type, and returns it.
	doubled, err := collect(client.Double(ctx, items(nil, Page{Number: 1}, Page{Number: -3})))
	var (
		number *NumberError
		e      *tenon.Error
	)
	if !errors.As(err, &number) || number.Number != -3 || !errors.As(err, &e) || e.Code != tenon.InvalidArgument || e.SafeToRetry || len(doubled) != 1 {
		t.Errorf("items of a type: %v, %v", doubled, err)
	}
	// What the handler gives a function is an argument, what comes back is none.
	list, err := collect(client.CheckAnswers(ctx, func(r Range) (Range, error) { return Range{r.To, r.From}, nil }))
	if err == nil || !strings.Contains(err.Error(), "it ends before it begins") || len(list) != 2 || list[0] != (Range{2, 1}) {
		t.Errorf("answers: %v, %v", list, err)
	}
}

func TestAStarterHasTheMethodsWithoutPorts(t *testing.T) {
	starter := NewConversationStarter(connected(t, func(srv *tenon.Server) { RegisterConversation(srv, talk{}) }))
	wait := starter.Get(t.Context(), "four")
	if page, err := wait(); page != (Page{4, "four"}) || err != nil {
		t.Error(page, err)
	}
	got := reflect.TypeFor[ConversationStarter]()
	var names []string
	for m := range got.Methods() {
		names = append(names, m.Name)
	}
	if want := []string{"Check", "Close", "Find", "Get"}; !reflect.DeepEqual(names, want) {
		t.Errorf("it has %v, want %v", names, want)
	}
}

func TestMethodsSayWhatTheyAre(t *testing.T) {
	for name, idempotent := range map[string]bool{
		"Get": conversationGet.Idempotent, "Close": conversationClose.Idempotent,
		"Find": conversationFind.Idempotent, "Check": !conversationCheck.Idempotent,
	} {
		if !idempotent {
			t.Errorf("%s is wrong about whether it may be called twice", name)
		}
	}
	if conversationSplit.Ports != 3 || conversationGet.Ports != 0 || !conversationNote.OneWay || conversationClose.OneWay {
		t.Error("ports or one-way methods are wrong")
	}
	if conversationReportReport.Name != "conversation.Conversation/Report.report" {
		t.Error(conversationReportReport.Name)
	}
}
