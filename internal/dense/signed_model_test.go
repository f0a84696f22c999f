package dense

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/internal/kernel"
)

// model is M kept plainly beside the factor, with the number of its positive
// rows.
type model struct {
	m [][]float64
	p int
}

func (m *model) clone() *model {
	c := &model{p: m.p}
	for _, row := range m.m {
		c.m = append(c.m, slices.Clone(row))
	}
	return c
}

// inserted is the model with a row and column before row at.
func (m *model) inserted(at int, column []float64, positive bool) *model {
	c := m.clone()
	for i := range c.m {
		c.m[i] = slices.Insert(c.m[i], at, column[i+boolean(i >= at)])
	}
	c.m = slices.Insert(c.m, at, slices.Clone(column))
	c.p += boolean(positive)
	return c
}

func (m *model) deleted(r int) *model {
	c := m.clone()
	c.m = slices.Delete(c.m, r, r+1)
	for i := range c.m {
		c.m[i] = slices.Delete(c.m[i], r, r+1)
	}
	c.p -= boolean(r < m.p)
	return c
}

func (m *model) updated(c float64, v []float64) *model {
	n := m.clone()
	for i := range n.m {
		for j := range n.m {
			n.m[i][j] += c * v[i] * v[j]
		}
	}
	return n
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func unit(n, r int) []float64 {
	v := make([]float64, n)
	v[r] = 1
	return v
}

// block is the leading square of the given size.
func (m *model) block(size int) *mat.SymDense {
	b := mat.NewSymDense(size, nil)
	for i := range size {
		for j := range i + 1 {
			b.SetSym(i, j, m.m[i][j])
		}
	}
	return b
}

// eigen returns the eigenvalues of the leading square of the given size.
func (m *model) eigen(t testing.TB, size int) []float64 {
	if size == 0 {
		return nil
	}
	var e mat.EigenSym
	if !e.Factorize(m.block(size), false) {
		t.Fatal("no eigenvalues")
	}
	return e.Values(nil)
}

// exists tells by eigenvalues which error a factorization of M has, and how
// close to singular it is: the smallest eigenvalue of the positive part or of M
// over the largest.
func (m *model) exists(t testing.TB) (distance float64, err error) {
	distance, largest := math.Inf(1), 1e-300
	for _, v := range m.eigen(t, m.p) {
		distance, largest = min(distance, math.Abs(v)), max(largest, math.Abs(v))
		if v <= 0 {
			err = ErrPositive
		}
	}
	above := 0
	for _, v := range m.eigen(t, len(m.m)) {
		distance, largest = min(distance, math.Abs(v)), max(largest, math.Abs(v))
		above += boolean(v > 0)
	}
	if err == nil && above != m.p {
		err = ErrNegative
	}
	return distance / largest, err
}

func (m *model) row(i, from int, dst []float64) { copy(dst, m.m[i][from:]) }

func (m *model) norm() float64 {
	largest := 0.0
	for _, row := range m.m {
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}

// entry returns entry (i, j) of L.
func (s *Signed) entry(i, j int) float64 { return s.lower.Row(i)[j] }

// rows returns L row by row.
func (s *Signed) rows() (l []float64) {
	for i := range s.Len() {
		l = append(l, s.lower.Row(i)...)
	}
	return l
}

// product returns entry (i, j) of L J Lᵀ.
func (s *Signed) product(i, j int) float64 {
	sum := 0.0
	for k := range min(i, j) + 1 {
		term := s.entry(i, k) * s.entry(j, k)
		if k >= s.p {
			term = -term
		}
		sum += term
	}
	return sum
}

// off returns the largest entry of L J Lᵀ - M over M's.
func (m *model) off(t testing.TB, s *Signed) float64 {
	t.Helper()
	if s.Len() != len(m.m) || s.p != m.p || s.Len()-s.p != len(m.m)-m.p {
		t.Fatalf("factor has %d + %d rows, want %d + %d", s.p, s.Len()-s.p, m.p, len(m.m)-m.p)
	}
	largest := 0.0
	for i := range m.m {
		if !(s.entry(i, i) > 0) {
			t.Fatalf("diagonal %d of L is %g", i, s.entry(i, i))
		}
		for j := range i + 1 {
			largest = max(largest, math.Abs(s.product(i, j)-m.m[i][j]))
		}
	}
	return largest / max(m.norm(), 1e-300)
}

// agrees checks every query against a dense solve, to a relative tolerance.
func (m *model) agrees(t testing.TB, s *Signed, random *rand.Rand, tolerance float64) {
	t.Helper()
	k := len(m.m)
	if k == 0 {
		return
	}
	b := vectorOf(random, k)
	var inverse mat.Dense
	if err := inverse.Inverse(m.block(k)); err != nil {
		t.Fatal(err)
	}
	var want mat.VecDense
	want.MulVec(&inverse, mat.NewVecDense(k, b))
	scale := mat.Norm(&inverse, 2) * mat.Norm(mat.NewVecDense(k, b), 2)
	near := func(name string, got, want, scale float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tolerance*scale) {
			t.Errorf("%d + %d rows: %s %g, want %g (scale %g)", m.p, k-m.p, name, got, want, scale)
		}
	}
	x := slices.Clone(b)
	s.Solve(x)
	for i := range x {
		near("solution", x[i], want.AtVec(i), scale)
		near("inverse's diagonal", s.InverseDiagonal(i), inverse.At(i, i), mat.Norm(&inverse, 2))
	}
	// A right-hand side that is zero in the positive part.
	clear(b[:m.p])
	want.MulVec(&inverse, mat.NewVecDense(k, b))
	copy(x, b)
	s.Solve(x)
	tail := slices.Clone(b)
	s.SolveNegative(tail[m.p:])
	s.ExtendNegative(tail)
	for i := range x {
		near("solution for zeros", x[i], want.AtVec(i), scale)
		near("solution by parts", tail[i], want.AtVec(i), scale)
	}
	b = vectorOf(random, k)
	want.MulVec(&inverse, mat.NewVecDense(k, b))
	form := mat.Dot(&want, mat.NewVecDense(k, b))
	near("form", s.InverseForm(b), form, scale*mat.Norm(mat.NewVecDense(k, b), 2))
	z := slices.Clone(b)
	s.HalfSolve(z)
	near("half solves", kernel.Dot(z[:m.p], z[:m.p])-kernel.Dot(z[m.p:], z[m.p:]), form, scale*mat.Norm(mat.NewVecDense(k, b), 2))
	logarithm, sign := mat.LogDet(m.block(k))
	near("ln|det|", s.LogAbsDet(), logarithm, max(1, math.Abs(logarithm))*scale*m.norm())
	if (sign < 0) != ((k-m.p)%2 == 1) {
		t.Errorf("%d negative rows, determinant's sign %g", k-m.p, sign)
	}
}

func vectorOf(random *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = random.NormFloat64()
	}
	return v
}

// gram returns kernel values of samples in d dimensions, as a support vector
// machine has them.
func gram(random *rand.Rand, n, d int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = vectorOf(random, d)
	}
	q := make([][]float64, n)
	for i := range q {
		q[i] = make([]float64, n)
		for j := range q {
			square := 0.0
			for f := range d {
				square += (x[i][f] - x[j][f]) * (x[i][f] - x[j][f])
			}
			q[i][j] = math.Exp(-square / float64(d))
		}
	}
	return q
}

// quasidefinite returns a random M with a factor: p samples pinned, q curved
// with a shift beyond their kernel's largest eigenvalue.
func quasidefinite(random *rand.Rand, p, q int) *model {
	m := &model{m: gram(random, p+q, 4), p: p}
	for i := range m.m {
		if i < p {
			m.m[i][i] += 0.1
		} else {
			m.m[i][i] -= 1 + float64(q)*random.Float64()
		}
	}
	return m
}
