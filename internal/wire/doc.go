// Package wire knows the bytes that connections exchange: the frame header, the
// kinds, the bodies of control frames, and how a stream of chunks is cut into
// frames. It starts no goroutine and does no I/O.
//
// PROTOCOL.md describes the same for people and for other languages.
//
//  1. Whatever bytes come in, parsing returns an error or a valid frame: no
//     panic, no access outside, no allocation beyond the bytes that are there.
//  2. Frames returned by a [Splitter] point into the chunk it was given (or into
//     its own buffer when a frame was cut) and are valid until its next call.
//  3. Unknown kinds parse: who receives one may skip it.
package wire
