package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

func normalRows(rng *rand.Rand, n, d int, scale, offset float64) blas64.General {
	x := blas64.General{Rows: n, Cols: d, Stride: max(1, d), Data: make([]float64, n*d)}
	for i := range x.Data {
		x.Data[i] = offset + scale*rng.NormFloat64()
	}
	return x
}

// naiveKernel evaluates a kernel from its definition.
func naiveKernel(kernel Kernel, a, b []float64) float64 {
	if k, ok := kernel.(RBF); ok {
		distance := 0.0
		for j := range a {
			distance += (a[j] - b[j]) * (a[j] - b[j])
		}
		return math.Exp(-k.Gamma * distance)
	}
	product := 0.0
	for j := range a {
		product += a[j] * b[j]
	}
	return product
}

func TestKernelBlock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		kernel        Kernel
		n, m, d       int
		scale, offset float64
	}{
		{"linear", Linear{}, 7, 40, 5, 1, 0},
		{"linear wide", Linear{}, 5, 33, 700, 1, 0},
		{"rbf", RBF{Gamma: 0.1}, 9, 50, 6, 1, 0},
		{"rbf one feature", RBF{Gamma: 2}, 9, 50, 1, 1, 0},
		{"rbf far from the origin", RBF{Gamma: 0.1}, 9, 50, 6, 1, 1e6},
		{"rbf tiny features", RBF{Gamma: 1e15}, 9, 50, 6, 1e-8, 0},
		{"rbf huge features", RBF{Gamma: 1e-17}, 9, 50, 6, 1e8, 0},
		{"linear many rows", Linear{}, 3, 3000, 31, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			a := NewPoints(normalRows(rng, test.n, test.d, test.scale, test.offset))
			b := NewPoints(normalRows(rng, test.m, test.d, test.scale, test.offset))
			copy(b.X.Data, a.X.Data[:2*test.d]) // two shared rows
			b = NewPoints(b.X)
			got := blas64.General{Rows: test.n, Cols: test.m, Stride: test.m, Data: make([]float64, test.n*test.m)}
			test.kernel.Block(got, a, b)
			back := blas64.General{Rows: test.m, Cols: test.n, Stride: test.n, Data: make([]float64, test.n*test.m)}
			test.kernel.Block(back, b, a)
			row := make([]float64, test.m)
			for i := range test.n {
				test.kernel.Block(blas64.General{Rows: 1, Cols: test.m, Stride: test.m, Data: row}, a.rows(i, i+1), b)
				for j := range test.m {
					value := got.Data[i*test.m+j]
					want := naiveKernel(test.kernel, a.row(i).Data, b.row(j).Data)
					scale := math.Sqrt(a.SquaredNorm[i] * b.SquaredNorm[j])
					if _, ok := test.kernel.(RBF); ok {
						scale = 1
					}
					if math.Abs(value-want) > 1e-12*scale {
						t.Fatalf("k(a_%d, b_%d) = %.17g, want %.17g", i, j, value, want)
					}
					if swapped := back.Data[j*test.n+i]; math.Abs(value-swapped) > 1e-13*scale || math.Abs(value-row[j]) > 1e-13*scale {
						t.Fatalf("k(a_%d, b_%d) = %.17g, swapped %.17g, alone %.17g", i, j, value, swapped, row[j])
					}
				}
			}
			if _, ok := test.kernel.(RBF); ok && (got.Data[0] != 1 || got.Data[test.m+1] != 1) {
				t.Errorf("RBF of equal rows is %.17g and %.17g, want exactly 1", got.Data[0], got.Data[test.m+1])
			}
			diagonal := make([]float64, test.n)
			test.kernel.Diagonal(diagonal, a)
			for i, value := range diagonal {
				if want := naiveKernel(test.kernel, a.row(i).Data, a.row(i).Data); math.Abs(value-want) > 1e-13*want {
					t.Errorf("k(a_%d, a_%d) = %g, want %g", i, i, value, want)
				}
			}
		})
	}
}

func BenchmarkKernelBlock(b *testing.B) {
	for _, kernel := range []struct {
		name string
		Kernel
	}{{"linear", Linear{}}, {"rbf", RBF{Gamma: 1.0 / 64}}} {
		b.Run(kernel.name, func(b *testing.B) {
			const n, m, d = 450, 1347, 64
			rng := rand.New(rand.NewPCG(1, 2))
			x, z := NewPoints(normalRows(rng, n, d, 1, 0)), NewPoints(normalRows(rng, m, d, 1, 0))
			dst := blas64.General{Rows: n, Cols: m, Stride: m, Data: make([]float64, n*m)}
			for b.Loop() {
				kernel.Block(dst, x, z)
			}
		})
	}
}
