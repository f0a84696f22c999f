package loops

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// each runs check for every instruction set and length; it changes the one in
// use, so that tests here are not parallel.
func each(t *testing.T, check func(t *testing.T, r *rand.Rand, n int)) {
	best := levels()
	defer setLevel(best[len(best)-1])
	for _, l := range best {
		setLevel(l)
		for n := range 70 {
			t.Run(fmt.Sprintf("assembly %v length %d", l, n), func(t *testing.T) {
				check(t, rand.New(rand.NewPCG(1, uint64(n))), n)
			})
		}
	}
}

func random[T Float](r *rand.Rand, n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(r.NormFloat64())
	}
	return v
}

// agree fails unless numbers agree within a few roundings of their precision.
func agree[T Float](t *testing.T, what string, got, want []T) {
	t.Helper()
	tolerance := 1e-12
	if single[T]() {
		tolerance = 2e-5
	}
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if !(math.Abs(g-w) <= tolerance*(1+math.Abs(w))) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, g, w)
		}
	}
}

// fenced returns a copy of v within a longer slice, and a check that what is around it
// was not written to.
func fenced[T Float](t *testing.T, v []T) ([]T, func()) {
	t.Helper()
	whole := make([]T, len(v)+64)
	for i := range whole {
		whole[i] = 1e30
	}
	copy(whole[32:], v)
	return whole[32 : 32+len(v)], func() {
		t.Helper()
		for i, x := range whole {
			if (i < 32 || i >= 32+len(v)) && x != 1e30 {
				t.Fatalf("wrote %v %d entries off", x, i-32)
			}
		}
	}
}

func TestNetworkVectors(t *testing.T) {
	t.Run("float32", testNetworkVectors[float32])
	t.Run("float64", testNetworkVectors[float64])
}

func testNetworkVectors[T Float](t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		x := random[T](r, n)
		for i := range x {
			x[i] *= 5
		}
		if n > 4 {
			x[0], x[1], x[2], x[3] = 1000, -1000, 0, T(math.Inf(-1))
		}
		got, check := fenced(t, x)
		want := make([]T, n)
		Sigmoid(got, x)
		plainSigmoid(want, x)
		check()
		agree(t, "sigmoid", got, want)
		Tanh(got, x)
		plainTanh(want, x)
		check()
		agree(t, "tanh", got, want)

		by := &AdamStep[T]{0.9, 0.1, 0.999, 0.001, 3, 1e-8, 0.1}
		p, g, m, s := random[T](r, n), random[T](r, n), random[T](r, n), random[T](r, n)
		for i := range s {
			s[i] *= s[i]
		}
		gotP, checkP := fenced(t, p)
		gotM, checkM := fenced(t, m)
		gotS, checkS := fenced(t, s)
		Adam(gotP, g, gotM, gotS, by)
		plainAdam(p, g, m, s, by)
		checkP()
		checkM()
		checkS()
		agree(t, "parameters", gotP, p)
		agree(t, "mean", gotM, m)
		agree(t, "mean of squares", gotS, s)
	})
}

func TestMulAdd(t *testing.T) {
	t.Run("float32", testMulAdd[float32])
	t.Run("float64", testMulAdd[float64])
}

func testMulAdd[T Float](t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		for _, m := range []int{0, 1, 3, 8, 13} {
			k := r.IntN(9)
			ldc, ldb := n+2, n+1
			a, b, start := random[T](r, m*k), random[T](r, k*ldb), random[T](r, m*ldc)
			got, check := fenced(t, start)
			want := append([]T(nil), start...)
			MulAdd(got, ldc, a, k, 1, b, ldb, m, n, k)
			plainMulAdd(want, ldc, a, k, 1, b, ldb, m, n, k)
			check()
			agree(t, "product", got, want)
			MulAdd(got, ldc, a, 1, m, b, ldb, m, n, k)
			plainMulAdd(want, ldc, a, 1, m, b, ldb, m, n, k)
			check()
			agree(t, "transposed product", got, want)
		}
	})
}

// TestMulAddSplit: rows and columns have the same bits on whatever tile they are.
func TestMulAddSplit(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		const m, k = 11, 7
		a, b := random[float32](r, m*k), random[float32](r, k*n)
		whole, parts := make([]float32, m*n), make([]float32, m*n)
		MulAdd(whole, n, a, k, 1, b, n, m, n, k)
		for i := range m {
			for j := range n {
				MulAdd(parts[i*n+j:], n, a[i*k:], k, 1, b[j:], n, 1, 1, k)
			}
		}
		for i := range whole {
			if whole[i] != parts[i] {
				t.Fatalf("entry %d is %v as part of a tile and %v alone", i, whole[i], parts[i])
			}
		}
	})
}

func TestGauss(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		stride := n + 3
		for dims := range 7 {
			x, point := random[float64](r, dims*stride+n), random[float64](r, dims)
			got, check := fenced(t, make([]float64, n))
			want := make([]float64, n)
			Distances(got, x, stride, point)
			plainDistances(want, x, stride, point)
			check()
			agree(t, "distances", got, want)
			for j := range got { // from the other side
				column, back := make([]float64, dims), make([]float64, 1)
				for k := range column {
					column[k] = x[k*stride+j]
				}
				if Distances(back, point, 1, column); back[0] != got[j] {
					t.Fatalf("distance %v one way and %v the other", got[j], back[0])
				}
			}
		}
		d, s, w := random[float64](r, n), random[float64](r, n), random[float64](r, n)
		for i := range d {
			d[i] *= d[i]
		}
		if n > 2 {
			d[1] = 1e9
		}
		got, check := fenced(t, make([]float64, n))
		want := make([]float64, n)
		sum := Gauss(got, d, s, w, 2, -3, 0.7)
		check()
		agree(t, "sum", []float64{sum}, []float64{plainGauss(want, d, s, w, 2, -3, 0.7)})
		agree(t, "kernel", got, want)
	})
}

func BenchmarkMulAdd(b *testing.B) {
	for _, s := range [][3]int{{64, 400, 106}, {64, 106, 400}, {106, 400, 640}, {512, 100, 25}, {64, 64, 50}} {
		m, n, k := s[0], s[1], s[2]
		b.Run(fmt.Sprintf("float32/%dx%dx%d", m, n, k), func(b *testing.B) { benchmarkMulAdd[float32](b, m, n, k) })
		b.Run(fmt.Sprintf("float64/%dx%dx%d", m, n, k), func(b *testing.B) { benchmarkMulAdd[float64](b, m, n, k) })
	}
}

func benchmarkMulAdd[T Float](b *testing.B, m, n, k int) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y, z := random[T](r, m*k), random[T](r, k*n), make([]T, m*n)
	for b.Loop() {
		MulAdd(z, n, x, k, 1, y, n, m, n, k)
	}
	b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
