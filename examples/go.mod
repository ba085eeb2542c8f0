module github.com/tenon-go/tenon/examples

go 1.26.0

require (
	github.com/HugoSmits86/nativewebp v0.9.3
	github.com/bep/imagemeta v1.0.1
	golang.org/x/image v0.48.0
	golang.org/x/sync v0.25.0
)

require (
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/tenon-go/tenon => ..
