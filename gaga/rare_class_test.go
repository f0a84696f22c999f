package gaga_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// counts returns n rows of d small whole numbers that share a few causes, and labels
// of which 6 % are positive, or with flips of them more.
func counts(n, d int, flips float64, seed uint64) (blas64.General, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	const causes = 6
	load := make([]float64, d*causes)
	for k := range load {
		load[k] = rng.NormFloat64()
	}
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range n {
		var hidden [causes]float64
		for k := range hidden {
			hidden[k] = rng.NormFloat64()
		}
		for j := range d {
			u := 0.5 * rng.NormFloat64()
			for k, h := range hidden {
				u += load[j*causes+k] * h / 2.5
			}
			x[i*d+j] = math.Max(0, math.Min(9, math.Round(1.5*u-float64(j%5)+1)))
		}
		y[i] = -1
		if (hidden[0]+hidden[1]+1.5*rng.NormFloat64() > 3.2) != (rng.Float64() < flips) {
			y[i] = 1
		}
	}
	return blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y
}

// Until the age reaches the positive samples' loss of 2 nobody has a multiplier, and
// behind it the polynomial's weights are 1e-26 at first. That is one event: whoever is
// at the margin for such weights is rounding. The multipliers that a sample must have
// are met all the same, at every age.
func TestRareClassEntersAtOnce(t *testing.T) {
	t.Parallel()
	x, y := counts(200, 107, 0, 1)
	p := gaga.SVM(x, y, nil, 1, gaga.RBF{Gamma: 1 / (float64(x.Cols) * variance(x.Data))})
	p.Regularizer = gaga.Polynomial{Order: 1.35}
	path := track(t, p, gaga.Options{Age: gaga.Range{Min: 0.1, Max: 2.1}})
	turning, jumps := count(path)
	if turning == 0 || turning+jumps > 10 {
		t.Errorf("%d turning points and %d jumps up to age 2.1", turning, jumps)
	}
	o := newOptimality(p)
	for _, age := range []float64{1.9, 2, 2 + 1e-9, 2 + 1e-6, 2 + 1e-4, 2.0005, 2.001, 2.01, 2.05} {
		theta, err := path.At(age)
		if err != nil {
			t.Fatal(err)
		}
		if off := o.violation(theta, age); !(off <= residualLimit) {
			t.Errorf("age %v: residual %.3g", age, off)
		}
	}
}

// Behind age √2, at which 30 % flipped labels enter together, the fits weigh hundreds
// of samples by 1e-10 and all the others by 1.
func TestFlippedClassEnters(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	for seed := uint64(4); seed <= 6; seed++ {
		x, y := counts(1200, 107, 0.3, seed)
		p := gaga.SVM(x, y, nil, 1, gaga.RBF{Gamma: 10 / (float64(x.Cols) * variance(x.Data))})
		p.Regularizer = gaga.Mixture{Gamma: 0.5}
		track(t, p, gaga.Options{Age: gaga.Range{Min: 1.3, Max: 1.4143}})
	}
}
