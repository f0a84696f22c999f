package dense

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// NullSpace is a factorization of
//
//	J = [ H  Gᵀ ]
//	    [ G  0  ]
//
// for a symmetric H, k x k, and independent constraints, the rows of G, by the null-space method
// (Gill, Murray, Wright: Practical Optimization, section 5.4.1). Gᵀ = Q [R; 0] with Q = [Y N]
// orthogonal: N spans the directions that keep the constraints. The Cholesky factor of NᵀHN exists
// exactly when J has as many negative eigenvalues as constraints.
//
// Q and R are updated per constraint (Gill, Golub, Murray, Saunders 1974): a new one is a
// Householder reflection of N, a removed one a sequence of plane rotations of Y.
type NullSpace struct {
	// Dependent is the relative part in the null space up to which a constraint is dependent.
	Dependent float64

	n, k    int
	list    []int // the caller's numbers, in R's order
	changes int
	q       []float64 // k x k: Qᵀ, first the len(list) rows of Y
	r       []float64 // at stride n: row c holds column c of R
	factor  []float64 // of NᵀHN, upper triangle

	w, x, along, dual []float64
	basis, image      []float64
}

// NewNullSpace has room for n unknowns and n constraints.
func NewNullSpace(n int) *NullSpace {
	f := func(k int) []float64 { return make([]float64, k) }
	return &NullSpace{
		n: n, list: make([]int, 0, n), q: f(n * n), r: f(n * n), factor: f(n * n),
		w: f(n), x: f(n), along: f(n), dual: f(n), basis: f(n * n), image: f(n * n),
	}
}

func (s *NullSpace) Constraints() []int { return s.list }

func (s *NullSpace) Free() int { return s.k - len(s.list) }

// Changes counts those since Build; each adds its rounding.
func (s *NullSpace) Changes() int { return s.changes }

func (s *NullSpace) null() blas64.General { return s.rows(len(s.list), s.k) }

func (s *NullSpace) rows(from, to int) blas64.General {
	return General(to-from, s.k, s.q[from*s.k:to*s.k])
}

func (s *NullSpace) column(c int) []float64 { return s.r[c*s.n : (c+1)*s.n] }

// Build computes Q and R for k unknowns and the numbered constraints with the rows in g, at stride
// k. It reports whether they are independent.
func (s *NullSpace) Build(k int, numbers []int, g []float64) bool {
	s.k, s.list = k, s.list[:0]
	clear(s.q[:k*k])
	for r := range k {
		s.q[r*k+r] = 1
	}
	for c, i := range numbers {
		if !s.Add(i, g[c*k:(c+1)*k]) {
			return false
		}
	}
	s.changes = 0
	return true
}

// Add appends a constraint: a reflection turns its part in the null space to N's first column. It
// returns false, without a change, if the constraint is dependent.
func (s *NullSpace) Add(number int, g []float64) bool {
	k, z := s.k, len(s.list)
	if z == k {
		return false
	}
	w := s.w[:k]
	times(w, s.rows(0, k), g)
	v := w[z:]
	norm := blas64.Nrm2(Vector(v))
	if !(norm > s.Dependent*blas64.Nrm2(Vector(g))) {
		return false
	}
	if v[0] > 0 {
		norm = -norm
	}
	column := s.column(z)
	copy(column, w[:z])
	column[z] = norm
	v[0] -= norm
	beta := -1 / (norm * v[0]) // 2/vᵀv
	image := s.x[:k]
	transTimes(image, s.null(), v)
	for r, x := range v {
		kernel.Axpy(-beta*x, image, s.q[(z+r)*k:][:k])
	}
	s.list = append(s.list, number)
	s.changes++
	return true
}

// Remove removes constraint c, in the order of Constraints: rotations of Y's columns restore R's
// triangle and turn Y's last column into N's first.
func (s *NullSpace) Remove(c int) {
	s.list = slices.Delete(s.list, c, c+1)
	k, z := s.k, len(s.list)
	for j := c; j < z; j++ {
		copy(s.column(j)[:j+2], s.column(j + 1)[:j+2])
	}
	for j := c; j < z; j++ {
		diagonal := s.column(j)
		x, y := diagonal[j], diagonal[j+1]
		norm := math.Hypot(x, y)
		cos, sin := x/norm, y/norm
		diagonal[j] = norm
		for l := j + 1; l < z; l++ {
			column := s.column(l)
			column[j], column[j+1] = cos*column[j]+sin*column[j+1], cos*column[j+1]-sin*column[j]
		}
		blas64.Rot(Vector(s.q[j*k:(j+1)*k]), Vector(s.q[(j+1)*k:(j+2)*k]), cos, sin)
	}
	s.changes++
}

// Factorize factorizes NᵀHN. It returns false if a squared pivot is not above tolerance * size.
func (s *NullSpace) Factorize(h blas64.General, size, tolerance float64) bool {
	n := s.Free()
	sizes := s.w[:n]
	for r := range sizes {
		sizes[r] = size
	}
	s.project(s.factor[:n*n], h)
	return Upper(s.factor[:n*n], sizes, tolerance)
}

func (s *NullSpace) project(dst []float64, m blas64.General) {
	k, null := s.k, s.null()
	free := null.Rows
	basis, image := s.basis[:k*free], s.image[:k*free]
	for c := range free {
		for r, x := range null.Data[c*k : (c+1)*k] {
			basis[r*free+c] = x
		}
	}
	clear(image)
	kernel.MulAdd(image, free, m.Data, m.Stride, 1, basis, free, k, free, k)
	clear(dst)
	kernel.MulAdd(dst, free, null.Data, k, 1, image, free, free, free, k)
}

// Solve overwrites b with J⁻¹b, given H's upper triangle. Constraint c has the entry k + at[c].
func (s *NullSpace) Solve(b []float64, at []int, hess blas64.Symmetric) {
	k, z := s.k, len(s.list)
	top := b[:k]
	if z == 0 {
		s.inverse(top)
		return
	}
	// The part in the range, from Rᵀ y = the constraints' right-hand side.
	y := s.dual[:z]
	for c := range z {
		column := s.column(c)
		y[c] = (b[k+at[c]] - blas64.Dot(Vector(column[:c]), Vector(y[:c]))) / column[c]
	}
	x := s.x[:k]
	transTimes(x, s.rows(0, z), y)
	blas64.Symv(-1, hess, Vector(x), 1, Vector(top)) // subtract H's product from b
	if k > z {
		w := s.w[:k]
		copy(w, top)
		s.inverse(w)
		blas64.Symv(-1, hess, Vector(w), 1, Vector(top))
		blas64.Axpy(1, Vector(w), Vector(x))
	}
	times(y, s.rows(0, z), top)
	for c := z - 1; c >= 0; c-- {
		column := s.column(c)
		y[c] /= column[c]
		blas64.Axpy(-y[c], Vector(column[:c]), Vector(y[:c]))
	}
	copy(top, x)
	for c, place := range at[:z] {
		b[k+place] = y[c]
	}
}

func (s *NullSpace) inverse(x []float64) {
	free := s.Free()
	if free == 0 {
		clear(x)
		return
	}
	w := s.along[:free]
	times(w, s.null(), x)
	kernel.SolveUpperTrans(w, s.factor, free)
	kernel.SolveUpper(w, s.factor, free)
	transTimes(x, s.null(), w)
}

// Quadratic returns bᵀN(NᵀHN)⁻¹Nᵀb.
func (s *NullSpace) Quadratic(b []float64) float64 {
	free := s.Free()
	if free == 0 {
		return 0
	}
	w := s.along[:free]
	times(w, s.null(), b)
	kernel.SolveUpperTrans(w, s.factor, free)
	return kernel.Dot(w, w)
}

func times(dst []float64, m blas64.General, x []float64) { kernel.MulVec(dst, m.Data, m.Stride, x) }

func transTimes(dst []float64, m blas64.General, x []float64) {
	clear(dst)
	kernel.MulTransAdd(dst, m.Data, m.Stride, x)
}

// General returns the data as a row-major matrix, without copying.
func General(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// Vector returns the data as a contiguous vector, without copying.
func Vector(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }

// Dot returns the dot product of vectors of the same length.
func Dot(x, y []float64) float64 { return blas64.Dot(Vector(x), Vector(y)) }
