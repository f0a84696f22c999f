package gaga

import "math"

// collinear reports whether inactive coordinate j is a linear combination of
// the active ones on the samples that carry weight: its gradient then stays at
// the L1 weight and it adds nothing to the fit. Its Schur complement is then 0;
// the converse does not hold, as H has negative terms.
func (t *tracker) collinear(j int) bool {
	if schur, magnitude := t.schur(j); math.Abs(schur) > 1e-10*magnitude {
		return false
	}
	z, ok := t.null(append(append([]int(nil), t.active...), j))
	return ok && z[len(t.active)] != 0
}

// thin drops coordinates that are collinear with other active ones on the
// samples that carry weight, moving along the null direction, which leaves the
// fit and the L1 norm as they are. It reports whether it dropped any.
func (t *tracker) thin(pt *point) bool {
	if t.problem.Penalty.L1 == 0 {
		return false // nothing can be dropped
	}
	dropped := false
	for range t.p {
		direction, ok := t.null(t.active)
		if !ok {
			return dropped
		}
		// The first coefficient that reaches zero along the direction.
		first, at := -1, math.Inf(1)
		for r, j := range t.active {
			if t.l1[j] == 0 || direction[r] == 0 {
				continue
			}
			if x := -pt.theta[j] / direction[r]; math.Abs(x) < math.Abs(at) {
				first, at = j, x
			}
		}
		if first < 0 {
			return dropped
		}
		for r, j := range t.active {
			pt.theta[j] += at * direction[r]
		}
		pt.theta[first], t.sign[first] = 0, 0
		for _, j := range t.active {
			t.sign[j] = t.signOf(j, pt.theta[j])
		}
		t.choose()
		dropped = true
	}
	return dropped
}

// null returns a vector z over the given columns with a·z = 0 on every sample
// whose zone has weight, if there is one: Gaussian elimination, in order of the
// columns, on the Gram matrix of those samples.
func (t *tracker) null(columns []int) ([]float64, bool) {
	k := len(columns)
	gram := make([]float64, k*k)
	for i := range t.n {
		if !t.weighed && int(t.zone[i]) == len(t.zones)-1 {
			continue
		}
		x := t.primal.sample(i)
		for r, j := range columns {
			for q, l := range columns[:r+1] {
				gram[r*k+q] += x[j] * x[l]
			}
		}
	}
	// Cholesky row by row: row r of the factor, in the lower triangle.
	for r := range k {
		whole := gram[r*k+r]
		for q := 0; q < r; q++ {
			sum := gram[r*k+q]
			for c := 0; c < q; c++ {
				sum -= gram[r*k+c] * gram[q*k+c]
			}
			gram[r*k+q] = sum / gram[q*k+q]
			gram[r*k+r] -= gram[r*k+q] * gram[r*k+q]
		}
		if gram[r*k+r] > 1e-12*whole {
			gram[r*k+r] = math.Sqrt(gram[r*k+r])
			continue
		}
		// Column r depends on those before it: solve Lᵀz = row r.
		z := make([]float64, k)
		z[r] = -1
		for q := r - 1; q >= 0; q-- {
			sum := gram[r*k+q]
			for c := q + 1; c < r; c++ {
				sum -= gram[c*k+q] * z[c]
			}
			z[q] = sum / gram[q*k+q]
		}
		return z, true
	}
	return nil, false
}
