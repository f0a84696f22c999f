package dense

import "math"

// Rotations are those of a sweep, one for each column of a triangle. A rotation maps an entry l of
// the column and one of the vector w to
//
//	Givens:      l' = cos l + sin w,           w' = cos w - sin l
//	hyperbolic:  l' = stretch l - slant w,     w' = cos w - sin l'
//
// with stretch = 1/cos and slant = sin/cos; w' from the new l' is the mixed form of Bojanczyk,
// Brent, Van Dooren and de Hoog (SIAM J. Sci. Stat. Comput. 8, 1987). Groups of rows read and write
// each entry once.
type Rotations struct {
	cos, sin, stretch, slant []float64
	rest                     []float64 // entries that rotations of missing rows may change
}

// NewRotations is for n columns.
func NewRotations(n int) Rotations {
	f := func() []float64 { return make([]float64, n) }
	return Rotations{cos: f(), sin: f(), stretch: f(), slant: f(), rest: f()}
}

// Group rows are rotated together: the steps of a single row would wait for each other.
const Group = 4

// Sweep turns [L w] into [L' 0] with L' L'ᵀ = L Lᵀ ± w wᵀ, hyperbolic for the minus, over the rows
// from first up to end of a. w is over columns, and zero before first. It returns false and leaves
// invalid data if a rotation does not exist.
func (t *Rotations) Sweep(a []float64, stride int, w []float64, first, end int, hyperbolic bool) bool {
	for i := first; i < end; i += Group {
		size := min(Group, end-i)
		rows, ws := t.Rows(a, stride, w, i, size, 1)
		t.Apply(rows, &ws, first, i, hyperbolic, false)
		if !t.Corner(a, stride, i, size, 1, &ws, hyperbolic) {
			return false
		}
	}
	return true
}

// Rows returns a group's rows, from i in steps of step, and their entries of w. Missing rows stay
// zero.
func (t *Rotations) Rows(a []float64, stride int, w []float64, i, size, step int) (rows [Group][]float64, ws [Group]float64) {
	for k := range Group {
		if k < size {
			at := i + k*step
			rows[k], ws[k] = a[at*stride:(at+1)*stride], w[at]
		} else {
			rows[k] = t.rest
		}
	}
	return rows, ws
}

// Apply applies the rotations of columns u up to v, in reverse if backward.
func (t *Rotations) Apply(rows [Group][]float64, w *[Group]float64, u, v int, hyperbolic, backward bool) {
	if u >= v {
		return
	}
	for k := range rows {
		rows[k] = rows[k][u:v]
	}
	part := Rotations{cos: t.cos[u:v], sin: t.sin[u:v], stretch: t.stretch[u:v], slant: t.slant[u:v]}
	switch {
	case hyperbolic && backward:
		part.hyperbolicBack(&rows, w)
	case hyperbolic:
		part.hyperbolic(&rows, w)
	case backward:
		part.givensBack(&rows, w)
	default:
		part.givens(&rows, w)
	}
}

// Corner makes the rotations of the group's own columns, or returns false if one does not exist.
func (t *Rotations) Corner(a []float64, stride, i, size, step int, w *[Group]float64, hyperbolic bool) bool {
	for k := range size {
		at := i + k*step
		row := a[at*stride : (at+1)*stride]
		for m := range k {
			j := i + m*step
			row[j], w[k] = t.one(j, hyperbolic, row[j], w[k])
		}
		row[at] = t.make(at, hyperbolic, row[at], w[k])
		if !(row[at] > 0) || math.IsInf(row[at], 0) {
			return false
		}
	}
	return true
}

// make maps (l, w) to (√(l² ± w²), 0) and returns the root: 0, infinite or NaN if the rotation does
// not exist.
func (t *Rotations) make(i int, hyperbolic bool, l, w float64) float64 {
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

func (t *Rotations) givens(r *[Group][]float64, w *[Group]float64) {
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
	*w = [Group]float64{w0, w1, w2, w3}
}

func (t *Rotations) givensBack(r *[Group][]float64, w *[Group]float64) {
	n := len(t.cos)
	cos, sin := t.cos, t.sin[:n]
	r0, r1, r2, r3 := r[0][:n], r[1][:n], r[2][:n], r[3][:n]
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	for j := n - 1; j >= 0; j-- {
		c, s := cos[j], sin[j]
		l0, l1, l2, l3 := r0[j], r1[j], r2[j], r3[j]
		r0[j], w0 = c*l0+s*w0, c*w0-s*l0
		r1[j], w1 = c*l1+s*w1, c*w1-s*l1
		r2[j], w2 = c*l2+s*w2, c*w2-s*l2
		r3[j], w3 = c*l3+s*w3, c*w3-s*l3
	}
	*w = [Group]float64{w0, w1, w2, w3}
}

func (t *Rotations) hyperbolic(r *[Group][]float64, w *[Group]float64) {
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
	*w = [Group]float64{w0, w1, w2, w3}
}

func (t *Rotations) hyperbolicBack(r *[Group][]float64, w *[Group]float64) {
	n := len(t.cos)
	cos, sin, stretch, slant := t.cos, t.sin[:n], t.stretch[:n], t.slant[:n]
	r0, r1, r2, r3 := r[0][:n], r[1][:n], r[2][:n], r[3][:n]
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	for j := n - 1; j >= 0; j-- {
		c, s, g, a := cos[j], sin[j], stretch[j], slant[j]
		l0, l1, l2, l3 := g*r0[j]-a*w0, g*r1[j]-a*w1, g*r2[j]-a*w2, g*r3[j]-a*w3
		r0[j], r1[j], r2[j], r3[j] = l0, l1, l2, l3
		w0, w1, w2, w3 = c*w0-s*l0, c*w1-s*l1, c*w2-s*l2, c*w3-s*l3
	}
	*w = [Group]float64{w0, w1, w2, w3}
}

func (t *Rotations) one(i int, hyperbolic bool, l, w float64) (float64, float64) {
	if hyperbolic {
		l = t.stretch[i]*l - t.slant[i]*w
		return l, t.cos[i]*w - t.sin[i]*l
	}
	return t.cos[i]*l + t.sin[i]*w, t.cos[i]*w - t.sin[i]*l
}
