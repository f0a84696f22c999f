package factor

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

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
	first, end := s.n-s.q, s.n
	if from < s.p {
		s.forwardPositive(x, from)
		s.eliminate(x[first:], x[from:s.p], from)
	} else {
		end -= from - s.p
	}
	if first < end {
		kernel.SolveUpper(x[first:end], s.data[first*s.n+first:], s.n)
	}
}

// forwardPositive is forward for the positive part alone.
func (s *Signed) forwardPositive(x []float64, from int) {
	if from < s.p {
		kernel.SolveLower(x[from:s.p], s.data[from*s.n+from:], s.n)
	}
}

// eliminate subtracts from y, over the negative part's slots, the product of L's block
// there with x, the positive part's entries from row from on.
func (s *Signed) eliminate(y, x []float64, from int) {
	if s.q == 0 {
		return
	}
	work := s.products[:s.q]
	kernel.MulVec(work, s.data[(s.n-s.q)*s.n+from:], s.n, x)
	for r, product := range work {
		y[r] -= product
	}
}

// backward replaces x, over slots, by L⁻ᵀx.
func (s *Signed) backward(x []float64) {
	first := s.n - s.q
	if s.q > 0 {
		tail, work := x[first:], s.products[:s.q]
		kernel.SolveUpperTrans(tail, s.data[first*s.n+first:], s.n)
		for r, f := range tail {
			work[r] = -f
		}
		kernel.MulTransAdd(x[:s.p], s.data[first*s.n:], s.n, work)
	}
	kernel.SolveLowerTrans(x[:s.p], s.data, s.n)
}
