package main

import (
	"context"
	"os"
	"unsafe"
)

//go:generate go tool tenon gen

// Trouble is a contract whose methods all end badly, but for the first.
//
//tenon:service
type Trouble interface {
	// Hello returns the number of the process that answers.
	Hello(ctx context.Context) (int, error)

	NilPointer(ctx context.Context) error
	WildPointer(ctx context.Context) error
	Memory(ctx context.Context) error
	Exit(ctx context.Context) error
	Races(ctx context.Context) error
	Loops(ctx context.Context) error
}

// trouble is an implementation that deserves a process of its own.
type trouble struct{}

func (trouble) Hello(context.Context) (int, error) { return os.Getpid(), nil }

func (trouble) NilPointer(context.Context) error {
	var t *struct{ next *int }
	*t.next = 1
	return nil
}

// WildPointer reads where a wrong computation, or a C library, would have read.
func (trouble) WildPointer(context.Context) error {
	here := new(int)
	wild := (*int)(unsafe.Add(unsafe.Pointer(here), 1<<42))
	*here = *wild
	return nil
}

func (trouble) Memory(context.Context) error {
	var kept [][]byte
	for {
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = byte(len(kept))
		}
		kept = append(kept, block)
	}
}

func (trouble) Exit(context.Context) error {
	os.Exit(3)
	return nil
}

// Races writes to a map from two goroutines, which ends a Go program for good.
func (trouble) Races(context.Context) error {
	m := map[int]int{}
	for range 8 {
		go func() {
			for i := 0; ; i++ {
				m[i&7]++
			}
		}()
	}
	select {}
}

// Loops heeds nobody.
func (trouble) Loops(context.Context) error {
	for x := 0; ; x++ {
	}
}
