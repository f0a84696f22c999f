package dense

import "math"

// rotations are those of a sweep, one for each column of a triangle. A rotation maps an entry l of
// the column and one of the vector w to
//
//	Givens:      l' = cos l + sin w,           w' = cos w - sin l
//	hyperbolic:  l' = stretch l - slant w,     w' = cos w - sin l'
//
// with stretch = 1/cos and slant = sin/cos; w' from the new l' is the mixed form of Bojanczyk,
// Brent, Van Dooren and de Hoog (SIAM J. Sci. Stat. Comput. 8, 1987).
type rotations struct {
	cos, sin, stretch, slant []float64
}

func newRotations(n int) rotations {
	f := func() []float64 { return make([]float64, n) }
	return rotations{cos: f(), sin: f(), stretch: f(), slant: f()}
}

// sweep turns [L w] into [L' 0] with
//
//	L' J L'ᵀ = L J Lᵀ + w wᵀ,
//
// over the rows from first up to end of a. J is 1 before column hyperbolic, where rotations are
// Givens, and -1 from there on. w is over columns, and zero before first. sweep returns false and
// leaves invalid data if a rotation does not exist.
func (t *rotations) sweep(a []float64, stride int, w []float64, first, end, hyperbolic int) bool {
	for i := first; i < end; i++ {
		row, rest := a[i*stride:][:i+1], w[i]
		for j := first; j < min(i, hyperbolic); j++ {
			l, c, s := row[j], t.cos[j], t.sin[j]
			row[j], rest = c*l+s*rest, c*rest-s*l
		}
		for j := max(first, hyperbolic); j < i; j++ {
			l := t.stretch[j]*row[j] - t.slant[j]*rest
			row[j], rest = l, t.cos[j]*rest-t.sin[j]*l
		}
		row[i] = t.make(i, i >= hyperbolic, row[i], rest)
		if !(row[i] > 0) || math.IsInf(row[i], 0) {
			return false
		}
	}
	return true
}

// make maps (l, w) to (√(l² ± w²), 0) and returns the root: 0, infinite or NaN if the rotation does
// not exist.
func (t *rotations) make(i int, hyperbolic bool, l, w float64) float64 {
	if !hyperbolic {
		root := math.Sqrt(l*l + w*w)
		t.cos[i], t.sin[i] = l/root, w/root
		return root
	}
	root := math.Sqrt((l - w) * (l + w))
	t.cos[i], t.sin[i] = root/l, w/l
	t.stretch[i], t.slant[i] = l/root, w/root
	return root
}
