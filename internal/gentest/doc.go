// Package gentest holds a service whose generated code the tests and benchmarks
// of tenon share.
package gentest

//go:generate go run -C ../../cmd/tenon . gen github.com/tenon-go/tenon/internal/gentest
