package convex

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// raw draws rows of features as files have them: large offsets, whole numbers, sizes from 1e-3 to
// 1e7, or powers of ten from 1e-6 to 1e6.
func raw(seed uint64, n, d int, powers bool) (blas64.General, []float64) {
	r := rand.New(rand.NewPCG(seed, 5))
	x := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	y, w, size := make([]float64, n), make([]float64, d), make([]float64, d)
	for j := range d {
		w[j] = r.NormFloat64()
		if size[j] = []float64{1700, 1, 0.2, 1e5, 11000, 0.001, 100, 1e7}[j%8]; powers {
			size[j] = math.Pow(10, float64(r.IntN(13)-6))
		}
	}
	for i := range n {
		score := 0.7 * r.NormFloat64()
		for j := range d {
			v := r.NormFloat64()
			score += w[j] * v
			if x.Data[i*d+j] = size[j] * v; !powers {
				x.Data[i*d+j] = math.Round(size[j]*(2+v)*1000) / 1000
			}
		}
		y[i] = math.Copysign(1, score)
	}
	return x, y
}

// exactGap returns the relative duality gap of (w, b) and multipliers, in long arithmetic. With
// an intercept the rows are taken less their means, so that 1ᵀ(αy), which is 0 up to rounding,
// does not count an offset.
func exactGap(x blas64.General, y []float64, c float64, intercept bool, theta, alpha []float64) float64 {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	zero := func() *big.Float { return number(0) }
	n, d := x.Rows, x.Cols
	primal, dual, square := zero(), zero(), zero()
	scores := make([]*big.Float, n)
	for i := range scores {
		scores[i] = number(theta[d])
	}
	for j := range d {
		mean, v, w := zero(), zero(), number(theta[j])
		for i := range n {
			mean.Add(mean, number(x.Data[i*x.Stride+j]))
		}
		mean.Quo(mean, number(float64(n)))
		for i := range n {
			at := number(x.Data[i*x.Stride+j])
			scores[i].Add(scores[i], zero().Mul(at, w))
			if intercept {
				at.Sub(at, mean)
			}
			v.Add(v, at.Mul(at, number(alpha[i]*y[i])))
		}
		primal.Add(primal, zero().Mul(w, w))
		square.Add(square, v.Mul(v, v))
	}
	primal.Quo(primal, number(2))
	for i, s := range scores {
		if slack := zero().Sub(number(1), s.Mul(s, number(y[i]))); slack.Sign() > 0 {
			primal.Add(primal, slack.Mul(slack, number(c)))
		}
		dual.Add(dual, number(alpha[i]))
	}
	dual.Sub(dual, square.Quo(square, number(2)))
	gap, _ := zero().Quo(zero().Sub(primal, dual), primal).Float64()
	return gap
}

// Features of very different scales leave the multipliers no digits for the scores at the margin.
func TestSVMScales(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		for _, shape := range [][2]int{{60, 4}, {150, 6}, {200, 8}} {
			for _, c := range []float64{1, 100} {
				for _, powers := range []bool{false, true} {
					for _, intercept := range []bool{true, false} {
						x, y := raw(seed, shape[0], shape[1], powers)
						what := fmt.Sprintf("seed %d, %v, C = %g, powers %v, intercept %v", seed, shape, c, powers, intercept)
						s, err := NewLinearSVM(x, y, c, intercept)
						if err != nil {
							t.Fatal(err)
						}
						ones := make([]float64, len(y))
						for i := range ones {
							ones[i] = 1
						}
						for range 2 { // the second time from the first solution
							certificate, err := s.Solve(t.Context(), ones)
							if err != nil {
								t.Fatalf("%s: %v", what, err)
							}
							for i, a := range s.Duals() {
								if a < 0 || a > c {
									t.Fatalf("%s: α_%d = %g", what, i, a)
								}
							}
							if gap := exactGap(x, y, c, intercept, s.Theta(), s.Duals()); !(gap <= 1e-8) {
								t.Errorf("%s: relative duality gap %g, reported as %+v", what, gap, certificate)
							}
						}
					}
				}
			}
		}
	}
}
