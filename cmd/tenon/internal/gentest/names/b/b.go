// Package b has the name of a local variable of generated code.
package b

type Point struct{ X, Y int }

type Kind string

const Round Kind = "round"
