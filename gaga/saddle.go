package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// leaveSaddle moves the search off a point where alternation stands still
// although the implicit objective falls in some direction: symmetric data
// puts it there. It goes along the eigenvector of H's least eigenvalue, with
// the sign that makes its largest entry positive if the objective falls there,
// else the other. It reports false where H has no negative eigenvalue or no
// descent is found.
func (t *tracker) leaveSaddle(age float64) bool {
	pt := t.left
	k := len(t.active)
	if k == 0 || t.primal == nil || len(t.multipliers) > 0 {
		return false
	}
	copy(pt.theta, t.search.Theta()[:t.p])
	t.predict(pt.u, pt.theta)
	t.assemble(pt)
	t.primal.curve()
	scaled := mat.NewSymDense(k, nil)
	for r := range k {
		for q := r; q < k; q++ {
			if unit := math.Sqrt(t.diag[r] * t.diag[q]); unit > 0 {
				scaled.SetSym(r, q, t.primal.hess[r*k+q]/unit)
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) || !(eigen.Values(nil)[0] < -1e-9) {
		return false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	clear(t.theta0)
	for r, j := range t.active {
		if t.diag[r] > 0 {
			t.theta0[j] = vectors.At(r, 0) / math.Sqrt(t.diag[r])
		}
	}
	blas64.Scal(sign(t.theta0[blas64.Iamax(vector(t.theta0))]), vector(t.theta0))
	for range 2 {
		if theta, _, ok := t.descend(pt, age); ok {
			t.search.SetTheta(t.publish(theta))
			return true
		}
		blas64.Scal(-1, vector(t.theta0))
	}
	return false
}
