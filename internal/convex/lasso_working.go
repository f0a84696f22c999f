package convex

import (
	"cmp"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// working is the Lasso on a working set of features scaled to norm 1, in Gram form: ½βᵀGβ - cᵀβ +
// Σ_k μ_k|β_k|, with the correlations q = c - Gβ instead of c. A position is an index into the set.
type working struct {
	capacity int
	member   []bool
	feature  []int
	gram     []float64 // symmetric, ones on the diagonal
	ready    int

	beta, q, mu, sign []float64 // sign is 0 outside the support
	tolerance         []float64 // violation that is rounding
	support           support
	flat              float64
	entering          []int
}

func newWorking(d, capacity int) working {
	return working{
		capacity: capacity, member: make([]bool, d), feature: make([]int, 0, capacity),
		gram: make([]float64, capacity*capacity),
		beta: make([]float64, capacity), q: make([]float64, capacity), mu: make([]float64, capacity),
		sign: make([]float64, capacity), tolerance: make([]float64, capacity),
		support: newSupport(capacity), flat: flat, entering: make([]int, 0, d),
	}
}

func (a *working) size() int { return len(a.feature) }

func (a *working) row(k int) []float64 { return a.gram[k*a.capacity:][:a.size()] }

func (a *working) reset() {
	clear(a.member)
	a.feature, a.ready = a.feature[:0], 0
}

func (a *working) add(j int) {
	a.member[j] = true
	a.feature = append(a.feature, j)
}

// smallGram violating features enter at once; a larger set at most doubles.
const smallGram = 64

// grow adds the features with the worst violations above rounding, if any.
func (a *working) grow(excess, w []float64) bool {
	a.entering = a.entering[:0]
	for j, v := range excess {
		if v > refined && !a.member[j] {
			a.entering = append(a.entering, j)
		}
	}
	if limit := max(smallGram, a.size()); len(a.entering) > limit {
		slices.SortFunc(a.entering, func(j, k int) int { return cmp.Or(cmp.Compare(excess[k], excess[j]), j-k) })
		a.entering = a.entering[:limit]
		slices.Sort(a.entering)
	}
	if len(a.entering) == 0 {
		return false
	}
	if a.size()+len(a.entering) > a.capacity {
		a.shrink(w)
	}
	for _, j := range a.entering {
		if a.size() < a.capacity {
			a.add(j)
		}
	}
	return true
}

// shrink keeps the features with coefficients, whose Gram matrix is computed again.
func (a *working) shrink(w []float64) {
	a.feature, a.ready = slices.DeleteFunc(a.feature, func(j int) bool { return w[j] == 0 }), 0
	clear(a.member)
	for _, j := range a.feature {
		a.member[j] = true
	}
}

// begin requires a complete Gram matrix, and takes coefficients and correlations of all features. A
// correlation's scale is unit times its feature's norm.
func (a *working) begin(norms, w, correlation []float64, mu, unit float64) {
	for k, j := range a.feature {
		norm := norms[j]
		a.beta[k], a.q[k], a.mu[k] = w[j]*norm, correlation[j]/norm, mu/norm
		a.tolerance[k] = refined / 2 * (unit + a.mu[k])
	}
}

func (a *working) multiply(s *scaled) {
	first, size, m := a.ready, a.size(), len(s.sample)
	for k := first; k < size; k++ {
		clear(a.row(k)[:k])
	}
	for from := 0; from < m && first < size; from += block {
		to := min(m, from+block)
		for k := first; k < size; k++ {
			column, row := s.row(a.feature[k])[from:to], a.row(k)
			for l, j := range a.feature[:k] {
				row[l] += kernel.Dot(column, s.row(j)[from:to])
			}
		}
	}
	for k := first; k < size; k++ {
		row, norm := a.row(k), s.norm[a.feature[k]]
		for l, j := range a.feature[:k] {
			row[l] = row[l] / norm / s.norm[j]
		}
		row[k] = 1
	}
	a.ready = size
	a.mirror(first)
}

func (a *working) mirror(first int) {
	for k := first; k < a.ready; k++ {
		for l := range k {
			a.gram[l*a.capacity+k] = a.gram[k*a.capacity+l]
		}
	}
}
