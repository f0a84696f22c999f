package condition

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// factorization is a factorization of J, from H and Diag.
type factorization interface {
	// factorize reports whether H is positive definite, away from singularity, on the
	// directions that keep pinned samples pinned.
	factorize() bool
	// solve overwrites b, over the unknowns, with J⁻¹b.
	solve(b []float64)
	// quadratic returns bᵀH⁻¹b on these directions, for b over the active coordinates. It
	// may overwrite b.
	quadratic(b []float64) float64
	// reuse returns the part of the residual that a step by the factor of another point
	// may leave, and whether corrections begin with such factors.
	reuse() (slow float64, begins bool)
}

// cholesky is the Cholesky factor of H, for losses without a kink.
type cholesky struct {
	*sums.Scope
	factor []float64 // len(Active) squared
}

func newCholesky(s *sums.Scope) *cholesky { return &cholesky{s, zeros(s.P * s.P)} }

func (f *cholesky) factorize() bool {
	k := len(f.Active)
	if k == 0 {
		return true
	}
	factor := f.factor[:k*k]
	copy(factor, f.Hess[:k*k])
	if _, ok := lapack64.Potrf(symmetric(k, factor)); !ok {
		return false
	}
	for r := range k {
		if pivot := factor[r*k+r]; !(pivot*pivot > tolerance.Singular*f.Diag[r]) {
			return false
		}
	}
	return true
}

func (f *cholesky) solve(b []float64) {
	k := len(f.Active)
	kernel.SolveUpperTrans(b[:k], f.factor, k)
	kernel.SolveUpper(b[:k], f.factor, k)
}

func (f *cholesky) quadratic(b []float64) float64 {
	k := len(f.Active)
	if k == 0 {
		return 0
	}
	kernel.SolveUpperTrans(b[:k], f.factor, k)
	return kernel.Dot(b[:k], b[:k])
}

func (f *cholesky) reuse() (slow float64, begins bool) {
	if len(f.Active) < tolerance.FewColumns {
		return tolerance.FewColumnsSlow, true
	}
	return tolerance.ChordSlow, true
}

// upper overwrites the upper triangle of a, n x n, with the factor U of a = UᵀU and
// reports whether a is positive definite.
func upper(a []float64, n int) bool {
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

// nullSpace is the factorization of
//
//	J = [ H  Gᵀ ]
//	    [ G  0  ],
//
// with a row of G for each pinned sample, by the null-space method (Gill, Murray,
// Wright: Practical Optimization, section 5.4.1): the basis and the Cholesky factor of
// NᵀHN, which exists exactly when the point is a strict minimum on its zones.
type nullSpace struct {
	*basis
	reduced reduction
	factor  []float64 // free() squared: Cholesky factor of NᵀHN, upper triangle
	dual    []float64 // P, scratch: of the pins
	along   []float64 // P, scratch: of the null space
}

// reduction writes the upper triangle of NᵀHN into dst.
type reduction interface{ reduce(dst blas64.General) }

func newNullSpace(b *basis, r reduction) *nullSpace {
	return &nullSpace{basis: b, reduced: r, factor: zeros(b.P * b.P), dual: zeros(b.P), along: zeros(b.P)}
}

// projected reduces H as it is.
type projected struct{ *basis }

func (p projected) reduce(dst blas64.General) {
	k := len(p.Active)
	for r := range k {
		for c := r + 1; c < k; c++ {
			p.Hess[c*k+r] = p.Hess[r*k+c]
		}
	}
	p.sandwich(dst, general(k, k, p.Hess[:k*k]))
}

func (f *nullSpace) factorize() bool {
	if len(f.Pins) < f.Members[model.Pinned] || !f.follow() {
		return false
	}
	free := f.free()
	if free == 0 {
		return true
	}
	f.reduced.reduce(general(free, free, f.factor[:free*free]))
	if !upper(f.factor[:free*free], free) {
		return false
	}
	var largest float64 // of the positive terms: those of one rotated coordinate cost as much as the rotation
	for _, d := range f.Diag[:len(f.columns)] {
		largest = math.Max(largest, d)
	}
	for r := range free {
		if pivot := f.factor[r*free+r]; !(pivot*pivot > tolerance.Singular*largest) {
			return false
		}
	}
	return true
}

func (f *nullSpace) solve(b []float64) {
	k, z := len(f.columns), len(f.list)
	top := b[:k]
	if z == 0 {
		f.inverse(top)
		return
	}
	// The part in the range from Rᵀ y = the pins' right-hand side.
	y := f.dual[:z]
	for c := range z {
		column := f.column(c)
		y[c] = (b[k+f.at[c]] - blas64.Dot(vector(column[:c]), vector(y[:c]))) / column[c]
	}
	x := f.x[:k]
	blas64.Gemv(blas.Trans, 1, f.span(), vector(y), 0, vector(x))
	h := symmetric(k, f.Hess[:k*k])
	blas64.Symv(-1, h, vector(x), 1, vector(top)) // b less H's product with it
	if k > z {
		w := f.w[:k]
		copy(w, top)
		f.inverse(w)
		blas64.Symv(-1, h, vector(w), 1, vector(top))
		blas64.Axpy(1, vector(w), vector(x))
	}
	blas64.Gemv(blas.NoTrans, 1, f.span(), vector(top), 0, vector(y))
	for c := z - 1; c >= 0; c-- {
		column := f.column(c)
		y[c] /= column[c]
		blas64.Axpy(-y[c], vector(column[:c]), vector(y[:c]))
	}
	copy(top, x)
	for c, at := range f.at {
		b[k+at] = y[c]
	}
}

// inverse overwrites x with N(NᵀHN)⁻¹Nᵀx.
func (f *nullSpace) inverse(x []float64) {
	free := f.free()
	if free == 0 {
		clear(x)
		return
	}
	w := f.along[:free]
	blas64.Gemv(blas.NoTrans, 1, f.null(), vector(x), 0, vector(w))
	kernel.SolveUpperTrans(w, f.factor, free)
	kernel.SolveUpper(w, f.factor, free)
	blas64.Gemv(blas.Trans, 1, f.null(), vector(w), 0, vector(x))
}

func (f *nullSpace) quadratic(b []float64) float64 {
	free := f.free()
	if free == 0 {
		return 0
	}
	w := f.along[:free]
	blas64.Gemv(blas.NoTrans, 1, f.null(), vector(b[:len(f.columns)]), 0, vector(w))
	kernel.SolveUpperTrans(w, f.factor, free)
	return kernel.Dot(w, w)
}

func (f *nullSpace) reuse() (slow float64, begins bool) { return tolerance.PinnedSlow, false }
