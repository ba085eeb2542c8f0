// Mksamples writes the sample pictures of the thumbnails example into a folder:
//
//	go run ./examples/thumbnails/mksamples ./examples/thumbnails/samples
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/tenon-go/tenon/examples/thumbnails/internal/sample"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: mksamples DIR")
	}
	for _, s := range sample.All() {
		content, err := s.Bytes()
		if err != nil {
			log.Fatalf("make %s: %v", s.Name, err)
		}
		if err := os.WriteFile(filepath.Join(os.Args[1], s.Name), content, 0o644); err != nil {
			log.Fatal(err)
		}
		log.Printf("%8d  %s", len(content), s.Name)
	}
}
