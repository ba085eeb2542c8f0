//go:build !amd64 && !arm64

package spin

// Pause passes a moment that grows with n, n > 0.
//
//go:noinline
func Pause(n uint32) {
	for i := uint32(0); i < 8*n; i++ {
		_ = i
	}
}
