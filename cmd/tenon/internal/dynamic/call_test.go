package dynamic_test

import (
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/dynamic"
)

func TestMethodsWithPortsAreRefused(t *testing.T) {
	for _, shape := range []string{"(in stream int) (int)", "(report func(int) ()) ()", "() (stream int)"} {
		_, err := dynamic.Call(t.Context(), nil, tenon.Offer{Name: "a.B/C", Shape: shape}, nil)
		if err == nil || !strings.Contains(err.Error(), "streams or functions") {
			t.Errorf("%s: %v", shape, err)
		}
	}
}
