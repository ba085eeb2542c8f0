package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/tenon-go/tenon/ring"
)

// This program runs again as the writing process, with the work in a variable
// and the memory as descriptor 3.
const writerVariable = "TENON_BENCHMARKS_RING_WRITER"

func tenonRings() []yardstick {
	list := []yardstick{
		{name: "tenon", about: "ring, Write and a copy out", kind: "ours"},
		{name: "tenon in place", about: "ring, Reserve and Commit, read where it lies", kind: "ours"},
	}
	for i := range list {
		inPlace := i == 1
		list[i].missing = sharingMissing
		list[i].measure = func(ctx context.Context, w work) (time.Duration, error) {
			return readFromProcess(ctx, w, inPlace)
		}
	}
	return list
}

func readFromProcess(ctx context.Context, w work, inPlace bool) (took time.Duration, err error) {
	file, err := shareMemory(ring.MemorySize(capacity))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	mem, unmap, err := mapMemory(file, ring.MemorySize(capacity))
	if err != nil {
		return 0, err
	}
	defer unmap()
	if err := ring.Format(mem); err != nil {
		return 0, err
	}
	r, err := ring.NewReader(mem)
	if err != nil {
		return 0, err
	}
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), writerVariable+"="+fmt.Sprint(w.total(), w.size, inPlace))
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{file}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	exited := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		if err != nil {
			r.End(fmt.Errorf("the writing process: %w", err))
		}
		exited <- err
	}()
	took, err = readAll(ctx, r, w, inPlace)
	r.Close() // a writer that is not done learns that it can stop
	if ended := <-exited; err == nil {
		err = ended
	}
	return took, err
}

func readAll(ctx context.Context, r *ring.Reader, w work, inPlace bool) (time.Duration, error) {
	buf := make([]byte, w.size)
	took, err := timed(w, func(number int) error {
		p, err := r.Read(ctx)
		if err != nil {
			return err
		}
		if !inPlace {
			p = buf[:copy(buf, p)]
		}
		return check(p, w.size, number)
	})
	if err != nil {
		return 0, err
	}
	if p, err := r.Read(ctx); err != io.EOF {
		return 0, fmt.Errorf("after the last message came %d bytes, error %v", len(p), err)
	}
	return took, nil
}

// writeFor is the writing process.
func writeFor(order string) error {
	var total, size int
	var inPlace bool
	if _, err := fmt.Sscan(order, &total, &size, &inPlace); err != nil {
		return err
	}
	mem, unmap, err := mapMemory(os.NewFile(3, "ring"), ring.MemorySize(capacity))
	if err != nil {
		return err
	}
	defer unmap()
	w, err := ring.NewWriter(mem)
	if err != nil {
		return err
	}
	write := writeCopied
	if inPlace {
		write = writeInPlace
	}
	ctx, src := context.Background(), make([]byte, size)
	for number := range total {
		if err := write(ctx, w, src, number); err != nil {
			return err
		}
		if number%batch == batch-1 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return w.Close()
}

func writeCopied(ctx context.Context, w *ring.Writer, src []byte, number int) error {
	stamp(src, number)
	return w.Write(ctx, src)
}

func writeInPlace(ctx context.Context, w *ring.Writer, src []byte, number int) error {
	p := w.Reserve(len(src))
	for p == nil {
		if err := w.Wait(ctx, len(src)); err != nil {
			return err
		}
		p = w.Reserve(len(src))
	}
	p = p[:len(src)]
	stamp(p, number)
	return w.Commit(p)
}
