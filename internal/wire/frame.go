package wire

import (
	"encoding/binary"
	"fmt"
)

// Version is the version of the protocol, spoken in hello.
const Version = 1

const (
	// HeaderSize is the length of every frame's header.
	HeaderSize = 16
	// MaxFrame is the largest frame, header included. Larger messages are sent
	// in fragments, between which other frames may travel.
	MaxFrame = 64 << 10
)

// A Kind says what a frame is. The numbers are part of the protocol.
type Kind uint8

const (
	Hello       Kind = 1  // who I am, what I accept, which methods I serve
	Call        Kind = 2  // a call begins; Arg is the method's number
	Answer      Kind = 3  // the call succeeded; the results
	Error       Kind = 4  // the call failed
	Cancel      Kind = 5  // the caller gave up
	Fragment    Kind = 6  // the next part of a message whose first frame had More
	Item        Kind = 7  // Arg items of the stream at Port of a call
	End         Kind = 8  // no more items, and why if that is a fault
	Reset       Kind = 9  // send no more items
	Credit      Kind = 10 // Arg more bytes may be sent; so many items, u32, were taken
	Progress    Kind = 11 // how far the handler has come
	Ping        Kind = 12 // answer with Pong and the same Arg
	Pong        Kind = 13
	Announce    Kind = 14 // methods registered after hello
	Describe    Kind = 15 // what is the shape of method Arg?
	Description Kind = 16
	Bye         Kind = 17 // no more calls; Arg is the last accepted call id
	Function    Kind = 18 // a call of the function at Port of call Arg, which the receiver made
)

var kindNames = [...]string{
	Hello: "hello", Call: "call", Answer: "answer", Error: "error", Cancel: "cancel",
	Fragment: "fragment", Item: "item", End: "end", Reset: "reset", Credit: "credit",
	Progress: "progress", Ping: "ping", Pong: "pong", Announce: "announce",
	Describe: "describe", Description: "description", Bye: "bye", Function: "function",
}

func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Flags of a frame. The optional parts of a body stand at its beginning, in the
// order of their flags.
const (
	// More: fragments follow. The body of a first frame begins with the total
	// length of the body as u32, not counting that word.
	More uint8 = 1 << 0
	// HasDeadline: remaining time in nanoseconds, u64.
	HasDeadline uint8 = 1 << 1
	// Named: the method's fingerprint (u64) and name (u32 length, bytes)
	// instead of its number.
	Named uint8 = 1 << 2
	// HasMetadata: u32 length, then a MessagePack map.
	HasMetadata uint8 = 1 << 3
	// HasTarget: u32 length, then the name of the peer to forward to.
	HasTarget uint8 = 1 << 4
	// Refused: on an error, the handler did not start; a retry is safe.
	Refused uint8 = 1 << 5
	// Final: on a bye, the sender's last frame on this connection. What it
	// sends after it, beginning with a hello, belongs to the next one.
	Final uint8 = 1 << 6
	// Callee: the id is of a call that the receiver of this frame made. Without
	// it, of a call that its sender made.
	Callee uint8 = 1 << 7
)

// A Header is the fixed part of a frame: four little-endian u32 words.
//
//	word 0  size of the frame in bytes, header included
//	word 1  kind (bits 0-7), flags (8-15), port (16-31)
//	word 2  call id, 0 = the connection itself
//	word 3  argument, its meaning depends on the kind
type Header struct {
	Size  uint32
	Kind  Kind
	Flags uint8
	Port  uint16
	ID    uint32
	Arg   uint32
}

// Append appends h. Size may be filled in later by SetSize.
func (h Header) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, h.Size)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.Kind)|uint32(h.Flags)<<8|uint32(h.Port)<<16)
	b = binary.LittleEndian.AppendUint32(b, h.ID)
	return binary.LittleEndian.AppendUint32(b, h.Arg)
}

// SetSize writes the length of frame into its header.
func SetSize(frame []byte) {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)))
}

// SetID writes the call id into the header of frame.
func SetID(frame []byte, id uint32) { binary.LittleEndian.PutUint32(frame[8:], id) }

func parseHeader(b []byte) Header {
	word := binary.LittleEndian.Uint32(b[4:])
	return Header{
		Size: binary.LittleEndian.Uint32(b),
		Kind: Kind(word), Flags: uint8(word >> 8), Port: uint16(word >> 16),
		ID:  binary.LittleEndian.Uint32(b[8:]),
		Arg: binary.LittleEndian.Uint32(b[12:]),
	}
}

// A Frame is a header and the body behind it.
type Frame struct {
	Header
	Body []byte
}

func (f Frame) String() string {
	return fmt.Sprintf("%v id=%d flags=%#x port=%d arg=%d body=%d bytes", f.Kind, f.ID, f.Flags, f.Port, f.Arg, len(f.Body))
}

// After reports whether id a was given out after id b. Ids count up and wrap
// around; an id whose call is still open is skipped.
func After(a, b uint32) bool { return int32(a-b) > 0 }
