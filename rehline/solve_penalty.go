package rehline

import "math"

// penalty is ½ Σ_j bend_j (β_j - anchor_j)² + Σ_j l1_j |β_j|.
//
// Without a ridge it is proximal ([3] of doc.go). The objective is then not strictly convex, and the
// L1 penalties bound the dual instead of adding to it:
//
//	max -Σ aκ - Σ a²/(2σ) - b·ξ  subject to  |(Aᵀξ - Xᵀg)_j| <= L1_j
//
// ½ bend ‖β - anchor‖² replaces the ridge, the anchor follows β and the curvature falls with the
// smoothing. As zero is within all bounds, a multiple of any dual point is feasible and certifies
// the gap. With a ridge the dual variables of every β are feasible up to rounding.
type penalty struct {
	d, dim   int // dim is d, plus one with a free intercept
	free     bool
	proximal bool
	bend     []float64 // 1, or 0 for a free intercept; decreases without a ridge
	anchor   []float64 // zero, or without a ridge the center of the proximal term
	l1       []float64 // divided by the unit; may be nil
}

// toll is the penalty at a β and its conjugate at forces.
type toll struct {
	cost  float64
	fall  float64 // the conjugate
	lag   float64 // part of the gap due to a proximal term
	share float64 // feasible part of the dual variables
}

func newPenalty(p *Problem, d int) *penalty {
	q := &penalty{d: d, dim: d, free: p.Intercept == FreeIntercept, proximal: p.NoRidge}
	if q.free {
		q.dim++
	}
	q.bend, q.anchor = make([]float64, q.dim), make([]float64, q.dim)
	q.curve(1)
	return q
}

func (q *penalty) lasso(weights []float64, unit float64) {
	for j, r := range weights {
		if r > 0 {
			if q.l1 == nil {
				q.l1 = make([]float64, q.dim)
			}
			q.l1[j] = r / unit
		}
	}
}

func (q *penalty) curve(curvature float64) {
	for j := range q.bend {
		q.bend[j] = curvature
	}
	if q.free {
		q.bend[q.d] = 0
	}
}

// separable reports whether coordinate descent is possible.
func (q *penalty) separable() bool { return q.l1 == nil && !q.free }

func (q *penalty) toll(beta, v []float64) toll {
	t := toll{share: 1}
	if q.proximal {
		for j, r := range q.l1[:q.d] {
			t.cost += r * math.Abs(beta[j])
			if v := math.Abs(v[j]); v > r {
				t.share = min(t.share, r/v)
			}
		}
		for j, b := range beta {
			t.lag += q.bend[j] * math.Abs((b-q.anchor[j])*b)
		}
		return t
	}
	for j, b := range beta {
		v := v[j]
		t.cost += q.bend[j] * b * b / 2
		if q.l1 != nil {
			t.cost += q.l1[j] * math.Abs(b)
			v = soft(v, q.l1[j])
		}
		t.fall += q.bend[j] * v * v / 2
	}
	return t
}

// follow moves a proximal term to the end β of an inner problem; factor is the change of the
// smoothing, infinite at first.
func (q *penalty) follow(beta []float64, factor float64) {
	if q.proximal {
		q.curve(min(max(q.bend[0]*factor, loosest), 1))
		copy(q.anchor, beta)
	}
}

// unit returns the unit of the objective without a ridge: the mean L1 penalty divided by the
// estimated size of the coefficients, that of the kinks divided by that of the rows of X.
func (t *terms) unit(l1, norms []float64) float64 {
	var kinks, count float64
	add := func(list []float64) {
		for _, k := range list {
			kinks += math.Abs(k)
		}
		count += float64(len(list))
	}
	for i := range t.kinked {
		add(t.kinked[i].kink)
	}
	for i := range t.curved {
		add(t.curved[i].kink)
	}
	var squares, mean float64
	for _, v := range norms {
		squares += v / float64(len(norms))
	}
	for _, r := range l1 {
		mean += r / float64(len(l1))
	}
	if u := mean * math.Sqrt(squares) * count / kinks; u > 0 && finite(u) {
		return u
	}
	return mean
}

func soft(x, r float64) float64 {
	switch {
	case x > r:
		return x - r
	case x < -r:
		return x + r
	}
	return 0
}
