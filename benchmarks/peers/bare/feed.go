package bare

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"net"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

// A feed has a connection for each stream. After the frame of the call come those
// of the items, u32 length and values, as many as fit to a write; one of no length
// is the end.
type feed struct {
	dial func(context.Context) (net.Conn, error)
}

func (f feed) Items(ctx context.Context, n int) iter.Seq2[contract.Item, error] {
	return receive(ctx, f, opItems, n, decodeItem)
}

func (f feed) Users(ctx context.Context, n int) iter.Seq2[contract.User, error] {
	return receive(ctx, f, opUsers, n, decodeUser)
}

func (f feed) Pieces(ctx context.Context, n int) iter.Seq2[[]byte, error] {
	return receive(ctx, f, opPieces, n, decodePiece)
}

func (f feed) Collect(ctx context.Context, items iter.Seq2[contract.Item, error]) (int, error) {
	conn, out, err := f.call(ctx, opCollect, 0)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := sendItems(out, items); err != nil {
		return 0, err
	}
	var answer [8]byte
	_, err = io.ReadFull(conn, answer[:])
	return int(binary.LittleEndian.Uint64(answer[:])), err
}

func (f feed) Exchange(ctx context.Context, items iter.Seq2[contract.Item, error]) iter.Seq2[contract.Item, error] {
	return func(yield func(contract.Item, error) bool) {
		conn, out, err := f.call(ctx, opExchange, 0)
		if err != nil {
			yield(contract.Item{}, err)
			return
		}
		sent := make(chan error, 1)
		go func() { sent <- sendItems(out, items) }()
		readFrames(bufio.NewReaderSize(conn, bufferSize), decodeItem, yield)
		conn.Close()
		<-sent // a failure is the reader's too
	}
}

// call dials and begins the frame of a call; who has more to say flushes it.
func (f feed) call(ctx context.Context, method byte, n int) (net.Conn, *bufio.Writer, error) {
	conn, err := f.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	frame := []byte{headerSize - 4 + 8, 0, 0, 0, 0, 0, 0, 0, method}
	out := bufio.NewWriterSize(conn, bufferSize)
	_, err = out.Write(appendInt(frame, int64(n)))
	return conn, out, err
}

func receive[T any](ctx context.Context, f feed, method byte, n int, decode func([]byte) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		conn, out, err := f.call(ctx, method, n)
		if err == nil {
			defer conn.Close()
			err = out.Flush()
		}
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		readFrames(bufio.NewReaderSize(conn, bufferSize), decode, yield)
	}
}

// readFrames reads items until the end.
func readFrames[T any](in *bufio.Reader, decode func([]byte) T, yield func(T, error) bool) {
	var frame []byte
	for {
		var size [4]byte
		_, err := io.ReadFull(in, size[:])
		n := binary.LittleEndian.Uint32(size[:])
		if err == nil && n == 0 {
			return
		}
		frame = resize(frame, int(n))
		if err == nil {
			_, err = io.ReadFull(in, frame)
		}
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		if !yield(decode(frame), nil) {
			return
		}
	}
}

func writeFrames[T any](out *bufio.Writer, seq iter.Seq2[T, error], encode func([]byte, *T) []byte) error {
	var b []byte
	for v, err := range seq {
		if err != nil {
			return err
		}
		b = encode(append(b[:0], 0, 0, 0, 0), &v)
		binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	if _, err := out.Write(make([]byte, 4)); err != nil {
		return err
	}
	return out.Flush()
}

func sendItems(out *bufio.Writer, items iter.Seq2[contract.Item, error]) error {
	return writeFrames(out, items, appendItem)
}

// answerStream serves one stream.
func answerStream(ctx context.Context, method byte, n int, in *bufio.Reader, conn net.Conn) error {
	var local contract.Local
	out := bufio.NewWriterSize(conn, bufferSize)
	items := func(yield func(contract.Item, error) bool) { readFrames(in, decodeItem, yield) }
	switch method {
	case opItems:
		return sendItems(out, local.Items(ctx, n))
	case opUsers:
		return writeFrames(out, local.Users(ctx, n), appendUser)
	case opPieces:
		return writeFrames(out, local.Pieces(ctx, n), appendPiece)
	case opCollect:
		n, err := local.Collect(ctx, items)
		if err != nil {
			return err
		}
		_, err = conn.Write(appendInt(nil, int64(n)))
		return err
	case opExchange:
		return sendItems(out, local.Exchange(ctx, flushing(items, in, out)))
	}
	return fmt.Errorf("there is no method %d", method)
}

// flushing has what was written go out when there is nothing more to read.
func flushing(items iter.Seq2[contract.Item, error], in *bufio.Reader, out *bufio.Writer) iter.Seq2[contract.Item, error] {
	return func(yield func(contract.Item, error) bool) {
		for item, err := range items {
			if !yield(item, err) {
				return
			}
			if in.Buffered() == 0 {
				_ = out.Flush() // fails again at the end
			}
		}
	}
}

func appendItem(b []byte, item *contract.Item) []byte {
	return appendText(appendInt(b, item.ID), item.Name)
}

func decodeItem(b []byte) (item contract.Item) {
	d := decoder{rest: b, text: string(b)}
	item.ID = d.int()
	item.Name = d.string()
	return item
}

func decodeUser(b []byte) (user contract.User) {
	d := decoder{rest: b, text: string(b)}
	d.user(&user)
	return user
}

func appendPiece(b []byte, piece *[]byte) []byte { return append(b, *piece...) }

func decodePiece(b []byte) []byte { return append([]byte(nil), b...) }
