package selfpaced

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// TestMixture holds the score against the highest likelihood that Nelder and Mead's method finds from
// several starts, and its standard error against the jackknife.
func TestMixture(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 1))
	for _, absolute := range []bool{false, true} {
		for _, contaminated := range []float64{0.1, 0.4, 0.7} {
			errors := make([]float64, 150)
			for i := range errors {
				errors[i] = random.NormFloat64()
				if absolute {
					errors[i] = random.ExpFloat64()
				}
				if errors[i] = math.Abs(errors[i]); float64(i) >= (1-contaminated)*150 {
					errors[i] *= 20
				}
			}
			score, deviation := mixtureOf(errors, absolute)
			density := func(r, scale float64) float64 { return math.Exp(-r*r/scale/scale/2) / scale / math.Sqrt(2*math.Pi) }
			entropy := math.Log(math.Sqrt(2 * math.Pi * math.E)) // of the standard normal
			if absolute {
				density = func(r, scale float64) float64 { return math.Exp(-r/scale) / scale / 2 }
				entropy = math.Log(2 * math.E)
			}
			least := math.Inf(1)
			for _, start := range [][]float64{{0, 0, 3}, {1, -1, 2}, {-1, 0, 1}} {
				result, err := optimize.Minimize(optimize.Problem{Func: func(at []float64) (negative float64) {
					share := 1 / (1 + math.Exp(-at[0]))
					for _, r := range errors {
						negative -= math.Log(share*density(r, math.Exp(at[1])) + (1-share)*density(r, math.Exp(at[2])))
					}
					return negative / float64(len(errors))
				}}, start, nil, &optimize.NelderMead{})
				if err != nil {
					t.Fatal(err)
				}
				least = math.Min(least, result.F)
			}
			if want := math.Exp(least - entropy); math.Abs(score/want-1) > 1e-6 {
				t.Errorf("absolute %t, %g contaminated: the score is %v, by Nelder and Mead %v", absolute, contaminated, score, want)
			}
			n := float64(len(errors))
			var sum, squares float64
			for i := range errors {
				s, _ := mixtureOf(slices.Delete(slices.Clone(errors), i, i+1), absolute)
				sum += s / n
				squares += s * s / n
			}
			if jackknife := math.Sqrt((n - 1) * (squares - sum*sum)); math.Abs(deviation/jackknife-1) > 0.1 {
				t.Errorf("absolute %t, %g contaminated: the standard error is %v, by the jackknife %v", absolute, contaminated, deviation, jackknife)
			}
		}
	}
}

func mixtureOf(errors []float64, absolute bool) (score, deviation float64) {
	losses := slices.Clone(errors)
	if !absolute {
		for i, r := range errors {
			losses[i] = r * r
		}
	}
	return mixture(losses, absolute)
}

// TestMixtureOfOne wants the RMSE, or the MAE, of errors that one distribution explains, in the units
// of the errors, and no surprise where the likelihood has no maximum.
func TestMixtureOfOne(t *testing.T) {
	t.Parallel()
	for _, unit := range []float64{1e-120, 1, 1e120} {
		var normal, laplace []float64 // quantiles of the sizes
		rmse := 0.0
		for i := range 2000 {
			p := (float64(i) + 0.5) / 2000
			normal = append(normal, unit*math.Sqrt2*math.Erfinv(p))
			laplace = append(laplace, -unit*math.Log1p(-p))
			rmse += normal[i] / unit * normal[i] / unit / 2000
		}
		if score, deviation := mixtureOf(normal, false); math.Abs(score/unit/math.Sqrt(rmse)-1) > 1e-3 || math.Abs(deviation/unit/math.Sqrt(1/4000.0)-1) > 0.02 {
			t.Errorf("unit %g: %v ± %v of normal errors; want the RMSE %v", unit, score, deviation, unit*math.Sqrt(rmse))
		}
		if score, deviation := mixtureOf(laplace, true); math.Abs(score/unit-1) > 2e-3 || math.Abs(deviation/unit/math.Sqrt(1/2000.0)-1) > 0.02 {
			t.Errorf("unit %g: %v ± %v of Laplace errors; want about %v", unit, score, deviation, unit)
		}
	}
	for _, least := range []float64{0, 1e-310} {
		if score, deviation := mixture([]float64{least, 4, least, 9, least}, false); score != 0 || deviation != 0 {
			t.Errorf("%v ± %v of errors that are mostly %v", score, deviation, least)
		}
	}
	if score, _ := mixture([]float64{1, 2, math.Inf(1)}, false); !math.IsInf(score, 1) {
		t.Errorf("%v with an infinite error", score)
	}
	for n := 1; n < 4; n++ { // the smallest folds
		losses := make([]float64, n)
		for i := range losses {
			losses[i] = float64(i + 1)
		}
		if score, deviation := mixture(losses, false); !(score > 0.5 && score < 3) || math.IsNaN(deviation) {
			t.Errorf("%v ± %v of %d errors", score, deviation, n)
		}
	}
}
