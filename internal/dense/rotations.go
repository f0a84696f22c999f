package dense

import "math"

// sweep turns [L w] into [L' 0] with
//
//	L' J L'ᵀ = L J Lᵀ + w wᵀ,
//
// over the rows from first up to end of a. J is 1 before column hyperbolic and -1 from there on. w
// is over columns, and zero before first. sweep returns false and leaves invalid data if a rotation
// does not exist. The rotation of a column maps an entry l of it and one of w to
//
//	Givens:      l' = cos l + sin w,           w' = cos w - sin l
//	hyperbolic:  l' = stretch l - slant w,     w' = cos w - sin l'
//
// with stretch = 1/cos and slant = sin/cos; w' from the new l' is the mixed form of Bojanczyk,
// Brent, Van Dooren and de Hoog (SIAM J. Sci. Stat. Comput. 8, 1987).
func sweep(a []float64, stride int, w []float64, first, end, hyperbolic int) bool {
	for j := first; j < end; j++ {
		column, rest := a[j*stride+j:], w[j+1:end]
		l, x := column[0], w[j]
		root := math.Sqrt(l*l + x*x)
		if j >= hyperbolic {
			root = math.Sqrt((l - x) * (l + x))
		}
		column[0] = root
		if !(root > 0) || math.IsInf(root, 0) {
			return false
		}
		if j < hyperbolic {
			cos, sin := l/root, x/root
			for i, x := range rest {
				l := &column[(i+1)*stride]
				*l, rest[i] = cos**l+sin*x, cos*x-sin**l
			}
			continue
		}
		cos, sin, stretch, slant := root/l, x/l, l/root, x/root
		for i, x := range rest {
			l := &column[(i+1)*stride]
			*l = stretch**l - slant*x
			rest[i] = cos*x - sin**l
		}
	}
	return true
}
