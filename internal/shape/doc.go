// Package shape reads the canonical text of a method's parameters and results
// and compares two of them by the rules that PROTOCOL.md states: what one side
// sends, the other must be able to read without losing anything silently.
//
//  1. Parse of any text returns an error or a shape; it does not panic, and its
//     depth and size are bounded.
//  2. Compare names the place and both types of the first difference.
//  3. What a caller has and the callee does not know is a [Surplus]; it may be
//     sent as long as it is zero or optional, which [Agreement.Check] finds out
//     from the encoded bytes.
//  4. Streams and functions are [Port]s, numbered from 1, and no elements of the
//     arguments or results.
package shape
