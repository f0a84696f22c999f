package dense

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// definite returns a positive definite matrix of n rows.
func definite(random *rand.Rand, n int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, n)
		for j := range x[i] {
			x[i][j] = random.NormFloat64()
		}
	}
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			for k := range n {
				a[i][j] += x[i][k] * x[j][k]
			}
		}
		a[i][i] += 0.1
	}
	return a
}

func load(c *Cholesky, a [][]float64) {
	to, stride := c.Matrix(len(a))
	for i, row := range a {
		copy(to[i*stride:], row[:i+1])
	}
}

// compare holds L Lᵀ and a solution against the matrix.
func compare(t *testing.T, c *Cholesky, a [][]float64, tolerance float64) {
	t.Helper()
	if c.n != len(a) {
		t.Fatalf("%d rows, want %d", c.n, len(a))
	}
	size := 0.0
	for i := range a {
		size = max(size, a[i][i])
	}
	for i := range a {
		for j := range i + 1 {
			sum := 0.0
			for k := range j + 1 {
				sum += c.Row(i)[k] * c.Row(j)[k]
			}
			if math.Abs(sum-a[i][j]) > tolerance*size {
				t.Fatalf("entry %d, %d of %d rows is %v, want %v", i, j, len(a), sum, a[i][j])
			}
		}
	}
	x := make([]float64, len(a))
	b := make([]float64, len(a))
	for i := range x {
		x[i] = float64(i%7) - 3
	}
	for i := range b {
		for j, v := range x {
			b[i] += a[i][j] * v
		}
	}
	c.Solve(b)
	for i := range a {
		rest := 0.0
		for j := range a {
			rest += a[i][j] * (b[j] - x[j])
		}
		if math.Abs(rest) > tolerance*size*float64(len(a)+1) {
			t.Fatalf("equation %d of %d is off by %v", i, len(a), rest)
		}
	}
}

func TestFactorize(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	c := &Cholesky{}
	for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 40, 100, 33, 3} {
		a := definite(random, n)
		load(c, a)
		if err := c.Factorize(t.Context()); err != nil {
			t.Fatal(err)
		}
		compare(t, c, a, 1e-13)
	}
}

func TestIndefinite(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 5, 20, 50} {
		for _, at := range []int{0, n / 2, n - 1} {
			a := definite(random, n)
			a[at][at] = -1
			c := New(n)
			load(c, a)
			if err := c.Factorize(t.Context()); !errors.Is(err, ErrIndefinite) || c.n != 0 {
				t.Errorf("n = %d: error %v, %d rows", n, err, c.n)
			}
			a[at][at] = math.NaN()
			load(c, a)
			if err := c.Factorize(t.Context()); !errors.Is(err, ErrIndefinite) {
				t.Errorf("n = %d with NaN: error %v", n, err)
			}
		}
	}
}

// TestDrops has a row twice: the solution of the others does not notice.
func TestDrops(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{2, 20, 40} {
		a := definite(random, n)
		twice := make([][]float64, n+1)
		for i, row := range a {
			twice[i] = append(slices.Clone(row), row[0])
		}
		twice[n] = append(slices.Clone(a[0]), a[0][0])
		c := &Cholesky{Tolerance: 1e-12}
		load(c, twice)
		if err := c.Factorize(t.Context()); !errors.Is(err, ErrIndefinite) {
			t.Errorf("n = %d: error %v", n, err)
		}
		c.Drops = true
		load(c, twice)
		if err := c.Factorize(t.Context()); err != nil {
			t.Fatal(err)
		}
		b := make([]float64, n+1)
		for i := range n {
			b[i] = random.NormFloat64()
		}
		b[n] = b[0]
		want := slices.Clone(b[:n])
		c.Solve(b)
		load(c, a)
		if err := c.Factorize(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Solve(want)
		want[0] -= b[n] // what the other one of the two has
		for i, v := range want {
			if math.Abs(v-b[i]) > 1e-9*(1+math.Abs(v)) {
				t.Errorf("n = %d: entry %d is %v, want %v", n, i, b[i], v)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := New(20)
	load(c, definite(rand.New(rand.NewPCG(7, 8)), 20))
	if err := c.Factorize(ctx); !errors.Is(err, context.Canceled) || c.n != 0 {
		t.Errorf("error %v, %d rows", err, c.n)
	}
}

// TestChanges appends and deletes at random, and compares with the matrix.
func TestChanges(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 10))
	all := definite(random, 60)
	c := &Cholesky{Tolerance: 1e-12}
	var members []int
	var a [][]float64
	for step := range 600 {
		switch {
		case random.IntN(3) < 2:
			i := random.IntN(len(all))
			if slices.Contains(members, i) {
				continue
			}
			column := make([]float64, 0, len(a)+1)
			for _, j := range members {
				column = append(column, all[i][j])
			}
			column = append(column, all[i][i])
			for k := range a {
				a[k] = append(a[k], column[k])
			}
			a = append(a, slices.Clone(column))
			members = append(members, i)
			if !c.Append(column) {
				t.Fatalf("step %d: row %d not appended", step, i)
			}
		case len(members) > 0:
			k := random.IntN(len(members))
			c.Delete(k)
			members, a = slices.Delete(members, k, k+1), slices.Delete(a, k, k+1)
			for r := range a {
				a[r] = slices.Delete(a[r], k, k+1)
			}
		}
		compare(t, c, a, 1e-10)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	c := &Cholesky{Tolerance: 1e-12, Limit: 3}
	c.Append([]float64{4})
	c.Append([]float64{2, 5})
	column := []float64{6, 7, 13} // the sum of the others
	if c.Append(column) || c.n != 2 {
		t.Error("a dependent row was appended")
	}
	if c.Backward(column[:2]); math.Abs(column[0]-1) > 1e-14 || math.Abs(column[1]-1) > 1e-14 {
		t.Errorf("the row is %v of the others, want 1 and 1", column[:2])
	}
	compare(t, c, [][]float64{{4, 2}, {2, 5}}, 1e-14)
	if !c.Append([]float64{0, 0, 1}) || !c.Full() || c.Append([]float64{0, 0, 0, 1}) {
		t.Error("the limit is not kept")
	}
	for name, misuse := range map[string]func(){
		"short column": func() { c.Append([]float64{1}) },
		"no such row":  func() { c.Delete(3) },
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

// BenchmarkFactorize compares with LAPACK in Go.
func BenchmarkFactorize(b *testing.B) {
	for _, n := range []int{5, 20, 60, 200, 800} {
		matrix := func() [][]float64 { return definite(rand.New(rand.NewPCG(1, 2)), n) }
		b.Run(fmt.Sprintf("n=%d/dense", n), func(b *testing.B) {
			c, a := New(n), matrix()
			for b.Loop() {
				load(c, a)
				if err := c.Factorize(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("n=%d/lapack", n), func(b *testing.B) {
			data, a := make([]float64, n*n), matrix()
			for b.Loop() {
				for i, row := range a {
					copy(data[i*n:], row)
				}
				lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: data, Uplo: blas.Upper})
			}
		})
	}
}

// TestEliminate compares what is left of the rows that are not eliminated with
// elimination one pivot at a time.
func TestEliminate(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 16))
	c := &Cholesky{}
	for _, n := range []int{1, 2, 8, 9, 17, 40, 100} {
		for _, rows := range []int{0, 1, n / 2, n} {
			a := definite(random, n)
			to, stride := c.Matrix(n)
			for i, row := range a {
				copy(to[i*stride:], row[:i+1])
			}
			if err := c.Eliminate(t.Context(), rows); err != nil || c.n != rows {
				t.Fatalf("%d of %d rows: %d are left, %v", rows, n, c.n, err)
			}
			for k := range rows {
				for i := n - 1; i > k; i-- {
					f := a[i][k] / a[k][k]
					for j := range n {
						a[i][j] -= f * a[k][j]
					}
				}
			}
			for i := rows; i < n; i++ {
				for j := rows; j <= i; j++ {
					if got := to[i*stride+j]; !(math.Abs(got-a[i][j]) <= 1e-11*float64(n)) {
						t.Errorf("%d of %d rows: entry %d, %d is %v, want %v", rows, n, i, j, got, a[i][j])
					}
				}
			}
		}
	}
}
