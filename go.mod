module github.com/tenon-go/tenon

go 1.26.0

require (
	github.com/tinylib/msgp v1.6.5
	golang.org/x/sys v0.50.0
)

require github.com/philhofer/fwd v1.2.0 // indirect
