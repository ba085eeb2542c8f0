// Package codec has the name of a package that generated code imports.
package codec

type Point struct{ Z float32 }
