package factor

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// panel is the number of rows that a triangular solve handles at a time: what
// is left of or below them goes through Gemv, whose kernel works on several
// rows at once.
const panel = 16

// Solve replaces b, of Len entries, by M⁻¹b.
func (s *Signed) Solve(b []float64) {
	s.check("right-hand side", len(b), s.Len())
	s.scatter(s.x, b)
	s.forward(s.x, 0)
	tail := s.x[s.n-s.q:]
	for i, v := range tail {
		tail[i] = -v
	}
	s.backward(s.x)
	s.gather(b, s.x)
}

// HalfSolve replaces b, of Len entries, by z = L⁻¹b. For two of them,
// aᵀM⁻¹b = Σ_positive z_a z_b - Σ_negative z_a z_b.
func (s *Signed) HalfSolve(b []float64) {
	s.check("right-hand side", len(b), s.Len())
	s.scatter(s.x, b)
	s.forward(s.x, 0)
	s.gather(b, s.x)
}

// InverseForm returns vᵀM⁻¹v, for v of Len entries. 1 + c vᵀM⁻¹v is the
// factor by which M + c v vᵀ changes the determinant, whose sign says whether
// the inertia stays. With y as a border, as a free intercept makes it,
// [M y; yᵀ 0] has inertia (p, q+1) exactly when yᵀM⁻¹y > 0.
func (s *Signed) InverseForm(v []float64) float64 {
	s.check("vector", len(v), s.Len())
	s.scatter(s.x, v)
	s.forward(s.x, 0)
	a, b := s.squares(s.x, 0)
	return a - b
}

// InverseDiagonal returns (M⁻¹)_rr. Its reciprocal is the pivot of row r: the
// Schur complement of all other rows.
func (s *Signed) InverseDiagonal(r int) float64 {
	a, b := s.inverse(r)
	return a - b
}

// inverse returns the two parts of (M⁻¹)_rr = a - b and leaves L⁻¹e_r in x.
func (s *Signed) inverse(r int) (a, b float64) {
	s.checkRow(r)
	clear(s.x)
	s.x[s.slot(r)] = 1
	s.forward(s.x, r)
	return s.squares(s.x, r)
}

// squares returns the sums of squares of x over the positive and the negative
// rows from row `from` on.
func (s *Signed) squares(x []float64, from int) (a, b float64) {
	if from < s.p {
		a = dot(x[from:s.p], x[from:s.p])
		from = s.p
	}
	tail := x[s.n-s.q : s.n-(from-s.p)]
	return a, dot(tail, tail)
}

// LogAbsDet returns ln|det M|; the determinant's sign is that of (-1)^q.
func (s *Signed) LogAbsDet() float64 {
	sum := 0.0
	for i := range s.Len() {
		sum += math.Log(s.data[s.slot(i)*(s.n+1)])
	}
	return 2 * sum
}

// forward replaces x, over slots, by L⁻¹x, where x is zero before row from.
func (s *Signed) forward(x []float64, from int) {
	end := s.n
	if from < s.p {
		s.forwardPositive(x, from)
		s.times(blas.NoTrans, s.n-s.q, s.n, from, s.p, x[from:s.p], x[s.n-s.q:])
	} else {
		end -= from - s.p
	}
	for j := end; j > s.n-s.q; j -= panel {
		i := max(j-panel, s.n-s.q)
		s.times(blas.NoTrans, i, j, j, end, x[j:end], x[i:j])
		s.trsv(blas.NoTrans, blas.Upper, i, j, x)
	}
}

// forwardPositive is forward for the positive part alone.
func (s *Signed) forwardPositive(x []float64, from int) {
	for i := from; i < s.p; i += panel {
		j := min(i+panel, s.p)
		s.times(blas.NoTrans, i, j, from, i, x[from:i], x[i:j])
		s.trsv(blas.NoTrans, blas.Lower, i, j, x)
	}
}

// backward replaces x, over slots, by L⁻ᵀx.
func (s *Signed) backward(x []float64) {
	for i := s.n - s.q; i < s.n; i += panel {
		j := min(i+panel, s.n)
		s.trsv(blas.Trans, blas.Upper, i, j, x)
		s.times(blas.Trans, i, j, j, s.n, x[i:j], x[j:])
	}
	s.times(blas.Trans, s.n-s.q, s.n, 0, s.p, x[s.n-s.q:], x[:s.p])
	for j := s.p; j > 0; j -= panel {
		i := max(j-panel, 0)
		s.trsv(blas.Trans, blas.Lower, i, j, x)
		s.times(blas.Trans, i, j, 0, i, x[i:j], x[:i])
	}
}

// times subtracts from y the product of x with the block of slots i..j-1 x
// u..v-1, or with its transpose.
func (s *Signed) times(t blas.Transpose, i, j, u, v int, x, y []float64) {
	if i == j || u == v {
		return
	}
	block, work := s.data[i*s.n+u:(j-1)*s.n+v], s.products
	if t == blas.NoTrans {
		work = work[:j-i]
		kernel.MulVec(work, block, s.n, x)
		for r, product := range work {
			y[r] -= product
		}
		return
	}
	work = work[:j-i]
	for r, f := range x {
		work[r] = -f
	}
	kernel.MulTransAdd(y, block, s.n, work)
}

// trsv solves with the triangle on the diagonal at slots i..j-1.
func (s *Signed) trsv(t blas.Transpose, uplo blas.Uplo, i, j int, x []float64) {
	blas64.Trsv(t, s.triangle(uplo, i, j), vector(x[i:j]))
}

func (s *Signed) triangle(uplo blas.Uplo, i, j int) blas64.Triangular {
	return blas64.Triangular{Uplo: uplo, Diag: blas.NonUnit, N: j - i, Stride: s.n, Data: s.data[i*s.n+i : (j-1)*s.n+j]}
}
