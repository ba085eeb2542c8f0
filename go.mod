module github.com/tenon-go/tenon

go 1.26

require (
	github.com/tinylib/msgp v1.6.5
	golang.org/x/sys v0.50.0
)
