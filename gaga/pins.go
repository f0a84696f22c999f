package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// pins is the factorization of
//
//	J = [ H  Gᵀ ]
//	    [ G  0  ],
//
// with a row of G for each pinned sample, by the null-space method (Gill,
// Murray, Wright: Practical Optimization, section 5.4.1): with Gᵀ = Q [R; 0] and
// Q = [Y N] it is R and the Cholesky factor of NᵀHN, which exists exactly when
// the point is a strict minimum on its zones.
//
// Q and R follow the pinned samples one by one (Gill, Golub, Murray, Saunders
// 1974): a new one is a Householder reflection of N, one that leaves a sequence
// of plane rotations of Y. Where H is but for the penalty a multiple of a sum of
// products that changes by one sample at a time, that sum is kept on the null
// space too, so that a change costs O(k²) and a factorization that of NᵀHN only.
type pins struct {
	k, z     int       // unknowns among the coordinates, pinned samples
	columns  []int     // the active coordinates, as they were when q was built
	list     []int     // z: the pinned samples, in the order of R's columns
	g        []float64 // rows of G, in the order of the system's multipliers
	absolute []float64 // their absolute values
	q        []float64 // k x k: Qᵀ, so that its first z rows are Y's columns
	r        []float64 // at stride p: row c holds column c of R
	sum      []float64 // k x k: N's block, at the place of N's rows in q, of QᵀSQ for S the terms' sum of products
	factor   []float64 // (k-z) squared: Cholesky factor of NᵀHN, upper triangle
	stale    bool      // q, r and sum are to be built anew
	age      int       // changes since they were
	at       []int     // z: where list's samples are among the multipliers

	t1, t2, w, x []float64 // scratch: p each
	image        []float64 // p x p, scratch
	b            []float64 // 2p, scratch: right-hand sides
}

func newPins(p int) *pins {
	f := func(n int) []float64 { return make([]float64, n) }
	return &pins{
		g: f(p * p), absolute: f(p * p), q: f(p * p), r: f(p * p), sum: f(p * p), factor: f(p * p), image: f(p * p), stale: true,
		list: make([]int, 0, p), at: make([]int, 0, p), columns: make([]int, 0, p),
		t1: f(p), t2: f(p), w: f(p), x: f(p), b: f(2 * p),
	}
}

// dependent is the pivot of R, relative to its row of G, below which pinned
// samples count as dependent.
const dependent = 1e-9

// lasting is how many changes Q takes before it is built anew.
const lasting = 200

// factorize reports whether the pins are independent and NᵀHN is positive
// definite.
func (f *pins) factorize(s *primal) bool {
	if len(s.multipliers) < s.members[pinned] || !f.follow(s) {
		return false
	}
	free := f.k - f.z
	if free == 0 {
		return true
	}
	f.project(s)
	if !cholesky(f.factor[:free*free], free) {
		return false
	}
	var largest float64 // of the positive terms: those of one rotated coordinate cost as much as the rotation
	for _, d := range s.diag[:f.k] {
		largest = math.Max(largest, d)
	}
	for r := range free {
		if pivot := f.factor[r*free+r]; !(pivot*pivot > singular*largest) {
			return false
		}
	}
	return true
}

// project writes NᵀHN, upper triangle, into factor.
func (f *pins) project(s *primal) {
	k, z, free := f.k, f.z, f.k-f.z
	if s.margins == nil {
		for r := range k {
			for c := r + 1; c < k; c++ {
				s.hess[c*k+r] = s.hess[r*k+c]
			}
		}
		f.sandwich(general(free, free, f.factor[:free*free]), general(k, k, s.hess[:k*k]))
		return
	}
	// The penalty's part is its largest weight less what columns lack to it.
	var top float64
	for _, j := range s.active {
		top = math.Max(top, s.l2[j])
	}
	for r := range free {
		row := f.factor[r*free+r : (r+1)*free]
		copy(row, f.sum[(z+r)*k+z+r:(z+r+1)*k])
		blas64.Scal(s.margins.coefficient, vector(row))
		row[0] += top
	}
	for c, j := range s.active {
		lack := top - s.l2[j]
		if lack == 0 {
			continue
		}
		for r := range free {
			x := -lack * f.q[(z+r)*k+c]
			for q := r; q < free; q++ {
				f.factor[r*free+q] += x * f.q[(z+q)*k+c]
			}
		}
	}
}

// sandwich writes NᵀMN into dst for a symmetric k x k matrix.
func (f *pins) sandwich(dst, m blas64.General) {
	null := general(f.k-f.z, f.k, f.q[f.z*f.k:f.k*f.k])
	image := general(null.Rows, f.k, f.image[:null.Rows*f.k])
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, null, m, 0, image)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, image, null, 0, dst)
}

// cholesky overwrites the upper triangle of a, n x n, with the factor U of
// a = UᵀU and reports whether a is positive definite.
func cholesky(a []float64, n int) bool {
	for r := range n {
		row := a[r*n+r : (r+1)*n]
		if !(row[0] > 0) {
			return false
		}
		pivot := math.Sqrt(row[0])
		row[0] = pivot
		for c := 1; c < len(row); c++ {
			row[c] /= pivot
		}
		for c := 1; c < len(row); c++ {
			blas64.Axpy(-row[c], vector(row[c:]), vector(a[(r+c)*n+r+c:(r+c+1)*n]))
		}
	}
	return true
}

// solve overwrites b, k + z long, with J⁻¹b.
func (f *pins) solve(s *primal, b []float64) {
	k, z := f.k, f.z
	top := b[:k]
	if z == 0 {
		f.inverse(top)
		return
	}
	// The part in the range from Rᵀ y = the pins' right-hand side.
	y := f.t1[:z]
	for c := range z {
		column := f.r[c*len(f.t1):]
		y[c] = (b[k+f.at[c]] - blas64.Dot(vector(column[:c]), vector(y[:c]))) / column[c]
	}
	span := general(z, k, f.q[:z*k])
	x := f.x[:k]
	blas64.Gemv(blas.Trans, 1, span, vector(y), 0, vector(x))
	h := symmetric(k, s.hess[:k*k])
	blas64.Symv(-1, h, vector(x), 1, vector(top)) // b less H's product with it
	if k > z {
		w := f.w[:k]
		copy(w, top)
		f.inverse(w)
		blas64.Symv(-1, h, vector(w), 1, vector(top))
		blas64.Axpy(1, vector(w), vector(x))
	}
	blas64.Gemv(blas.NoTrans, 1, span, vector(top), 0, vector(y))
	for c := z - 1; c >= 0; c-- {
		column := f.r[c*len(f.t1):]
		y[c] /= column[c]
		blas64.Axpy(-y[c], vector(column[:c]), vector(y[:c]))
	}
	copy(top, x)
	for c, at := range f.at {
		b[k+at] = y[c]
	}
}

// inverse overwrites x with N(NᵀHN)⁻¹Nᵀx.
func (f *pins) inverse(x []float64) {
	free := f.k - f.z
	if free == 0 {
		clear(x)
		return
	}
	null := general(free, f.k, f.q[f.z*f.k:f.k*f.k])
	w := f.t2[:free]
	blas64.Gemv(blas.NoTrans, 1, null, vector(x), 0, vector(w))
	kernel.SolveUpperTrans(w, f.factor, free)
	kernel.SolveUpper(w, f.factor, free)
	blas64.Gemv(blas.Trans, 1, null, vector(w), 0, vector(x))
}

// quadratic returns bᵀH⁻¹b on the null space of G for b over the coordinates.
func (f *pins) quadratic(b []float64) float64 {
	free := f.k - f.z
	if free == 0 {
		return 0
	}
	w := f.t2[:free]
	blas64.Gemv(blas.NoTrans, 1, general(free, f.k, f.q[f.z*f.k:f.k*f.k]), vector(b[:f.k]), 0, vector(w))
	kernel.SolveUpperTrans(w, f.factor, free)
	return kernel.Dot(w, w)
}

// zero returns a right-hand side of zeros.
func (f *pins) zero(s *primal) []float64 {
	b := f.b[:s.unknowns()]
	clear(b)
	return b
}

// unit returns the right-hand side that is 1 in the equation of pinned sample i.
func (f *pins) unit(s *primal, i int) []float64 {
	b := f.zero(s)
	b[s.unknownOf(i)] = 1
	return b
}

// gather writes the rows of G and their absolute values.
func (f *pins) gather(s *primal) {
	k := len(s.active)
	for c, i := range s.multipliers {
		row, absolute, x, y := f.g[c*k:(c+1)*k], f.absolute[c*k:(c+1)*k], s.sample(i), -s.y[i]
		for r, j := range s.active {
			row[r] = y * x[j]
			absolute[r] = math.Abs(x[j])
		}
	}
}

// assemble adds what pinned samples add to the optimality condition at pt, and
// their own equations g_i = 1 - y_i u_i = 0.
func (f *pins) assemble(s *primal, pt *point) {
	k, z := len(s.active), len(s.multipliers)
	g, absolute := f.g[:z*k], f.absolute[:z*k]
	alpha, size := f.t1[:z], f.t2[:z]
	for q, i := range s.multipliers {
		alpha[q], size[q] = pt.dual[i], math.Abs(pt.dual[i])
	}
	kernel.MulTransAdd(s.residual[:k], g, k, alpha)
	kernel.MulTransAdd(s.scale[:k], absolute, k, size)
	theta := s.gather(s.wide, pt.theta)
	kernel.MulVec(s.residual[k:k+z], g, k, theta)
	for r, w := range theta {
		theta[r] = math.Abs(w)
	}
	kernel.MulVec(s.scale[k:k+z], absolute, k, theta)
	for q := range z {
		s.residual[k+q]++
		s.scale[k+q]++
	}
}

// addPinned adds the pinned samples' part of the gradient in all coordinates and
// the size of its terms.
func (s *primal) addPinned(gradient, size []float64, pt *point) {
	for _, i := range s.multipliers {
		f := -s.y[i] * pt.dual[i]
		for j, x := range s.sample(i) {
			x *= f
			gradient[j] += x
			size[j] += math.Abs(x)
		}
	}
}

// pinnedResidual returns the largest relative violation of the pinned samples'
// conditions: that they are at the kink, with multipliers between their bounds.
func (s *primal) pinnedResidual(pt *point) float64 {
	var worst float64
	for _, i := range s.multipliers {
		u, size, top := 0.0, 1.0, s.bound*s.m[i]
		for j, x := range s.sample(i) {
			u += x * pt.theta[j]
			size += math.Abs(x * pt.theta[j])
		}
		worst = math.Max(worst, math.Abs(1-s.y[i]*u)/size)
		worst = math.Max(worst, math.Max(-pt.dual[i], pt.dual[i]-top)/top)
	}
	return worst
}
