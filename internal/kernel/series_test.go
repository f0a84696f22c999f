package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestPowers(t *testing.T) {
	best := levels()
	defer setLevel(best[len(best)-1])
	for _, l := range best {
		setLevel(l)
		var dst [2]float64
		if Powers(dst[:], []float64{-2, math.NaN()}, 2); !math.IsNaN(dst[0]) || !math.IsNaN(dst[1]) {
			t.Errorf("assembly %v: powers of a negative number and a NaN are %v", l, dst)
		}
	}
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Exp(8 * r.NormFloat64())
			if r.IntN(4) == 0 {
				x[i] = []float64{1, math.Sqrt2, math.Sqrt2 / 2, 2, 0.5, 1 - 0x1p-53, 1 + 0x1p-52, 0x1p-1022}[r.IntN(8)]
			}
		}
		for _, q := range []float64{2.857142857, 0.3, -1.7} {
			dst, check := guarded(t, make([]float64, n))
			Powers(dst, x, q)
			check()
			for i, v := range x {
				want := math.Pow(v, q)
				if y := math.Abs(q * math.Log(v)); y < 700 && !(math.Abs(dst[i]-want) <= 2e-16*(8+4*y)*want) {
					t.Errorf("%v^%v is %v, want %v", v, q, dst[i], want)
				}
			}
		}
	})
}

func TestPairRows(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		cols, stride := n%20+1, n%20+1+n%3
		x, index := normal(r, 9*stride), make([]int32, n)
		for k := range index {
			index[k] = int32(r.IntN(9))
		}
		pairs := cols * (cols + 1) / 2
		ld := Pad(cols) + Pad(pairs)
		dst, check := guarded(t, make([]float64, n*ld+16))
		PairRows(dst, ld, x, stride, cols, index)
		check()
		for k, i := range index {
			row, at := x[int(i)*stride:][:cols], k*ld
			same(t, "row", dst[at:at+cols], row)
			at += Pad(cols)
			for a := range row {
				for b := a; b < cols; b++ {
					if want := row[a] * row[b]; dst[at] != want {
						t.Fatalf("row %d: pair %d, %d is %v, want %v", k, a, b, dst[at], want)
					}
					at++
				}
			}
		}
	})
}

func TestMulAddRows(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		for _, m := range []int{4, 12} {
			for _, k := range []int{1, 2, 13} {
				ldc, ldb, rowA, colA := n+3, n+1, 1, m
				if k == 2 {
					rowA, colA = 5, 1
				}
				a, b, c := normal(r, m*16), normal(r, k*ldb), normal(r, m*ldc)
				want := append([]float64(nil), c...)
				for i := range m {
					for p := range k {
						for j := range n {
							want[i*ldc+j] += a[i*rowA+p*colA] * b[p*ldb+j]
						}
					}
				}
				got, check := guarded(t, c)
				MulAddRows(got, ldc, a, rowA, colA, b, ldb, m, n, k)
				check()
				same(t, "product", got, want)
			}
		}
	})
}

func TestScaleRows(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		const ld, stride = 23, 21
		cols := n%20 + 1
		x, a := normal(r, n*stride), normal(r, n)
		dst, check := guarded(t, normal(r, n*ld))
		want := append([]float64(nil), dst...)
		ScaleRows(dst, ld, x, stride, cols, a)
		check()
		for i, f := range a {
			for j := range cols {
				want[i*ld+j] = f * x[i*stride+j]
			}
		}
		same(t, "row", dst, want)
	})
}

// The coefficients are those of the functions, here summed at points of the line.
func TestPowerSeries(t *testing.T) {
	best := levels()
	defer setLevel(best[len(best)-1])
	for _, l := range best {
		setLevel(l)
		for _, q := range []float64{-1, 2.857142857, 1.4, -0.5} {
			t.Run(fmt.Sprintf("assembly %v power %v", l, q), func(t *testing.T) { testPowerSeries(t, q) })
		}
	}
}

func testPowerSeries(t *testing.T, q float64) {
	r := rand.New(rand.NewPCG(1, 1))
	slope, level, climb := 0.7, 1.1, 0.02
	if q > 0 {
		slope, level, climb = -1, 1, 0.02
	}
	s := NewPowerSeries(q, slope, level, climb, [SeriesBends]float64{})
	for _, n := range []int{1, 7, 8, 30, SeriesBlock} {
		var x PowerTerms
		for i := range n {
			x.R[i], x.DR[i], x.M[i] = 1.4*r.Float64()-0.7, 0.03*r.NormFloat64(), float64(1+r.IntN(3))
		}
		s.Terms(&x, n)
		var value [3]float64
		for i := range n {
			for at, h := range []float64{0, 0.5, -1} {
				res := x.R[i] + h*x.DR[i]
				base := level + climb*h + slope*res*res
				v, dv := math.Pow(base, q), q*slope*math.Pow(base, q-1)
				var got [2]float64
				for k := SeriesOrders - 1; k >= 0; k-- {
					got[0], got[1] = got[0]*h+x.Phi[k*SeriesBlock+i], got[1]*h+x.PhiU[k*SeriesBlock+i]
				}
				m := x.M[i]
				nearly(t, "φ", got[0], 2*m*v*res)
				nearly(t, "slope", got[1], m*(2*v+4*dv*res*res))
				integral := math.Log(base) / slope
				if q != -1 {
					integral = math.Pow(base, q+1) / (slope * (q + 1))
				}
				value[at] += m * integral
				if at > 0 {
					continue
				}
				nearly(t, "weight", x.V[i], v)
				nearly(t, "weight's slope", x.DV[i], dv)
				nearly(t, "size of the slope", x.PhiU[SeriesOrders*SeriesBlock+i], math.Abs(x.PhiU[i]))
				ddv, dddv := q*(q-1)*slope*slope*math.Pow(base, q-2), q*(q-1)*(q-2)*slope*slope*slope*math.Pow(base, q-3)
				nearly(t, "second derivative", x.PhiUU[i], m*(12*dv*res+8*ddv*res*res*res))
				if third := m * math.Abs(12*dv+48*ddv*res*res+16*dddv*res*res*res*res); !(x.Third[i] >= third*(1-1e-12)) {
					t.Errorf("third derivative %v, at least %v", x.Third[i], third)
				}
			}
		}
		for at, h := range []float64{0, 0.5, -1} {
			sum := 0.0
			for k := SeriesOrders - 1; k >= 0; k-- {
				sum = sum*h + Sum(x.Value[k][:])
			}
			nearly(t, "value", sum, value[at])
		}
	}
}

func nearly(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
