package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// primal is the tracker's linear algebra for predictors linear in θ in R^p:
// the residual of the optimality condition restricted to the active
// coordinates, its Jacobian H and its derivative in the age.
type primal struct {
	n, p   int       // samples, columns: the features and, with an intercept, a column of ones
	a      []float64 // n x p, row-major
	y, m   []float64 // targets, multiplicities
	l1, l2 []float64 // penalty of each column
	loss   Loss
	reg    Regularizer
	zones  []Zone

	active []int     // active coordinates, ascending
	sign   []float64 // of each of the p coordinates: -1, +1, or 0 while inactive; 0 for columns without L1
	xa     []float64 // n x len(active): the active columns of a

	zone    []uint8 // of each sample
	weighed bool    // the last zone gives weight, too
	frozen  bool    // no sample carries weight, so that nothing determines the free coordinates: they stay where they are

	residual, scale []float64 // len(active)
	floor           []float64 // p: what the scale of each coordinate's terms is at least
	hess            []float64 // len(active) squared: H, upper triangle
	diag            []float64 // len(active): H's diagonal with all terms taken positive
	factor          []float64 // Cholesky factor of H
	dage            []float64 // len(active): derivative of the residual in the age
	phi             []float64 // n: m φ
	phiU, phiAge    []float64 // n: m ∂φ/∂u, m ∂φ/∂λ
	assembled       *point    // where hess, phi and the rest were evaluated
	solveA          []float64 // p, scratch
	wide            []float64 // p, scratch
}

func newPrimal(pr *Problem) *primal {
	n, d := pr.X.Rows, pr.X.Cols
	p := d
	if pr.Intercept {
		p++
	}
	s := &primal{
		n: n, p: p, y: pr.Y, loss: pr.Loss, reg: pr.Regularizer, zones: pr.Regularizer.Zones(),
		a: make([]float64, n*p), m: make([]float64, n), l1: make([]float64, p), l2: make([]float64, p),
		sign: make([]float64, p), active: make([]int, 0, p), zone: make([]uint8, n),
		residual: make([]float64, p), scale: make([]float64, p), floor: make([]float64, p), diag: make([]float64, p), dage: make([]float64, p),
		hess: make([]float64, p*p), factor: make([]float64, p*p),
		phi: make([]float64, n), phiU: make([]float64, n), phiAge: make([]float64, n),
		solveA: make([]float64, p), wide: make([]float64, p),
	}
	for i := range n {
		row := s.a[i*p : (i+1)*p]
		copy(row, pr.X.Data[i*pr.X.Stride:i*pr.X.Stride+d])
		if pr.Intercept {
			row[d] = 1
		}
		s.m[i] = pr.multiplicity(i)
	}
	for j := range d {
		s.l1[j], s.l2[j] = pr.Penalty.L1, pr.Penalty.L2
	}
	last := len(s.zones) - 1
	threshold, _ := s.reg.Threshold(last-1, 1)
	weight, _, _ := s.reg.Weight(last, 2*threshold, 1)
	s.weighed = weight > 0
	return s
}

// discarded reports whether no sample carries weight.
func (s *primal) discarded() bool {
	if s.weighed {
		return false
	}
	last := uint8(len(s.zones) - 1)
	for _, z := range s.zone {
		if z != last {
			return false
		}
	}
	return true
}

// setActive makes the given ascending coordinates the active ones.
func (s *primal) setActive(active []int) {
	s.active = append(s.active[:0], active...)
	k := len(s.active)
	if k == s.p {
		s.xa = s.a
		return
	}
	if cap(s.xa) < s.n*k || (s.n > 0 && len(s.xa) > 0 && &s.xa[0] == &s.a[0]) {
		s.xa = make([]float64, s.n*s.p)
	}
	s.xa = s.xa[:s.n*k]
	for i := range s.n {
		row, from := s.xa[i*k:(i+1)*k], s.a[i*s.p:(i+1)*s.p]
		for r, j := range s.active {
			row[r] = from[j]
		}
	}
}

// row returns sample i's active columns.
func (s *primal) row(i int) []float64 {
	k := len(s.active)
	return s.xa[i*k : (i+1)*k]
}

// gather writes the active entries of the p-vector from into dst.
func (s *primal) gather(dst, from []float64) []float64 {
	for r, j := range s.active {
		dst[r] = from[j]
	}
	return dst[:len(s.active)]
}

// predict writes a·θ of all samples for a θ that is zero but for its active
// coordinates and those that are frozen.
func (s *primal) predict(dst, theta []float64) {
	if s.frozen {
		blas64.Gemv(blas.NoTrans, 1, general(s.n, s.p, s.a), vector(theta), 0, vector(dst))
		return
	}
	k := len(s.active)
	if k == 0 {
		clear(dst)
		return
	}
	beta := s.gather(s.wide, theta)
	blas64.Gemv(blas.NoTrans, 1, general(s.n, k, s.xa), vector(beta), 0, vector(dst))
}

// backward writes Σ_i w_i a_i, over all p coordinates, into dst.
func (s *primal) backward(dst, w []float64) {
	blas64.Gemv(blas.Trans, 1, general(s.n, s.p, s.a), vector(w), 0, vector(dst))
}

// assemble evaluates the optimality condition at pt (age, theta and u are set)
// on the current zones and active coordinates: residual, scale, hess and dage,
// and the losses and slopes of pt.
func (s *primal) assemble(pt *point) {
	s.assembled = pt
	k := len(s.active)
	res, scale, dage := s.residual[:k], s.scale[:k], s.dage[:k]
	hess, diag := s.hess[:k*k], s.diag[:k]
	clear(dage)
	clear(hess)
	for r, j := range s.active {
		w := pt.theta[j]
		res[r] = s.l2[j]*w + s.l1[j]*s.sign[j]
		scale[r] = math.Abs(s.l2[j]*w) + s.l1[j] + s.floor[j]
		diag[r] = s.l2[j]
		hess[r*k+r] = s.l2[j]
	}
	for i := range s.n {
		loss, slope, curvature := s.loss.Eval(pt.u[i], s.y[i])
		pt.loss[i], pt.slope[i] = loss, slope
		v, dv, da := s.reg.Weight(int(s.zone[i]), loss, pt.age)
		m := s.m[i]
		f, fu, fa := m*v*slope, m*(dv*slope*slope+v*curvature), m*da*slope
		s.phi[i], s.phiU[i], s.phiAge[i] = f, fu, fa
		if f == 0 && fu == 0 && fa == 0 {
			continue
		}
		s.accumulate(i, f, fu, fa, m*v*gradientTerms(pt.u[i], slope, curvature))
	}
}

// gradientTerms returns the size of the terms of a loss's derivative at the
// predictor u. The derivative of the squared loss is a difference of u and the
// target, whose rounding counts where the residual is small.
func gradientTerms(u, slope, curvature float64) float64 {
	return math.Abs(slope) + curvature*math.Abs(u)
}

// negligible is the weight, relative to 1, of samples whose terms no longer
// count in the scale of the residual: where all weights are smaller, the
// residual drowns in the rounding of the losses.
const negligible = 1e-6

// setFloor takes the scale of the gradient's terms with all weights 1, times
// negligible, at pt as the floor of the residual's scale.
func (s *primal) setFloor(pt *point) {
	clear(s.floor)
	for i := range s.n {
		_, slope, curvature := s.loss.Eval(pt.u[i], s.y[i])
		f := negligible * s.m[i] * gradientTerms(pt.u[i], slope, curvature)
		for j, x := range s.a[i*s.p : (i+1)*s.p] {
			s.floor[j] += f * math.Abs(x)
		}
	}
}

// accumulate adds sample i's terms to residual, scale, hess, diag and dage;
// terms is the size of what f is the sum of.
func (s *primal) accumulate(i int, f, fu, fa, terms float64) {
	x := s.row(i)
	k := len(x)
	res, scale, dage, diag := s.residual[:k], s.scale[:k], s.dage[:k], s.diag[:k]
	absU := math.Abs(fu)
	for r, xr := range x {
		res[r] += f * xr
		dage[r] += fa * xr
		scale[r] += terms * math.Abs(xr)
		diag[r] += absU * xr * xr
		c := fu * xr
		if c == 0 {
			continue
		}
		h := s.hess[r*k+r : r*k+k]
		for q, xq := range x[r:] {
			h[q] += c * xq
		}
	}
}

// relative returns the largest residual relative to its scale.
func (s *primal) relative() float64 {
	var worst float64
	for r := range s.active {
		if f := math.Abs(s.residual[r]); f > 0 {
			worst = math.Max(worst, f/s.scale[r])
		}
	}
	return worst
}

// singular is the pivot, relative to the diagonal of the positive terms, below
// which H counts as not positive definite.
const singular = 1e-12

// factorize computes the Cholesky factor of H and reports whether H is
// positive definite, away from singularity.
func (s *primal) factorize() bool {
	k := len(s.active)
	if k == 0 {
		return true
	}
	factor := s.factor[:k*k]
	copy(factor, s.hess[:k*k])
	if _, ok := lapack64.Potrf(symmetric(k, factor)); !ok {
		return false
	}
	for r := range k {
		if pivot := factor[r*k+r]; !(pivot*pivot > singular*s.diag[r]) {
			return false
		}
	}
	return true
}

// solve overwrites b, over the active coordinates, with H⁻¹b.
func (s *primal) solve(b []float64) {
	k := len(s.active)
	if k == 0 {
		return
	}
	t := blas64.Triangular{N: k, Stride: k, Data: s.factor[:k*k], Uplo: blas.Upper, Diag: blas.NonUnit}
	blas64.Trsv(blas.Trans, t, vector(b[:k]))
	blas64.Trsv(blas.NoTrans, t, vector(b[:k]))
}

// quadratic returns bᵀH⁻¹b, clobbering b.
func (s *primal) quadratic(b []float64) float64 {
	k := len(s.active)
	if k == 0 {
		return 0
	}
	t := blas64.Triangular{N: k, Stride: k, Data: s.factor[:k*k], Uplo: blas.Upper, Diag: blas.NonUnit}
	blas64.Trsv(blas.Trans, t, vector(b[:k]))
	return blas64.Dot(vector(b[:k]), vector(b[:k]))
}

// border writes row j of the full H, restricted to the active coordinates,
// into dst and returns its diagonal entry and the sum of its positive terms.
func (s *primal) border(dst []float64, j int) (diagonal, magnitude float64) {
	k := len(s.active)
	clear(dst[:k])
	diagonal, magnitude = s.l2[j], s.l2[j]
	for i, fu := range s.phiU {
		if fu == 0 {
			continue
		}
		x := s.a[i*s.p+j]
		c := fu * x
		if c == 0 {
			continue
		}
		diagonal += c * x
		magnitude += math.Abs(c * x)
		for r, xr := range s.row(i) {
			dst[r] += c * xr
		}
	}
	return diagonal, magnitude
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

func symmetric(n int, data []float64) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Data: data, Uplo: blas.Upper}
}

func vector(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }
