package main

import (
	"slices"
	"testing"
)

func TestNamesAreSortedByLikeness(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {"ab", "ba", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, not %d", c.a, c.b, got, c.want)
		}
	}
	names := []string{"cart.Cart/Add", "shop.Shop/Order", "shop.Shop/Price"}
	if sortByLikeness(names, "Shop.shop/prize"); !slices.Equal(names, []string{"shop.Shop/Price", "shop.Shop/Order", "cart.Cart/Add"}) {
		t.Error(names)
	}
}
