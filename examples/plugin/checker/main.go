// Checker is a plugin: a program of its own, which a host starts.
package main

import (
	"context"
	"log"
	"strings"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/examples/plugin/spell"
	"github.com/tenon-go/tenon/worker"
)

var words = strings.Fields("a and brown dog fox jumps lazy over quick the")

var typos = map[string]string{"brwon": "brown", "teh": "the", "qiuck": "quick"}

type checker struct{}

func (checker) Language(context.Context) (string, error) { return "English", nil }

func (checker) Check(ctx context.Context, text string) ([]spell.Mistake, error) {
	known := make(map[string]bool)
	for _, w := range words {
		known[w] = true
	}
	user := spell.NewDictionaryClient(tenon.ConnFrom(ctx)) // calls the host back
	var mistakes []spell.Mistake
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if known[word] {
			continue
		}
		theirs, err := user.Knows(ctx, word)
		if err != nil {
			return nil, err
		}
		if !theirs {
			mistakes = append(mistakes, spell.Mistake{Word: word, Instead: typos[word]})
		}
	}
	return mistakes, nil
}

func main() {
	// What a plugin prints is no danger to the connection: the host gets it line
	// by line, with the plugin's name in front.
	log.SetFlags(0)
	log.Print("I know ", len(words), " words")

	srv := tenon.NewServer()
	spell.RegisterChecker(srv, checker{})
	if err := worker.Serve(context.Background(), srv); err != nil {
		log.Fatal(err)
	}
}
