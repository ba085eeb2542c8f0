package ring

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// Sizes of a ring. The capacity is a power of two.
const (
	HeaderSize  = 640 // bytes before the data
	MinCapacity = 4 << 10
	MaxCapacity = 1 << 30
)

const (
	magic   = 'T' | 'R'<<8 | 'N'<<16 | 'G'<<24
	version = 1

	recordHeader = 8
	kindData     = 1
	kindPadding  = 2
)

// A header lies at the start of the memory. Lines that different sides write
// are 128 bytes apart, because processors fetch lines of 64 bytes in pairs.
// RING.md describes every word.
type header struct {
	magic    atomic.Uint32
	version  atomic.Uint32
	capacity atomic.Uint32
	_        [128 - 12]byte

	// The writer's line. The reader writes its two words rarely, and the writer
	// finds them where it has just published.
	head         atomic.Uint32 // writer: bytes published since the beginning, modulo 2^32
	readerSleeps atomic.Uint32 // reader: where it sleeps; whoever wakes it: awake
	readerClosed atomic.Uint32 // reader: 1 at its end
	writerClosed atomic.Uint32 // writer: 1 at its end
	_            [128 - 16]byte

	// The reader's line.
	tail         atomic.Uint32 // reader: bytes given back since the beginning, modulo 2^32
	writerSleeps atomic.Uint32 // writer: where it sleeps; whoever wakes it: awake
	_            [128 - 8]byte

	readerWake atomic.Uint32 // counts the wake-ups of the reader, who sleeps on it
	_          [128 - 4]byte
	writerWake atomic.Uint32
	_          [128 - 4]byte
}

// MemorySize returns how many bytes a ring of the given capacity needs. The
// capacity is rounded up to a power of two, MinCapacity at least, so that Format
// takes memory of this size if the capacity is not above MaxCapacity.
func MemorySize(capacity int) int {
	if capacity > MaxCapacity {
		return HeaderSize + capacity
	}
	rounded := MinCapacity
	for rounded < capacity {
		rounded *= 2
	}
	return HeaderSize + rounded
}

// Alloc returns ordinary memory with an empty ring in it, for two goroutines.
// The capacity is rounded up like that of MemorySize.
func Alloc(capacity int) ([]byte, error) {
	if capacity < 1 || capacity > MaxCapacity {
		return nil, fmt.Errorf("ring: capacity %d: want 1 to %d bytes", capacity, MaxCapacity)
	}
	size := MemorySize(capacity)
	mem := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8)))), size)
	return mem, Format(mem)
}

// Format makes mem an empty ring. Its length must be MemorySize of a power of
// two and its address a multiple of 8. Nobody may use the memory as a ring
// meanwhile.
func Format(mem []byte) error {
	h, err := headerOf(mem)
	if err != nil {
		return err
	}
	clear(mem[:HeaderSize])
	h.capacity.Store(uint32(len(mem) - HeaderSize))
	h.version.Store(version)
	h.magic.Store(magic)
	return nil
}

// open checks that mem holds a ring and returns its two parts.
func open(mem []byte) (*header, []byte, error) {
	h, err := headerOf(mem)
	if err != nil {
		return nil, nil, err
	}
	if m := h.magic.Load(); m != magic {
		return nil, nil, fmt.Errorf("ring: the memory holds no ring (magic %#08x): Format it first", m)
	}
	if v := h.version.Load(); v != version {
		return nil, nil, fmt.Errorf("ring: the memory holds a ring of version %d, this library knows %d: use the same release of tenon on both sides", v, version)
	}
	if c := h.capacity.Load(); int64(c) != int64(len(mem)-HeaderSize) {
		return nil, nil, fmt.Errorf("ring: the header says capacity %d, but the memory has room for %d", c, len(mem)-HeaderSize)
	}
	return h, mem[HeaderSize:], nil
}

func headerOf(mem []byte) (*header, error) {
	capacity := len(mem) - HeaderSize
	if capacity < MinCapacity || capacity > MaxCapacity || capacity&(capacity-1) != 0 {
		return nil, fmt.Errorf("ring: %d bytes of memory: want %d plus a power of two from %d to %d", len(mem), HeaderSize, MinCapacity, MaxCapacity)
	}
	start := unsafe.Pointer(unsafe.SliceData(mem))
	if uintptr(start)%8 != 0 {
		return nil, errors.New("ring: the memory must start at a multiple of 8 bytes: use Alloc, mapped memory, or a slice of []uint64")
	}
	if one := uint32(1); *(*byte)(unsafe.Pointer(&one)) != 1 {
		return nil, errors.New("ring: needs a little-endian processor")
	}
	return (*header)(start), nil
}

// recordSize is the room that a message of n bytes takes.
func recordSize(n uint64) uint64 { return recordHeader + (n+7)&^7 }
