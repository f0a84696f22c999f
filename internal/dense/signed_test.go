package dense

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sizes are numbers of positive and negative rows around the sizes of groups
// and panels.
var sizes = [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {3, 2}, {4, 4}, {5, 0}, {0, 7}, {2, 9}, {9, 1}, {33, 31}, {32, 65}, {70, 40}}

func computed(t testing.TB, m *model, capacity int) *Signed {
	t.Helper()
	s := NewSigned(capacity)
	if err := s.Compute(m.p, len(m.m)-m.p, m.row); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestComputeAndSolve(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for _, size := range sizes {
		for _, spare := range []int{0, 1, 13} {
			m := signedOf(t, random, size[0], size[1])
			s := computed(t, m, size[0]+size[1]+spare)
			if off := m.off(t, s); off > 1e-13 {
				t.Errorf("%v: L J Lᵀ is off by %g", size, off)
			}
			m.agrees(t, s, random, 1e-12)
		}
	}
}

// signedOf draws until M has a factor by its eigenvalues, not close to losing
// it.
func signedOf(t testing.TB, random *rand.Rand, p, q int) *model {
	for {
		m := quasidefinite(random, p, q)
		if distance, err := m.exists(t); err == nil && distance > 1e-4 {
			return m
		}
	}
}

// Symmetric matrices of every inertia: Compute fails exactly when eigenvalues
// say so, and with the same error.
func TestComputeInertia(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 1))
	seen := map[error]int{}
	for range 2000 {
		p, q := random.IntN(4), random.IntN(4)
		m := &model{p: p}
		for i := range p + q {
			m.m = append(m.m, vectorOf(random, p+q))
			m.m[i][i] += 1.5 * float64(2*boolean(i < p)-1)
			for j := range i {
				m.m[j][i] = m.m[i][j]
			}
		}
		distance, want := m.exists(t)
		if distance < 1e-9 {
			continue
		}
		s := NewSigned(p + q)
		err := s.Compute(p, q, m.row)
		if !errors.Is(err, want) {
			t.Fatalf("%d + %d: %v, want %v", p, q, err, want)
		}
		if err != nil && s.Len() != 0 {
			t.Fatalf("%d rows after %v", s.Len(), err)
		}
		seen[want]++
	}
	for _, err := range []error{nil, ErrPositive, ErrNegative} {
		if seen[err] < 100 {
			t.Errorf("%v only %d times", err, seen[err])
		}
	}
}

func TestZeroSizes(t *testing.T) {
	t.Parallel()
	s := NewSigned(0)
	s.Solve(nil)
	s.HalfSolve([]float64{})
	if s.InverseForm(nil) != 0 || s.LogAbsDet() != 0 {
		t.Error("an empty factor is not that of a matrix without rows")
	}
	if err := s.Compute(0, 0, nil); err != nil {
		t.Error(err)
	}
	for _, column := range []float64{2, 3} {
		m := &model{}
		if pivot, ok := s.InsertPositive([]float64{column}); !ok || pivot != column {
			t.Errorf("pivot %g, want %g", pivot, column)
		}
		m = m.inserted(0, []float64{column}, true)
		if off := m.off(t, s); off > 1e-15 {
			t.Errorf("off by %g", off)
		}
		if err := s.Delete(0); err != nil || s.Len() != 0 {
			t.Error(err, s.Len())
		}
	}
	if pivot, ok := s.AppendNegative([]float64{-4}); !ok || pivot != -4 || s.InverseDiagonal(0) != -0.25 {
		t.Errorf("pivot %g, inverse %g", pivot, s.InverseDiagonal(0))
	}
}

// A factor that grows row by row from no capacity at all.
func TestGrow(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 1))
	whole := signedOf(t, random, 40, 30)
	s, m := NewSigned(0), &model{}
	for i := range 40 {
		for _, r := range []int{i, 40 + i} {
			if r >= len(whole.m) {
				continue
			}
			at := m.p
			if r >= 40 {
				at = len(m.m)
			}
			column := make([]float64, 0, len(m.m)+1)
			for j := range len(m.m) + 1 {
				column = append(column, whole.m[r][source(j, at, m.p, r)])
			}
			m = m.inserted(at, column, r < 40)
			if r < 40 {
				_, ok := s.InsertPositive(column)
				if !ok {
					t.Fatalf("row %d refused", r)
				}
				continue
			}
			if _, ok := s.AppendNegative(column); !ok {
				t.Fatalf("row %d refused", r)
			}
		}
		if off := m.off(t, s); off > 1e-13 {
			t.Fatalf("%d rows: off by %g", s.Len(), off)
		}
	}
	m.agrees(t, s, random, 1e-11)
}

// source is the row of the whole that is row j of the model once row r of the
// whole is inserted before row at.
func source(j, at, p, r int) int {
	switch {
	case j == at:
		return r
	case j < p:
		return j
	case j > at:
		return 40 + j - p - 1
	default:
		return 40 + j - p
	}
}

// Twins and linear combinations have pivots of rounding size: refused, the
// factor bit for bit as before.
func TestDegeneratePivots(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 1))
	for _, scale := range []float64{1e-8, 1, 1e8} {
		m := signedOf(t, random, 20, 10)
		for _, row := range m.m {
			for j := range row {
				row[j] *= scale
			}
		}
		s := computed(t, m, 64)
		before := s.rows()
		weights := vectorOf(random, 20)
		column := make([]float64, 31)
		for i, w := range weights {
			for j := range 20 {
				column[j] += w * m.m[i][j]
			}
		}
		for i, w := range weights {
			column[20] += w * column[i]
		}
		if pivot, ok := s.InsertPositive(column); ok {
			t.Errorf("scale %g: a combination of pinned rows has pivot %g", scale, pivot)
		}
		copy(column, m.m[25][:20])
		copy(column[20:], m.m[25][20:])
		column[30] = m.m[25][25]
		if pivot, ok := s.AppendNegative(column); ok {
			t.Errorf("scale %g: a twin of a curved row has pivot %g", scale, pivot)
		}
		if !slices.Equal(before, s.rows()) {
			t.Errorf("scale %g: a refused change left traces", scale)
		}
		twins := &model{m: [][]float64{{scale, scale}, {scale, scale}}, p: 2}
		if err := NewSigned(2).Compute(2, 0, twins.row); !errors.Is(err, ErrPositive) {
			t.Errorf("scale %g: twins: %v", scale, err)
		}
	}
}

func TestNotFinite(t *testing.T) {
	t.Parallel()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := &model{m: [][]float64{{2, 1}, {1, -3}}, p: 1}
		s := computed(t, m, 8)
		if _, ok := s.InsertPositive([]float64{1, bad, 0}); ok {
			t.Errorf("pivot of %g accepted", bad)
		}
		if _, ok := s.AppendNegative([]float64{bad, 0, -1}); ok {
			t.Errorf("row with %g accepted", bad)
		}
		if _, ok := s.InsertPositive([]float64{1, 3, bad}); ok || s.Len() != 0 {
			t.Errorf("row with %g below accepted, or %d rows left", bad, s.Len())
		}
		m.m[1][1] = bad
		if err := NewSigned(2).Compute(1, 1, m.row); err == nil {
			t.Errorf("diagonal %g accepted", bad)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	t.Parallel()
	s := computed(t, &model{m: [][]float64{{2, 1}, {1, -3}}, p: 1}, 8)
	for name, misuse := range map[string]func(){
		"short vector": func() { s.Solve([]float64{1}) },
		"short column": func() { s.InsertPositive([]float64{1, 2}) },
		"row":          func() { _ = s.Delete(2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

func TestNoAllocation(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	m := signedOf(t, random, 40, 30)
	s := computed(t, m, 80)
	column, other := make([]float64, 71), make([]float64, 71)
	column[40], other[70] = 3, -3
	v := vectorOf(random, 70)
	for name, call := range map[string]func(){
		"solve": func() { s.Solve(v) },
		"queries": func() {
			s.InverseDiagonal(3)
			s.LogAbsDet()
		},
		"positive row": func() { s.InsertPositive(column); must(t, s.Delete(40)) },
		"negative row": func() { s.AppendNegative(other); must(t, s.Delete(70)) },
	} {
		if n := testing.AllocsPerRun(20, call); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A factor of three rows by hand: M = [4 2 2; 2 10 4; 2 4 -7].
func ExampleSigned() {
	m := [][]float64{{4}, {2, 10}, {2, 4, -7}}
	s := NewSigned(3)
	if err := s.Compute(2, 1, func(i, from int, dst []float64) { copy(dst, m[i][from:]) }); err != nil {
		fmt.Println(err)
		return
	}
	b := []float64{8, 16, -1}
	s.Solve(b)
	fmt.Printf("%.4f\n", b)
	fmt.Println("row 0 may go:", s.InverseDiagonal(0) > 0, s.Delete(0))
	fmt.Println("rows:", s.p, "+", s.Len()-s.p)
	// Output:
	// [1.0000 1.0000 1.0000]
	// row 0 may go: true <nil>
	// rows: 1 + 1
}

// Another diagonal of the negative part makes the factor that Compute makes, also after rows came and
// went, and is refused, without a change, where there is none.
func TestComputeNegative(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 77))
	kept, refused := 0, 0
	for range 60 {
		p, q := random.IntN(30), random.IntN(40)
		m := signedOf(t, random, p, q)
		s := computed(t, m, random.IntN(20))
		if w := (&twin{t: t, s: s, m: m, random: random}); p > 0 {
			w.step(appendNegative)
			w.step(deleteRow)
			w.step(insertPositive)
			m, p, q = w.m, w.m.p, len(w.m.m)-w.m.p
		}
		next := m.clone()
		for i := p; i < p+q; i++ {
			next.m[i][i] += m.norm() * (0.3*random.NormFloat64() - 0.2)
		}
		if q > 1 { // one that was huge leaves no trace
			was := m.m[p+1][p+1]
			m.m[p+1][p+1] = -1e40
			must(t, s.ComputeNegative(m.row))
			m.m[p+1][p+1] = was
			must(t, s.ComputeNegative(m.row))
		}
		own, _ := m.exists(t)
		distance, want := next.exists(t)
		err := s.ComputeNegative(next.row)
		switch {
		case distance < 1e-9:
		case want == nil:
			kept++
			must(t, err)
			next.agrees(t, s, random, 1e-8/distance)
		default:
			refused++
			if !errors.Is(err, want) {
				t.Errorf("%d + %d rows: error %v, want %v", p, q, err, want)
			}
			m.agrees(t, s, random, 1e-8/own)
		}
	}
	if kept < 10 || refused < 10 {
		t.Errorf("%d kept, %d refused", kept, refused)
	}
}
