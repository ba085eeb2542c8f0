package shm

import "testing"

// BenchmarkCreate is what a link costs at the start of a worker.
func BenchmarkCreate(b *testing.B) {
	for b.Loop() {
		l, peer, err := Create()
		if err != nil {
			b.Fatal(err)
		}
		peer.Close()
		l.Close()
	}
}
