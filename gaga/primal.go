package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// primal is the tracker's linear algebra for predictors linear in θ in R^p:
// the residual of the optimality condition restricted to the active
// coordinates, its Jacobian H and its derivative in the age. What the samples
// add to these comes from terms, which sums either over the samples or over
// their moments.
//
// Event functions need the predictors of the watched samples only, which are
// all samples unless terms allows fewer. Arrays over the watched samples are in
// the order of watch; a position there is called a slot.
type primal struct {
	n, p   int       // samples, columns: the features and, with an intercept, a column of ones
	a      []float64 // n x p, row-major
	y, m   []float64 // targets, multiplicities
	l1, l2 []float64 // penalty of each column
	loss   Loss
	reg    Regularizer
	zones  []Zone
	terms  terms

	active []int     // active coordinates, ascending
	sign   []float64 // of each of the p coordinates: -1, +1, or 0 while inactive; 0 for columns without L1
	watch  []int     // the watched samples
	xw     []float64 // len(watch) x len(active): their active columns

	zone    []uint8 // of each sample
	members []int   // number of samples in each zone
	weighed bool    // the last zone gives weight, too
	frozen  bool    // no sample carries weight, so that nothing determines the free coordinates: they stay where they are

	residual, scale []float64 // len(active)
	floor           []float64 // p: what the scale of each coordinate's terms is at least
	hess            []float64 // len(active) squared: H, upper triangle
	diag            []float64 // len(active): H's diagonal with all terms taken positive
	factor          []float64 // Cholesky factor of H
	dage            []float64 // len(active): derivative of the residual in the age
	assembled       *point    // where hess and the rest were evaluated

	all          []int     // 0 to n-1
	gathered     []float64 // room for xw
	solveA, wide []float64 // p, scratch
}

// terms evaluates what the samples add to the optimality condition.
type terms interface {
	// assemble adds the samples' terms at pt to residual, scale, hess (upper
	// triangle), diag and dage, over the active coordinates.
	assemble(pt *point)
	// gradient writes the gradient of the samples' terms over all coordinates
	// and its rate along the path into pt's grad and dgrad, where assemble was
	// last called and pt.rate is current.
	gradient(pt *point)
	// coordinate returns the gradient of the samples' terms in coordinate j, its
	// derivative in the age at fixed θ and the size of its terms, where assemble
	// was last called.
	coordinate(j int) (gradient, dage, size float64)
	// border writes row j of the full H over the active coordinates into dst,
	// and returns its diagonal entry and the sum of that entry's positive
	// parts, both without the penalty.
	border(dst []float64, j int) (diagonal, magnitude float64)
	// place takes the zones of all samples, with u their predictors.
	place(zones []uint8, u []float64)
	// move takes note that a sample's zone has changed; theta is current.
	move(i int, from uint8, theta []float64)
	// objective returns Σ_i m_i F_λ(l_i) where assemble was last called.
	objective() float64
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
		sign: make([]float64, p), active: make([]int, 0, p), zone: make([]uint8, n), members: make([]int, len(pr.Regularizer.Zones())), all: make([]int, n),
		residual: make([]float64, p), scale: make([]float64, p), floor: make([]float64, p), diag: make([]float64, p), dage: make([]float64, p),
		hess: make([]float64, p*p), factor: make([]float64, p*p),
		solveA: make([]float64, p), wide: make([]float64, p),
	}
	for i := range n {
		s.all[i] = i
		row := s.sample(i)
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
	s.watch = s.all
	if m := newMoments(s); m != nil {
		s.terms = m
	} else {
		s.terms = newDirect(s)
	}
	return s
}

// discarded reports whether no sample carries weight.
func (s *primal) discarded() bool { return !s.weighed && s.members[len(s.zones)-1] == s.n }

// setZones takes the zones of all samples, with u their predictors.
func (s *primal) setZones(zones []uint8, u []float64) {
	s.terms.place(zones, u)
	clear(s.members)
	for _, z := range s.zone {
		s.members[z]++
	}
}

// shift moves a sample to a neighbouring zone.
func (s *primal) shift(i int, up bool, theta []float64) {
	from := s.zone[i]
	if up {
		s.zone[i]++
	} else {
		s.zone[i]--
	}
	s.members[from]--
	s.members[s.zone[i]]++
	s.terms.move(i, from, theta)
}

// setActive makes the given ascending coordinates the active ones.
func (s *primal) setActive(active []int) {
	s.active = append(s.active[:0], active...)
	s.gatherRows()
}

// setWatch makes the given samples the watched ones.
func (s *primal) setWatch(samples []int) {
	s.watch = samples
	s.gatherRows()
}

// gatherRows makes xw from the watched rows and the active columns.
func (s *primal) gatherRows() {
	k := len(s.active)
	if k == s.p && len(s.watch) == s.n {
		s.xw = s.a
		return
	}
	if s.gathered == nil {
		s.gathered = make([]float64, s.n*s.p)
	}
	s.xw = s.gathered[:len(s.watch)*k]
	for slot, i := range s.watch {
		s.gather(s.xw[slot*k:(slot+1)*k], s.sample(i))
	}
}

// sample returns a sample's row of a.
func (s *primal) sample(i int) []float64 { return s.a[i*s.p : (i+1)*s.p] }

// gather writes the active entries of the p-vector from into dst.
func (s *primal) gather(dst, from []float64) []float64 {
	for r, j := range s.active {
		dst[r] = from[j]
	}
	return dst[:len(s.active)]
}

// predict writes a·θ of the watched samples, for a θ that is zero but for its
// active coordinates and those that are frozen.
func (s *primal) predict(dst, theta []float64) {
	if s.frozen {
		for slot, i := range s.watch {
			dst[slot] = s.predictOne(i, theta)
		}
		return
	}
	k := len(s.active)
	if k == 0 || len(s.watch) == 0 {
		clear(dst)
		return
	}
	beta := s.gather(s.wide, theta)
	blas64.Gemv(blas.NoTrans, 1, general(len(s.watch), k, s.xw), vector(beta), 0, vector(dst[:len(s.watch)]))
}

// predictAll writes a·θ of all samples.
func (s *primal) predictAll(dst, theta []float64) {
	blas64.Gemv(blas.NoTrans, 1, general(s.n, s.p, s.a), vector(theta), 0, vector(dst))
}

// predictOne returns a·θ of one sample.
func (s *primal) predictOne(i int, theta []float64) float64 {
	return blas64.Dot(vector(s.sample(i)), vector(theta))
}

// assemble evaluates the optimality condition at pt (age, theta and u are set)
// on the current zones and active coordinates: residual, scale, hess and dage,
// and the losses and slopes of pt.
func (s *primal) assemble(pt *point) {
	s.assembled = pt
	s.evaluate(pt)
	k := len(s.active)
	clear(s.dage[:k])
	clear(s.hess[:k*k])
	for r, j := range s.active {
		w := pt.theta[j]
		s.residual[r] = s.l2[j]*w + s.l1[j]*s.sign[j]
		s.scale[r] = math.Abs(s.l2[j]*w) + s.l1[j] + s.floor[j]
		s.diag[r] = s.l2[j]
		s.hess[r*k+r] = s.l2[j]
	}
	s.terms.assemble(pt)
}

// evaluate evaluates the losses of the watched samples at pt, where u is set.
func (s *primal) evaluate(pt *point) {
	for slot, i := range s.watch {
		pt.loss[slot], pt.slope[slot], pt.curvature[slot] = s.loss.Eval(pt.u[slot], s.y[i])
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
// negligible, at the predictors u of all samples as the floor of the
// residual's scale.
func (s *primal) setFloor(u []float64) {
	clear(s.floor)
	for i := range s.n {
		_, slope, curvature := s.loss.Eval(u[i], s.y[i])
		f := negligible * s.m[i] * gradientTerms(u[i], slope, curvature)
		for j, x := range s.sample(i) {
			s.floor[j] += f * math.Abs(x)
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
	diagonal, magnitude = s.terms.border(dst, j)
	return diagonal + s.l2[j], magnitude + s.l2[j]
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

func symmetric(n int, data []float64) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Data: data, Uplo: blas.Upper}
}

func vector(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }
