//go:build race

package tenon

// The race detector makes everything slower.
func init() { brief, Scale = brief*10, 4 }
