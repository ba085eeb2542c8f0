package shm

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// The words between dialer and listener; RING.md describes them.
const (
	// hello is the magic of the memory, with its version, and what makes servers
	// of other protocols answer at once instead of waiting for more: the end of
	// a request in text, and as many bytes as the header of a frame of tenon.
	hello      = magic + "\r\n\r\n\x00\x00\x00\x00"
	answerSize = len(magic) + 1
	maxReason  = 255
)

// hear reads the dialer's hello. A stranger's first bytes are enough to know it.
func hear(conn *net.UnixConn) error {
	var b [len(hello)]byte
	for _, part := range [][]byte{b[:len(magic)], b[len(magic):]} {
		if _, err := io.ReadFull(conn, part); err != nil {
			return fmt.Errorf("no hello: %w", err)
		}
		if err := checkMagic(b[:]); err != nil {
			return err
		}
	}
	return nil
}

func checkMagic(b []byte) error {
	last := len(magic) - 1
	if string(b[:last]) != magic[:last] {
		return errors.New("the other side does not speak the protocol of shm.Listen and shm.Dial")
	}
	if v := b[last]; v != magic[last] {
		return fmt.Errorf("the other side has version %d, this library knows %d: use the same release of tenon on both sides", v, magic[last])
	}
	return nil
}

// welcome answers with the memory.
func welcome(conn *net.UnixConn, memory *os.File) error {
	_, _, err := conn.WriteMsgUnix(append([]byte(magic), 0), unix.UnixRights(int(memory.Fd())), nil)
	return err
}

// refuse answers with a reason. Whether it arrives is the dialer's matter.
func refuse(conn *net.UnixConn, reason error) {
	text := reason.Error()
	text = text[:min(len(text), maxReason)]
	conn.Write(append(append([]byte(magic), byte(len(text))), text...))
}

// sayHello introduces this process and waits for the memory, or for the reason
// why there is none.
func sayHello(conn *net.UnixConn) (*os.File, error) {
	// A listener that refuses us does not read: its answer says why.
	_, failed := conn.Write([]byte(hello))
	answer := make([]byte, answerSize)
	memory, err := readWithFile(conn, answer)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	err = checkMagic(answer)
	if length := answer[len(magic)]; err == nil && length > 0 {
		reason := make([]byte, length)
		io.ReadFull(conn, reason)
		err = fmt.Errorf("the listener refused: %q", reason)
	}
	if err == nil && memory == nil {
		err = errors.New("the listener sent no memory")
	}
	if err != nil && memory != nil {
		memory.Close()
	}
	if err != nil {
		return nil, err
	}
	return memory, nil
}

// readWithFile fills b and returns the file that came with it, if any.
func readWithFile(conn *net.UnixConn, b []byte) (file *os.File, err error) {
	defer func() {
		if err != nil && file != nil {
			file.Close()
			file = nil
		}
	}()
	control, length := make([]byte, unix.CmsgSpace(4)), len(b)
	for len(b) > 0 {
		n, cn, flags, _, err := conn.ReadMsgUnix(b, control)
		received, more := filesOf(control[:cn])
		if file == nil && len(received) == 1 {
			file = received[0]
		} else if len(received) > 0 {
			more = true
			for _, f := range received {
				f.Close()
			}
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, unix.ECONNRESET) || err == nil && n == 0:
			if len(b) == length {
				return file, errors.New("the listener hung up without a word: it is none of shm.Listen, or has just ended")
			}
			return file, errors.New("the listener hung up: try again")
		case err != nil:
			return file, reason(err)
		case more || flags&unix.MSG_CTRUNC != 0:
			return file, errors.New("more descriptors came than the memory")
		}
		b = b[n:]
	}
	return file, nil
}

// filesOf returns the files in control, and whether there was anything else.
func filesOf(control []byte) (files []*os.File, odd bool) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, len(control) > 0
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		odd = odd || err != nil
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "shm-memory"))
		}
	}
	return files, odd
}
