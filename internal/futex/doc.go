// Package futex lets a goroutine sleep on a 32-bit word until somebody else,
// perhaps in another process, wakes it.
//
// On Linux the word may lie in memory that several processes map: the calls are
// FUTEX_WAIT and FUTEX_WAKE without the private flag. Elsewhere [Shared] is
// false and only goroutines of one process that use the same address meet.
package futex
