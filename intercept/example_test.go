package intercept_test

import (
	"context"
	"expvar"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/intercept"
	"github.com/tenon-go/tenon/pool"
)

// One record for each call.
func ExampleLog() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{} // they differ from run to run
		}
		return a
	}}))
	conn, end := through(shop(echo, tenon.WithHandlerInterceptor(intercept.Log(log))))
	defer end()
	_, _ = order.Call(context.Background(), conn, "tea")
	// Output:
	// level=INFO msg="call served" method=shop.Shop/Order sent=4 received=4 code=ok
}

// Counters are an expvar, and can be read by the program itself.
func ExampleCounters() {
	var counters intercept.Counters
	expvar.Publish("shop", &counters)
	conn, end := through(shop(echo), tenon.WithCallInterceptor(counters.Intercept))
	defer end()
	for range 3 {
		_, _ = order.Call(context.Background(), conn, "tea")
	}
	for method, s := range counters.Snapshot() {
		fmt.Println(method, s.Calls, len(s.Failed), s.SentBytes, s.Latency.Quantile(0.99) > 0)
	}
	// Output:
	// shop.Shop/Order 3 0 12 true
}

// Around a pool, a call that is made again may reach another worker.
func ExampleRetry() {
	ctx := context.Background()
	workers, err := pool.New(ctx, 2, func(context.Context) (pool.Member, error) {
		return pool.Local(shop(echo)), nil // or worker.Start
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer workers.Close()
	patient := tenon.Intercept(workers, intercept.Retry(intercept.Policy{Attempts: 5, Pause: 20 * time.Millisecond}))
	fmt.Println(lookUp.Call(ctx, patient, "tea"))
	// Output: tea <nil>
}

// At most 64 handlers at once; who comes later is told to come back.
func ExampleLimit() {
	conn, end := through(shop(echo, tenon.WithHandlerInterceptor(intercept.Limit(64, intercept.Reject))))
	defer end()
	fmt.Println(order.Call(context.Background(), conn, "tea"))
	// Output: tea <nil>
}

// Everybody may look up; orders take a token.
func ExampleAccess() {
	rules := intercept.Access(
		intercept.Rule{Methods: "shop.Shop/*", Who: intercept.Anyone},
		intercept.Rule{Methods: "shop.Shop/Order", Who: intercept.Metadata("token", "ann's"), Name: "clerks only"},
	)
	conn, end := through(shop(echo, tenon.WithHandlerInterceptor(rules)))
	defer end()
	ctx := context.Background()
	fmt.Println(lookUp.Call(ctx, conn, "tea"))
	_, err := order.Call(ctx, conn, "tea")
	fmt.Println(err)
	fmt.Println(order.Call(tenon.WithMetadata(ctx, map[string]string{"token": "ann's"}), conn, "tea"))
	// Output:
	// tea <nil>
	// shop.Shop/Order: the rule "clerks only" does not let this caller pass
	// tea <nil>
}
