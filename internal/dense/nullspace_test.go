package dense

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// However constraints come and go and the matrix changes, the system is solved.
func TestNullSpace(t *testing.T) {
	t.Parallel()
	const k = 7
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 9))
		f := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = random.NormFloat64()
			}
			return x
		}
		matrix := General(k, k, make([]float64, k*k))
		add := func(x []float64) { blas64.Ger(1, Vector(x), Vector(x), matrix) }
		for range k + 2 {
			add(f(k))
		}
		rows := f(20 * k)
		copy(rows[k:2*k], rows[:k]) // the second constraint is the first
		row := func(i int) []float64 { return rows[i*k : (i+1)*k] }
		s := NewNullSpace(k)
		s.Dependent = 1e-9
		if s.Build(k, []int{0, 1}, rows) {
			t.Fatal("dependent constraints are taken for independent")
		}
		if !s.Build(k, []int{2, 3}, rows[2*k:]) {
			t.Fatal("independent constraints are taken for dependent")
		}
		for range 60 {
			i, room := 2+random.IntN(18), s.Free() > 0
			if c := slices.Index(s.Constraints(), i); c >= 0 {
				s.Remove(c)
			} else if added := s.Add(i, row(i)); added != room {
				t.Fatalf("seed %d: constraint %d of %d added: %v", seed, i, len(s.Constraints()), added)
			}
			x := f(k)
			add(x)
			if !s.Factorize(matrix, 1, 0) {
				t.Fatalf("seed %d: no factor", seed)
			}
			z := len(s.Constraints())
			at := random.Perm(z)
			b := f(k + z)
			x = slices.Clone(b)
			hess := blas64.Symmetric{N: k, Stride: k, Data: matrix.Data, Uplo: blas.Upper}
			s.Solve(x, at, hess)
			image := make([]float64, k+z)
			blas64.Symv(1, hess, Vector(x[:k]), 0, Vector(image[:k]))
			for c, number := range s.Constraints() {
				blas64.Axpy(x[k+at[c]], Vector(row(number)), Vector(image[:k]))
				image[k+at[c]] = blas64.Dot(Vector(row(number)), Vector(x[:k]))
			}
			size := 1 + blas64.Nrm2(Vector(x))*blas64.Nrm2(Vector(matrix.Data))
			for r := range b {
				if !(math.Abs(image[r]-b[r]) <= 1e-9*size) {
					t.Errorf("seed %d: equation %d of %d: %v, want %v", seed, r, k+z, image[r], b[r])
				}
			}
		}
	}
}
