// Package leak finds goroutines, descriptors and child processes that a test
// has left behind.
//
//	func TestX(t *testing.T) {
//		leak.Check(t) // first: it looks when everything after it has been cleaned up
//		...
//	}
//
//	func TestMain(m *testing.M) { os.Exit(leak.Main(m)) }
//
// Guarantees
//
//  1. What existed before is never reported; what ends within Patience is not
//     either.
//  2. A report names each thing: the goroutine with its stack, the descriptor
//     with what it refers to, the child with its command line.
//
// Descriptors and children are counted where the system lists them (Linux;
// descriptors also on macOS), goroutines everywhere. A check cannot tell tests
// apart that run in parallel: use it in tests that do not, or in Main.
package leak
