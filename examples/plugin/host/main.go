// Host checks the spelling of a text with a plugin, which it starts.
//
//	go build -o /tmp/checker ./examples/plugin/checker
//	go run ./examples/plugin/host /tmp/checker "teh quick brwon gopher"
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/examples/plugin/spell"
	"github.com/tenon-go/tenon/worker"
)

// dictionary is what the host serves to the plugin.
type dictionary map[string]bool

func (d dictionary) Knows(_ context.Context, word string) (bool, error) { return d[word], nil }

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: host PLUGIN TEXT...")
		os.Exit(2)
	}
	if err := check(context.Background(), os.Args[1], strings.Join(os.Args[2:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		os.Exit(1)
	}
}

func check(ctx context.Context, plugin, text string) error {
	back := tenon.NewServer()
	spell.RegisterDictionary(back, dictionary{"gopher": true})

	w, err := worker.Start(ctx, worker.Program(plugin), worker.Back(back), worker.MemoryLimit(256<<20))
	if err != nil {
		return err
	}
	defer w.Close()
	// A plugin that was built for another contract is found out here, with the
	// names of the methods and fields that do not fit.
	if err := spell.CheckChecker(ctx, w); err != nil {
		return err
	}

	checker := spell.NewCheckerClient(w)
	language, err := checker.Language(ctx)
	if err != nil {
		return err
	}
	mistakes, err := checker.Check(ctx, text)
	if err != nil {
		return err
	}
	fmt.Printf("%s, checked by %v:\n", language, w)
	for _, m := range mistakes {
		fmt.Printf("  %s -> %s\n", m.Word, m.Instead)
	}
	if len(mistakes) == 0 {
		fmt.Println("  no mistakes")
	}
	return nil
}
