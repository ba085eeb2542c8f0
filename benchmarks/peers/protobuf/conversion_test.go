package protobuf

import (
	"testing"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

func TestUserSurvivesTheConversion(t *testing.T) {
	for _, u := range contract.Users(contract.MaxList) {
		if same := fromProtobuf(toProtobuf(u)); !same.Equal(u) {
			t.Errorf("%+v became %+v", u, same)
		}
	}
}

// What the calling side of the peers with protobuf pays beside their own work.
func BenchmarkConversionOfUser(b *testing.B) {
	user := contract.Users(1)[0]
	for b.Loop() {
		user = fromProtobuf(toProtobuf(user))
	}
}
