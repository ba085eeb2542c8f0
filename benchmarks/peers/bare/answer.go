package bare

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

// answer answers calls and writes when there is nothing more to read.
func answer(conn net.Conn) error {
	in := bufio.NewReaderSize(conn, bufferSize)
	var (
		header    [headerSize]byte
		args, out []byte
		local     contract.Local
		ctx       = context.Background()
	)
	for {
		if _, err := io.ReadFull(in, header[:]); err != nil {
			return err
		}
		size := int(binary.LittleEndian.Uint32(header[:])) - headerSize + 4
		if header[8] == opUpload {
			args = make([]byte, size) // belongs to the handler, as with everybody
		} else {
			args = resize(args, size)
		}
		if _, err := io.ReadFull(in, args); err != nil {
			return err
		}
		if header[8] >= opItems {
			d := decoder{rest: args}
			return answerStream(ctx, header[8], int(d.int()), in, conn)
		}
		frame := len(out)
		out = append(append(out, 0, 0, 0, 0), header[4:8]...)
		out = append(out, opAnswer)
		d := decoder{rest: args}
		switch header[8] {
		case opAdd:
			a, b := d.int(), d.int()
			sum, _ := local.Add(ctx, a, b)
			out = appendInt(out, sum)
		case opEcho:
			d.text = string(args)
			var user contract.User
			d.user(&user)
			user, _ = local.Echo(ctx, user)
			out = appendUser(out, &user)
		case opList:
			list, err := local.List(ctx, int(d.int()))
			if err != nil {
				return err
			}
			out = appendInt(out, int64(len(list)))
			for i := range list {
				out = appendUser(out, &list[i])
			}
		case opUpload:
			length, _ := local.Upload(ctx, args)
			out = appendInt(out, int64(length))
		}
		binary.LittleEndian.PutUint32(out[frame:], uint32(len(out)-frame-4))
		if in.Buffered() == 0 {
			if _, err := conn.Write(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
}
