// Package intercept has interceptors ready for use: [Log], [Counters], [Retry],
// [Limit] and [Access].
//
//	counters := new(intercept.Counters)
//	srv := tenon.NewServer(
//		tenon.WithHandlerInterceptor(counters.Intercept),
//		tenon.WithHandlerInterceptor(intercept.Log(slog.Default())),
//		tenon.WithHandlerInterceptor(intercept.Limit(64)),
//	)
//
//	// around a pool, a retry may choose another worker
//	shop := shop.NewShopClient(tenon.Intercept(workers, intercept.Retry(intercept.Policy{})))
//
// # Where they run
//
// The first one given is the outermost. Log and Counters belong outside, where
// they see what the others refuse; Retry outside of Limit on the caller's side.
//
//   - tenon.WithHandlerInterceptor: around every handler of a connection, or of a
//     server's connections. The arguments are decoded inside of it.
//   - tenon.WithCallInterceptor: around every call over one connection. Options
//     of tenon.NewClient, and those that worker.Start takes with worker.Conn, are
//     such. A client or a pool that makes a call again goes through it again; what
//     fails before there is a connection does not.
//   - tenon.Intercept: around a call as a whole, whatever carries it out in
//     however many attempts, with the time that it waits for a free worker.
//
// # Guarantees
//
//  1. [Log] writes one record for each call, also of one whose handler panics,
//     with what it was, whom it was with, how long it took, what it moved, and how
//     it ended.
//  2. [Counters] count every call once, also one whose handler panics. Quantiles
//     are off by 7% at most.
//  3. [Retry] has a call made again only if its error says that no handler ran,
//     or if its method is idempotent; never one whose streams were begun
//     (tenon.CallInfo.Spent), and never when the call's context has ended or ends
//     before the pause does.
//  4. [Limit] never lets more calls run at once than it says. Those that wait are
//     served in the order of their arrival, and leave when their contexts end.
//  5. [Access] lets no call through that no rule allows. It decides before the
//     arguments are decoded.
//  6. Calls that Limit and Access refuse have run no handler, and their errors say
//     that they are safe to retry, on either side.
//
// All of them may be used for many connections at once and from many goroutines.
package intercept
