package shm_test

import (
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/linktest"
	"github.com/tenon-go/tenon/shm"
)

func TestLinkConforms(t *testing.T) {
	for name, opts := range map[string][]shm.Option{
		"default":    nil,
		"small":      {shm.Size(16 << 10)},
		"no polling": {shm.Size(64 << 10), shm.Spin(0)},
	} {
		t.Run(name, func(t *testing.T) {
			linktest.Run(t, func(t *testing.T) (a, b tenon.Link) {
				a, b, err := shm.Pair(opts...)
				if err != nil {
					t.Fatal(err)
				}
				return a, b
			})
		})
	}
}
