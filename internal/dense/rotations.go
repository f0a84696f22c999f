package dense

import "math"

// rotations are those of a sweep, one for each column of a triangle. A rotation maps an entry l of
// the column and one of the vector w to
//
//	Givens:      l' = cos l + sin w,           w' = cos w - sin l
//	hyperbolic:  l' = stretch l - slant w,     w' = cos w - sin l'
//
// with stretch = 1/cos and slant = sin/cos; w' from the new l' is the mixed form of Bojanczyk,
// Brent, Van Dooren and de Hoog (SIAM J. Sci. Stat. Comput. 8, 1987). Groups of rows read and write
// each entry once.
type rotations struct {
	cos, sin, stretch, slant []float64
	rest                     []float64 // entries that rotations of missing rows may change
}

func newRotations(n int) rotations {
	f := func() []float64 { return make([]float64, n) }
	return rotations{cos: f(), sin: f(), stretch: f(), slant: f(), rest: f()}
}

// group rows are rotated together: the steps of a single row would wait for each other.
const group = 4

// sweep turns [L w] into [L' 0] with
//
//	L' J L'ᵀ = L J Lᵀ + w wᵀ,
//
// over the rows from first up to end of a. J is 1 before column hyperbolic, where rotations are
// Givens, and -1 from there on. w is over columns, and zero before first. sweep returns false and
// leaves invalid data if a rotation does not exist.
func (t *rotations) sweep(a []float64, stride int, w []float64, first, end, hyperbolic int) bool {
	for i := first; i < end; {
		size := min(group, end-i)
		if i < hyperbolic {
			size = min(size, hyperbolic-i)
		}
		rows, ws := t.rows(a, stride, w, i, size)
		t.apply(rows, &ws, first, min(i, hyperbolic), false)
		t.apply(rows, &ws, max(first, hyperbolic), i, true)
		if !t.corner(a, stride, i, size, &ws, i >= hyperbolic) {
			return false
		}
		i += size
	}
	return true
}

// rows returns a group's rows, from i on, and their entries of w. Missing rows stay zero.
func (t *rotations) rows(a []float64, stride int, w []float64, i, size int) (rows [group][]float64, ws [group]float64) {
	for k := range group {
		if k < size {
			rows[k], ws[k] = a[(i+k)*stride:(i+k+1)*stride], w[i+k]
		} else {
			rows[k] = t.rest
		}
	}
	return rows, ws
}

// apply applies the rotations of columns u up to v.
func (t *rotations) apply(rows [group][]float64, w *[group]float64, u, v int, hyperbolic bool) {
	if u >= v {
		return
	}
	for k := range rows {
		rows[k] = rows[k][u:v]
	}
	part := rotations{cos: t.cos[u:v], sin: t.sin[u:v], stretch: t.stretch[u:v], slant: t.slant[u:v]}
	if hyperbolic {
		part.hyperbolic(&rows, w)
	} else {
		part.givens(&rows, w)
	}
}

// corner makes the rotations of the group's own columns, or returns false if one does not exist.
func (t *rotations) corner(a []float64, stride, i, size int, w *[group]float64, hyperbolic bool) bool {
	for k := range size {
		row := a[(i+k)*stride : (i+k+1)*stride]
		for j := i; j < i+k; j++ {
			row[j], w[k] = t.one(j, hyperbolic, row[j], w[k])
		}
		row[i+k] = t.make(i+k, hyperbolic, row[i+k], w[k])
		if !(row[i+k] > 0) || math.IsInf(row[i+k], 0) {
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

func (t *rotations) givens(r *[group][]float64, w *[group]float64) {
	n := len(t.cos)
	cos, sin := t.cos, t.sin[:n]
	r0, r1, r2, r3 := r[0][:n], r[1][:n], r[2][:n], r[3][:n]
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	for j, c := range cos {
		s := sin[j]
		l0, l1, l2, l3 := r0[j], r1[j], r2[j], r3[j]
		r0[j], w0 = c*l0+s*w0, c*w0-s*l0
		r1[j], w1 = c*l1+s*w1, c*w1-s*l1
		r2[j], w2 = c*l2+s*w2, c*w2-s*l2
		r3[j], w3 = c*l3+s*w3, c*w3-s*l3
	}
	*w = [group]float64{w0, w1, w2, w3}
}

func (t *rotations) hyperbolic(r *[group][]float64, w *[group]float64) {
	n := len(t.cos)
	cos, sin, stretch, slant := t.cos, t.sin[:n], t.stretch[:n], t.slant[:n]
	r0, r1, r2, r3 := r[0][:n], r[1][:n], r[2][:n], r[3][:n]
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	for j, c := range cos {
		s, g, a := sin[j], stretch[j], slant[j]
		l0, l1, l2, l3 := g*r0[j]-a*w0, g*r1[j]-a*w1, g*r2[j]-a*w2, g*r3[j]-a*w3
		r0[j], r1[j], r2[j], r3[j] = l0, l1, l2, l3
		w0, w1, w2, w3 = c*w0-s*l0, c*w1-s*l1, c*w2-s*l2, c*w3-s*l3
	}
	*w = [group]float64{w0, w1, w2, w3}
}

func (t *rotations) one(i int, hyperbolic bool, l, w float64) (float64, float64) {
	if hyperbolic {
		l = t.stretch[i]*l - t.slant[i]*w
		return l, t.cos[i]*w - t.sin[i]*l
	}
	return t.cos[i]*l + t.sin[i]*w, t.cos[i]*w - t.sin[i]*l
}
