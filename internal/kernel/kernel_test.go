package kernel

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

func normal(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, got[i], want[i])
		}
	}
}

// guarded returns a copy of v within a longer slice, and a check that what is
// around it was not written to.
func guarded(t *testing.T, v []float64) ([]float64, func()) {
	t.Helper()
	whole := make([]float64, len(v)+32)
	for i := range whole {
		whole[i] = 1e300
	}
	copy(whole[16:], v)
	return whole[16 : 16+len(v)], func() {
		t.Helper()
		for i, x := range whole {
			if (i < 16 || i >= 16+len(v)) && x != 1e300 {
				t.Fatalf("wrote %v %d entries off", x, i-16)
			}
		}
	}
}

func TestVectors(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		x, y := normal(r, n), normal(r, n)
		same(t, "dot", []float64{Dot(x, y)}, []float64{plainDot(x, y)})
		got, check := guarded(t, y)
		want := append([]float64(nil), y...)
		Axpy(1.5, x, got)
		plainAxpy(1.5, x, want)
		check()
		same(t, "axpy", got, want)
		rows := [4][]float64{x, normal(r, n), normal(r, n+3), normal(r, n)}
		by := [4]float64{1, -2, 0, 0.5}
		Axpy4(&by, &rows, got)
		plainAxpy4(&by, &rows, want)
		check()
		same(t, "axpy of four", got, want)
		AxpyTimes(-0.5, x, want, got)
		plainAxpyTimes(-0.5, x, append([]float64(nil), want...), want)
		check()
		same(t, "axpy of products", got, want)
		ScaleTo(got, -2, x)
		plainScaleTo(want, -2, x)
		check()
		same(t, "scale", got, want)
	})
}

func TestProducts(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, d int) {
		for _, n := range []int{0, 1, 3, 4, 11, 21} {
			stride := d + 3
			x, v, a := normal(r, n*stride), normal(r, d), normal(r, n)
			for i := range a {
				if r.IntN(2) == 0 {
					a[i] = 0
				}
			}
			if n > 8 {
				clear(a[4:8])
			}
			got, check := guarded(t, make([]float64, n))
			want := make([]float64, n)
			MulVec(got, x, stride, v)
			plainMulVec(want, x, stride, v)
			check()
			same(t, "product", got, want)

			Norms(got, x, stride, d)
			plainNorms(want, x, stride, d)
			check()
			same(t, "norms", got, want)

			w, check := guarded(t, v)
			MulTransAdd(w, x, stride, a)
			plainMulTransAdd(v, x, stride, a)
			check()
			same(t, "transposed product", w, v)
		}
	})
}

func TestProductAdd(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, d int) {
		ld := Pad(d)
		for _, rows := range []int{0, 1, 5} {
			p, q, n := normal(r, rows*ld), normal(r, rows*ld), ld/2
			start := normal(r, ld*ld)
			got, check := guarded(t, start)
			ProductAdd(got, ld, n, ld, p, q, rows)
			for k := range rows {
				for i := range n {
					plainAxpy(p[k*ld+i], q[k*ld:][:ld], start[i*ld:][:ld])
				}
			}
			check()
			same(t, "product", got, start)
		}
	})
}

func TestGram(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, d int) {
		ld := Pad(d)
		for _, rows := range []int{0, 1, 5} {
			p := normal(r, rows*ld)
			q := make([]float64, rows*ld)
			for i := range rows {
				plainScaleTo(q[i*ld:][:ld], float64(1-2*(i%2)), p[i*ld:][:ld])
			}
			start := normal(r, ld*ld)
			got, check := guarded(t, start)
			GramAdd(got, ld, ld, p, q, rows)
			plainGramAdd(start, ld, ld, p, q, rows)
			check()
			for i := range ld {
				same(t, "gram", got[i*ld:][:i+1], start[i*ld:][:i+1])
			}
			if ld <= Width { // the last block of a larger matrix
				continue
			}
			from, last := (ld+1)*Width, ld-Width
			got, check = guarded(t, start[from:])
			GramAdd(got, ld, last, p, q, rows)
			plainGramAdd(start[from:], ld, last, p, q, rows)
			check()
			for i := range last {
				same(t, "block", got[i*ld:][:i+1], start[from:][i*ld:][:i+1])
			}
		}
	})
}

func TestTerms(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		z, dz, kink, lo, hi := normal(r, n), normal(r, n), normal(r, n), normal(r, n), normal(r, n)
		center, sigma := make([]float64, n), normal(r, n)
		for i := range lo {
			lo[i], hi[i] = -math.Abs(lo[i]), math.Abs(hi[i])
			center[i] = lo[i] + r.Float64()*(hi[i]-lo[i])
			sigma[i] = math.Abs(sigma[i])
			if r.IntN(4) == 0 {
				lo[i] = 0
			}
		}
		run := func(what string, asm, plain func(slope, g, h []float64) []float64) {
			t.Helper()
			var all [2][]float64
			for i, f := range []func(slope, g, h []float64) []float64{asm, plain} {
				slope, check := guarded(t, make([]float64, n))
				g, also := guarded(t, z)
				h, too := guarded(t, dz)
				sums := f(slope, g, h)
				check()
				also()
				too()
				all[i] = append(append(append(append([]float64(nil), slope...), g...), h...), sums...)
			}
			same(t, what, all[0], all[1])
		}
		run("kinked", func(slope, g, h []float64) []float64 {
			s := Kinked(z, kink, lo, hi, center, slope, g, h, 0.7)
			return s[:]
		}, func(slope, g, h []float64) []float64 {
			s := plainKinked(z, kink, lo, hi, center, slope, g, h, 0.7)
			return s[:]
		})
		run("kinked along", func(_, _, _ []float64) []float64 {
			s := KinkedAlong(z, dz, kink, lo, hi, center, 0.3, 0.7)
			return s[:]
		}, func(_, _, _ []float64) []float64 {
			s := plainKinkedAlong(z, dz, kink, lo, hi, center, 0.3, 0.7)
			return s[:]
		})
		for i := range hi {
			if i%3 == 0 {
				hi[i] = math.Inf(1)
			}
		}
		run("curved", func(slope, g, h []float64) []float64 {
			s := Curved(z, kink, lo, hi, sigma, slope, g, h)
			return s[:]
		}, func(slope, g, h []float64) []float64 {
			s := plainCurved(z, kink, lo, hi, sigma, slope, g, h)
			return s[:]
		})
		run("curved along", func(_, _, _ []float64) []float64 {
			s := CurvedAlong(z, dz, kink, lo, hi, sigma, 0.3)
			return s[:]
		}, func(_, _, _ []float64) []float64 {
			s := plainCurvedAlong(z, dz, kink, lo, hi, sigma, 0.3)
			return s[:]
		})
	})
}

func BenchmarkKernels(b *testing.B) {
	for _, d := range []int{10, 30, 50, 64} {
		const n = 256
		r := rand.New(rand.NewPCG(1, 2))
		x, v, a, z := normal(r, n*Pad(d)), normal(r, d), normal(r, n), make([]float64, n)
		h := make([]float64, Pad(d)*Pad(d))
		inv, lo, hi, active := make([]float64, n), make([]float64, n), make([]float64, n), make([]int32, n)
		for i := range active {
			active[i], inv[i], hi[i] = int32(i*97%n), 1/float64(d), 1
		}
		for name, f := range map[string]func(){
			"descend": func() {
				clear(lo)
				clear(v)
				Descend(x, d, v, inv, a, z, hi, lo, nil, nil, active, 1e300)
			},
			"dot":     func() { Dot(x[:d], v) },
			"axpy":    func() { Axpy(1e-9, x[:d], v) },
			"product": func() { MulVec(z, x, d, v) },
			"transposed": func() {
				clear(v)
				MulTransAdd(v, x, d, a)
			},
			"gram":   func() { GramAdd(h, Pad(d), Pad(d), x, x, n/4) },
			"kinked": func() { Kinked(z, a, a, a, a, a, a, a, 1) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, d), func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
}

func TestMulTransAddAbs(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		for _, count := range []int{0, 1, 3, 4, 9} {
			stride := n + 3
			x, a := normal(r, count*stride), normal(r, count)
			for i := range a {
				if a[i] = math.Abs(a[i]); i%5 == 2 {
					a[i] = 0
				}
			}
			want := normal(r, n)
			got, check := guarded(t, want)
			for i, s := range a {
				for j := range want {
					want[j] += s * math.Abs(x[i*stride+j])
				}
			}
			MulTransAddAbs(got, x, stride, a)
			check()
			same(t, "sums of magnitudes", got, want)
		}
	})
}

// Relative errors of losses and derivatives against the formulas with a few
// digits more than a float64 holds.
func TestLogistic(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1e-300, 1e-17, 0.3, 0.4142, 0.88137, 0.8814, 1, 36, 37, 700, 707.9}
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		z, y := normal(r, n), make([]float64, n)
		for i := range z {
			if z[i] *= math.Exp(8*r.Float64() - 3); r.IntN(3) == 0 {
				z[i] = special[r.IntN(len(special))]
			}
			z[i] = max(min(z[i], 707), -707)
			y[i] = float64(2*r.IntN(2) - 1)
		}
		loss, check1 := guarded(t, make([]float64, n))
		slope, check2 := guarded(t, make([]float64, n))
		bend, check3 := guarded(t, make([]float64, n))
		Logistic(z, y, loss, slope, bend)
		check1()
		check2()
		check3()
		for i, v := range z {
			m := y[i] * v
			sigma := 1 / (1 + math.Exp(m))
			near(t, v, "loss", loss[i], max(-m, 0)+math.Log1p(math.Exp(-math.Abs(m))))
			near(t, v, "slope", slope[i], -y[i]*sigma)
			near(t, v, "second derivative", bend[i], sigma/(1+math.Exp(-m)))
		}
	})
}

// near compares two numbers to a relative 2e-15.
func near(t *testing.T, at float64, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 2e-15*math.Abs(want)) {
		t.Errorf("%s at %v is %v, want %v", what, at, got, want)
	}
}

func TestLogisticFarOut(t *testing.T) {
	best := levels()
	defer setLevel(best[len(best)-1])
	for _, l := range best {
		setLevel(l)
		z := []float64{709, -709, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(), 5, 6}
		y := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}
		loss, slope, bend := make([]float64, 9), make([]float64, 9), make([]float64, 9)
		Logistic(z, y, loss, slope, bend)
		for i, v := range z[:6] {
			if want := max(-v, 0); !(math.Abs(loss[i]-want) <= 1e-300 || loss[i] == want) {
				t.Errorf("assembly %v: loss at %v is %v", l, v, loss[i])
			}
			if want := min(max(-v, 0), 1); math.Abs(slope[i]+want) > 1e-300 || !(bend[i] >= 0 && bend[i] < 1e-300) {
				t.Errorf("assembly %v: derivatives at %v are %v and %v", l, v, slope[i], bend[i])
			}
		}
		if !math.IsNaN(loss[6]) || !math.IsNaN(slope[6]) || !math.IsNaN(bend[6]) {
			t.Errorf("assembly %v: at NaN %v, %v, %v", l, loss[6], slope[6], bend[6])
		}
	}
}

func BenchmarkLogistic(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewPCG(1, 1))
	z, y := normal(r, n), normal(r, n)
	loss, slope, bend := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = math.Copysign(1, y[i])
	}
	best := levels()
	defer setLevel(best[len(best)-1])
	for _, l := range best {
		b.Run(fmt.Sprintf("assembly=%v", l), func(b *testing.B) {
			setLevel(l)
			for b.Loop() {
				Logistic(z, y, loss, slope, bend)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/sample")
		})
	}
}
