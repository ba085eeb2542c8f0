package sample

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
)

// bomb is a picture of 30,000 by 30,000 pixels.
func bomb(Sample) ([]byte, error) { return bombOf(30_000) }

// bombOf writes a PNG that is small on disk and enormous in memory. Its pixels
// are one bit each and all alike, which compresses a thousandfold; one shade of
// grey is declared transparent, so that a decoder has to give every pixel four
// bytes - 3.6 GB - and to write them all.
func bombOf(side uint32) ([]byte, error) {
	var pixels bytes.Buffer
	pack, err := zlib.NewWriterLevel(&pixels, zlib.BestCompression)
	if err != nil {
		return nil, err
	}
	row := make([]byte, 1+(side+7)/8) // the filter's number, then the pixels
	for range side {
		if _, err := pack.Write(row); err != nil {
			return nil, err
		}
	}
	if err := pack.Close(); err != nil {
		return nil, err
	}
	header := binary.BigEndian.AppendUint32(nil, side)
	header = binary.BigEndian.AppendUint32(header, side)
	header = append(header, 1, 0, 0, 0, 0) // one bit of grey; usual compression and filters; not interlaced

	out := []byte("\x89PNG\r\n\x1a\n")
	out = appendChunk(out, "IHDR", header)
	out = appendChunk(out, "tRNS", []byte{0, 1}) // white is transparent
	out = appendChunk(out, "IDAT", pixels.Bytes())
	return appendChunk(out, "IEND", nil), nil
}

func appendChunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	checked := len(out)
	out = append(out, kind...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[checked:]))
}
