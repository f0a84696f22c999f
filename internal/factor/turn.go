package factor

import "math"

// turns are the rotations of a sweep, one for each column, over slots. A
// rotation takes an entry l of the column and one of the vector w to
//
//	Givens:      l' = cos l + sin w,           w' = cos w - sin l
//	hyperbolic:  l' = stretch l - slant w,     w' = cos w - sin l'
//
// with stretch = 1/cos and slant = sin/cos; the second w' from the new l' is
// the mixed form of Bojanczyk et al.
type turns struct {
	cos, sin, stretch, slant []float64
}

func newTurns(n int) turns {
	return turns{cos: make([]float64, n), sin: make([]float64, n), stretch: make([]float64, n), slant: make([]float64, n)}
}

func (t *turns) slice(i, j int) turns {
	return turns{cos: t.cos[i:j], sin: t.sin[i:j], stretch: t.stretch[i:j], slant: t.slant[i:j]}
}

// givens makes rotation i, which takes (l, w) to (√(l² + w²), 0), and returns
// the root. It is 0, infinite or no number when it does not exist.
func (t *turns) givens(i int, l, w float64) float64 {
	root := math.Sqrt(l*l + w*w)
	t.cos[i], t.sin[i] = l/root, w/root
	return root
}

// hyperbolic makes rotation i, which takes (l, w) to (√(l² - w²), 0), and
// returns the root. It is 0, infinite or no number when it does not exist.
func (t *turns) hyperbolic(i int, l, w float64) float64 {
	root := math.Sqrt((l - w) * (l + w))
	t.cos[i], t.sin[i] = root/l, w/l
	t.stretch[i], t.slant[i] = l/root, w/root
	return root
}

// group is the number of rows that are rotated together: each row's w depends
// on its last, so that one row alone would wait for the arithmetic's latency.
const group = 4

// givens4 applies the rotations in order to a group of rows, from left to
// right.
func (t turns) givens4(r *[group][]float64, w *[group]float64) {
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

// givens4Back is givens4 from right to left.
func (t turns) givens4Back(r *[group][]float64, w *[group]float64) {
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
	*w = [group]float64{w0, w1, w2, w3}
}

// hyperbolic4 is givens4 with hyperbolic rotations.
func (t turns) hyperbolic4(r *[group][]float64, w *[group]float64) {
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

// hyperbolic4Back is hyperbolic4 from right to left.
func (t turns) hyperbolic4Back(r *[group][]float64, w *[group]float64) {
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
	*w = [group]float64{w0, w1, w2, w3}
}

// one applies rotation i to one entry and returns the entry and w.
func (t *turns) one(i int, hyperbolic bool, l, w float64) (float64, float64) {
	if hyperbolic {
		l = t.stretch[i]*l - t.slant[i]*w
		return l, t.cos[i]*w - t.sin[i]*l
	}
	return t.cos[i]*l + t.sin[i]*w, t.cos[i]*w - t.sin[i]*l
}
