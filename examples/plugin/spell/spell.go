// Package spell is the contract between the host and its plugins: both import
// it, and nothing else of each other.
package spell

import "context"

//go:generate go tool tenon gen

// A Mistake is a word that a checker does not know.
type Mistake struct {
	Word    string
	Instead string // empty when the checker has no idea
}

// Checker is what a plugin offers.
//
//tenon:service
type Checker interface {
	// Language names what the plugin checks.
	Language(ctx context.Context) (string, error)

	// Check returns the mistakes in a text, in the order in which they come.
	Check(ctx context.Context, text string) ([]Mistake, error)
}

// Dictionary is what the host offers to its plugins: the words that this user
// has added.
//
//tenon:service
type Dictionary interface {
	Knows(ctx context.Context, word string) (bool, error)
}
