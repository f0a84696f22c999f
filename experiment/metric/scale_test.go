package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

// TestScaleTuning holds the tuning against integrals over the normal distribution: the M-scale's
// consistency, and the τ-scale's.
func TestScaleTuning(t *testing.T) {
	t.Parallel()
	for _, of := range []struct{ cut, mean float64 }{{breakdownCut, breakdownMean}, {efficientCut, efficientMean}} {
		mean := 2 * quad.Fixed(func(z float64) float64 {
			loss, _ := bisquare([]float64{z}, of.cut)
			return loss * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		}, 0, of.cut, 200, nil, 0)
		mean += math.Erfc(of.cut / math.Sqrt2)
		if math.Abs(mean-of.mean) > 1e-9 {
			t.Errorf("cut %g: the mean is %.13g, not %.13g", of.cut, mean, of.mean)
		}
	}
}

// TestTauScale wants the standard deviation of normal errors, a scale of the same size with 40 % of
// gross errors, and the M-scale's equation solved by bisection.
func TestTauScale(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 1))
	for _, unit := range []float64{1e-100, 1, 1e100} {
		errors := make([]float64, 20000)
		for i := range errors {
			errors[i] = unit * math.Abs(random.NormFloat64())
		}
		scale, deviation := tauScale(errors)
		if math.Abs(scale/unit-1) > 0.02 || !(deviation/scale > 0.003 && deviation/scale < 0.01) {
			t.Errorf("%v ± %v of normal errors of deviation %g", scale, deviation, unit)
		}
		for i := range 8000 {
			errors[i] = unit * (50 + random.Float64())
		}
		scale, _ = tauScale(errors)
		low, high := 0.0, unit*100
		for range 200 {
			middle := low/2 + high/2
			if mean, _ := bisquare(errors, breakdownCut*middle); mean > breakdownMean {
				low = middle
			} else {
				high = middle
			}
		}
		mean, _ := bisquare(errors, efficientCut*low)
		if want := low * math.Sqrt(mean/efficientMean); math.Abs(scale/want-1) > 1e-8 || scale > 6*unit {
			t.Errorf("%v with 40 %% gross errors; by bisection %v", scale, want)
		}
	}
	for _, errors := range [][]float64{{0, 0, 0, 5}, {0, 0, 0, 1e300, 1e-300}} {
		if scale, deviation := tauScale(errors); scale != 0 || deviation != 0 {
			t.Errorf("%v ± %v of %v", scale, deviation, errors)
		}
	}
	if scale, _ := tauScale([]float64{1, math.Inf(1), math.Inf(1)}); !math.IsInf(scale, 1) {
		t.Errorf("%v with mostly infinite errors", scale)
	}
	if scale, _ := tauScale(slices.Repeat([]float64{2}, 5)); math.IsNaN(scale) {
		t.Error("equal errors have no scale")
	}
}
