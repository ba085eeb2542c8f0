//go:build !linux

package spin

func yieldProcessor() {}
