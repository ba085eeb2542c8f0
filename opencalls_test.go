package tenon

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestOpenCallsAgainstAMap plays random changes, with ids near each other, far
// apart, and alike in their low bits.
func TestOpenCallsAgainstAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var o openCalls[*int]
	model := map[uint32]*int{}
	for i := range 20000 {
		id := random.Uint32N(200)
		if random.IntN(4) == 0 {
			id = 1<<32 - 1 - id*64
		}
		switch random.IntN(3) {
		case 0:
			c := &i
			if random.IntN(3) == 0 {
				c = nil
			}
			o.set(id, c)
			model[id] = c
		case 1:
			got, ok := o.take(id)
			want, there := model[id]
			if got != want || ok != there {
				t.Fatalf("step %d: take(%d): %v, %v; want %v, %v", i, id, got, ok, want, there)
			}
			delete(model, id)
		case 2:
			got, ok := o.get(id)
			if want, there := model[id]; got != want || ok != there {
				t.Fatalf("step %d: get(%d): %v, %v; want %v, %v", i, id, got, ok, want, there)
			}
		}
		if o.len() != len(model) {
			t.Fatalf("step %d: %d calls, want %d", i, o.len(), len(model))
		}
		if i%100 == 0 && !maps.Equal(maps.Collect(o.all), model) {
			t.Fatalf("step %d: %v, want %v", i, maps.Collect(o.all), model)
		}
	}
}
