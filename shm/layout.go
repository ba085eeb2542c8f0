package shm

import (
	"encoding/binary"
	"fmt"

	"github.com/tenon-go/tenon/ring"
)

// The memory: a header, the ring from the creator to the other side, and the
// ring back. Each starts at a multiple of block. RING.md describes it.
const (
	block   = 4096
	magic   = "TNSHM\x00\x00\x01" // the last byte is the version
	sizeAt  = 8                   // u32: bytes per direction
	minSize = block + 2*(block+ring.MinCapacity)
)

// span is the room that one ring takes.
func span(size int) int { return (ring.MemorySize(size) + block - 1) / block * block }

// memorySize is the length of the whole memory.
func memorySize(size int) int { return block + 2*span(size) }

// format makes mem a link's memory without content.
func format(mem []byte, size int) error {
	copy(mem, magic)
	binary.LittleEndian.PutUint32(mem[sizeAt:], uint32(size))
	there, back := rings(mem, size)
	if err := ring.Format(there); err != nil {
		return err
	}
	return ring.Format(back)
}

// sizeOf reads and checks the header of mem.
func sizeOf(mem []byte) (int, error) {
	if len(mem) < minSize || string(mem[:7]) != magic[:7] {
		return 0, fmt.Errorf("shm: this is not the memory of a link: pass the two files of shm.Peer in their order")
	}
	if v := mem[7]; v != magic[7] {
		return 0, fmt.Errorf("shm: the memory has version %d, this library knows %d: use the same release of tenon on both sides", v, magic[7])
	}
	size := int64(binary.LittleEndian.Uint32(mem[sizeAt:]))
	if size < ring.MinCapacity || size > ring.MaxCapacity || size&(size-1) != 0 || int64(memorySize(int(size))) != int64(len(mem)) {
		return 0, fmt.Errorf("shm: the header says %d bytes per direction, which does not fit a memory of %d bytes", size, len(mem))
	}
	return int(size), nil
}

func rings(mem []byte, size int) (there, back []byte) {
	n := ring.MemorySize(size)
	second := block + span(size)
	return mem[block : block+n], mem[second : second+n]
}
