package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// pins is the factorization of
//
//	J = [ H  Gᵀ ]
//	    [ G  0  ],
//
// with a row of G for each pinned sample, by the null-space method (Gill,
// Murray, Wright: Practical Optimization, section 5.4.1): with Gᵀ = Q [R; 0] it
// is R and the Cholesky factor of QᵀHQ's block on the null space of G, which
// exists exactly when the point is a strict minimum on its zones.
type pins struct {
	k, z   int       // unknowns among the coordinates, pinned samples
	qr     []float64 // k x z: Householder vectors of Q below R
	tau    []float64 // z
	h      []float64 // k x k: QᵀHQ
	factor []float64 // (k-z) squared: Cholesky factor of h's last block
	work   []float64
	b      []float64 // 2p, scratch: right-hand sides
}

func newPins(p int) *pins {
	return &pins{
		qr: make([]float64, p*p), tau: make([]float64, p), h: make([]float64, p*p),
		factor: make([]float64, p*p), work: make([]float64, 64*p+64), b: make([]float64, 2*p),
	}
}

// dependent is the pivot of R, relative to its row of G, below which pinned
// samples count as dependent.
const dependent = 1e-9

// factorize reports whether the pins are independent and the block positive
// definite.
func (f *pins) factorize(s *primal) bool {
	k, z := len(s.active), len(s.multipliers)
	if z < s.members[pinned] {
		return false
	}
	f.k, f.z = k, z
	f.gather(s)
	lapack64.Geqrf(f.matrix(), f.tau[:z], f.work, len(f.work))
	for c := range z {
		if !(math.Abs(f.qr[c*z+c]) > dependent*f.norm(s, c)) {
			return false
		}
	}
	h := general(k, k, f.h[:k*k])
	for r := range k {
		for c := r; c < k; c++ {
			v := s.hess[r*k+c]
			h.Data[r*k+c], h.Data[c*k+r] = v, v
		}
	}
	f.rotate(blas.Left, blas.Trans, h)
	f.rotate(blas.Right, blas.NoTrans, h)
	free := k - z
	if free == 0 {
		return true
	}
	for r := range free {
		copy(f.factor[r*free:(r+1)*free], h.Data[(z+r)*k+z:(z+r+1)*k])
	}
	if _, ok := lapack64.Potrf(symmetric(free, f.factor[:free*free])); !ok {
		return false
	}
	var largest float64 // of the positive terms: those of one rotated coordinate cost as much as the rotation
	for _, d := range s.diag[:k] {
		largest = math.Max(largest, d)
	}
	for r := range free {
		if pivot := f.factor[r*free+r]; !(pivot*pivot > singular*largest) {
			return false
		}
	}
	return true
}

// gather writes Gᵀ.
func (f *pins) gather(s *primal) {
	for c, i := range s.multipliers {
		row := s.sample(i)
		for r, j := range s.active {
			f.qr[r*f.z+c] = -s.y[i] * row[j]
		}
	}
}

// norm returns the norm of a row of G.
func (f *pins) norm(s *primal, c int) float64 {
	var sum float64
	row := s.sample(s.multipliers[c])
	for _, j := range s.active {
		sum += row[j] * row[j]
	}
	return math.Sqrt(sum)
}

func (f *pins) matrix() blas64.General { return general(f.k, f.z, f.qr[:f.k*f.z]) }

// rotate overwrites c with Qc, Qᵀc or cQ.
func (f *pins) rotate(side blas.Side, trans blas.Transpose, c blas64.General) {
	lapack64.Ormqr(side, trans, f.matrix(), f.tau[:f.z], c, f.work, len(f.work))
}

func (f *pins) upper() blas64.Triangular {
	return blas64.Triangular{N: f.z, Stride: f.z, Data: f.qr[:f.k*f.z], Uplo: blas.Upper, Diag: blas.NonUnit}
}

func (f *pins) cholesky() blas64.Triangular {
	free := f.k - f.z
	return blas64.Triangular{N: free, Stride: max(1, free), Data: f.factor[:free*free], Uplo: blas.Upper, Diag: blas.NonUnit}
}

// solve overwrites b, k + z long, with J⁻¹b.
func (f *pins) solve(b []float64) {
	k, z := f.k, f.z
	x, alpha := b[:k], b[k:k+z]
	f.rotate(blas.Left, blas.Trans, general(k, 1, x))
	// x1 from Rᵀ x1 = the pins' right-hand side.
	blas64.Trsv(blas.Trans, f.upper(), vector(alpha))
	x1 := f.work[:z]
	copy(x1, alpha)
	h := general(k, z, f.h)
	h.Stride = k
	blas64.Gemv(blas.NoTrans, -1, h, vector(x1), 1, vector(x)) // less H's columns of x1
	copy(alpha, x[:z])
	if free := k - z; free > 0 {
		x2 := x[z:]
		blas64.Trsv(blas.Trans, f.cholesky(), vector(x2))
		blas64.Trsv(blas.NoTrans, f.cholesky(), vector(x2))
		corner := general(z, free, f.h[z:])
		corner.Stride = k
		blas64.Gemv(blas.NoTrans, -1, corner, vector(x2), 1, vector(alpha))
	}
	copy(x[:z], x1)
	blas64.Trsv(blas.NoTrans, f.upper(), vector(alpha))
	f.rotate(blas.Left, blas.NoTrans, general(k, 1, x))
}

// quadratic returns bᵀH⁻¹b on the null space of G for b over the coordinates,
// clobbering b.
func (f *pins) quadratic(b []float64) float64 {
	if f.k == f.z {
		return 0
	}
	f.rotate(blas.Left, blas.Trans, general(f.k, 1, b[:f.k]))
	x := vector(b[f.z:f.k])
	blas64.Trsv(blas.Trans, f.cholesky(), x)
	return blas64.Dot(x, x)
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

// assemblePins adds what pinned samples add to the optimality condition at pt,
// and their own equations g_i = 1 - y_i u_i = 0.
func (s *primal) assemblePins(pt *point) {
	k := len(s.active)
	for q, i := range s.multipliers {
		row, alpha := s.sample(i), pt.dual[i]
		u, size := 0.0, 1.0
		for r, j := range s.active {
			x := row[j]
			s.residual[r] -= alpha * s.y[i] * x
			s.scale[r] += math.Abs(alpha * x)
			u += x * pt.theta[j]
			size += math.Abs(x * pt.theta[j])
		}
		s.residual[k+q], s.scale[k+q] = 1-s.y[i]*u, size
	}
}

// pinnedGradient returns the pinned samples' part of the gradient in coordinate
// j and the size of its terms.
func (s *primal) pinnedGradient(pt *point, j int) (gradient, size float64) {
	for _, i := range s.multipliers {
		x := pt.dual[i] * s.a[i*s.p+j]
		gradient -= s.y[i] * x
		size += math.Abs(x)
	}
	return gradient, size
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
