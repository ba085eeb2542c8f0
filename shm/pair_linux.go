//go:build !race

package shm

// Pair returns both ends of a link within this process.
func Pair(opts ...Option) (a, b *Link, err error) {
	a, peer, err := Create(opts...)
	if err != nil {
		return nil, nil, err
	}
	b, err = Attach(peer.Memory, peer.Socket, opts...)
	if err != nil {
		a.Close()
		return nil, nil, err
	}
	return a, b, nil
}
