package model

import "go/types"

// port returns the underlying function of a type that is a stream or a function,
// declared by name or not.
func (b *builder) port(t types.Type) (*types.Signature, bool) {
	sig, ok := t.Underlying().(*types.Signature)
	if named, isNamed := t.(*types.Named); ok && isNamed {
		// What has a form of its own, or cannot be named here, is classified
		// as a value.
		ok = !b.classifyNamed(&Type{Go: t, Named: named}, named)
	}
	return sig, ok
}

// yieldOf returns the function that an iterator calls with what it has, or nil. One
// that was declared by name makes another type than that of package iter.
func yieldOf(sig *types.Signature) *types.Signature {
	if sig.Params().Len() != 1 || sig.Results().Len() != 0 || sig.Variadic() {
		return nil
	}
	yield, ok := types.Unalias(sig.Params().At(0).Type()).(*types.Signature)
	if !ok || yield.Results().Len() != 1 || !types.Identical(yield.Results().At(0).Type(), types.Typ[types.Bool]) {
		return nil
	}
	return yield
}

// isIterator reports whether a range statement can range over it.
func isIterator(sig *types.Signature) bool {
	yield := yieldOf(sig)
	return yield != nil && yield.Params().Len() <= 2 && !yield.Variadic()
}

// itemOf returns the T of an iter.Seq2[T, error], whatever it is called.
func itemOf(sig *types.Signature) (types.Type, bool) {
	yield := yieldOf(sig)
	if yield == nil || yield.Params().Len() != 2 || yield.Variadic() || !isError(yield.Params().At(1).Type()) {
		return nil, false
	}
	return yield.Params().At(0).Type(), true
}
