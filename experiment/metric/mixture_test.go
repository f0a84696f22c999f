package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// TestMixture holds the score against the highest likelihood that Nelder and Mead's method finds from
// several starts, and the odds against the densities.
func TestMixture(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 1))
	density := func(r, scale float64) float64 {
		return math.Exp(-r*r/scale/scale/2) / scale / math.Sqrt(2*math.Pi)
	}
	for _, contaminated := range []float64{0.1, 0.4, 0.7} {
		squares := make([]float64, 150)
		for i := range squares {
			squares[i] = math.Pow(random.NormFloat64(), 2)
			if float64(i) >= (1-contaminated)*150 {
				squares[i] *= 400
			}
		}
		m := fitMixture(squares)
		least := math.Inf(1)
		for _, start := range [][]float64{{0, 0, 3}, {1, -1, 2}, {-1, 0, 1}} {
			result, err := optimize.Minimize(optimize.Problem{Func: func(at []float64) (negative float64) {
				share := 1 / (1 + math.Exp(-at[0]))
				for _, x := range squares {
					r := math.Sqrt(x)
					negative -= math.Log(share*density(r, math.Exp(at[1])) + (1-share)*density(r, math.Exp(at[2])))
				}
				return negative / float64(len(squares))
			}}, start, nil, &optimize.NelderMead{})
			if err != nil {
				t.Fatal(err)
			}
			least = math.Min(least, result.F)
		}
		if want := math.Exp(least - math.Log(math.Sqrt(2*math.Pi*math.E))); math.Abs(m.score/want-1) > 1e-6 {
			t.Errorf("%g contaminated: the score is %v, by Nelder and Mead %v", contaminated, m.score, want)
		}
		for _, r := range []float64{0, 1, 7} {
			want := math.Log(m.share * density(r, math.Sqrt(m.narrow)) / (1 - m.share) / density(r, math.Sqrt(m.wide)))
			if odds := m.odds()(r * r); math.Abs(odds-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%g contaminated: log odds %v of the error %g, by the densities %v", contaminated, odds, r, want)
			}
		}
	}
}

// TestMixtureOfOne wants the RMSE of errors that one distribution explains, in the units of the
// errors, and no surprise where the likelihood has no maximum.
func TestMixtureOfOne(t *testing.T) {
	t.Parallel()
	for _, unit := range []float64{1e-120, 1, 1e120} {
		var squares []float64 // of quantiles
		rmse := 0.0
		for i := range 2000 {
			z := math.Sqrt2 * math.Erfinv((float64(i)+0.5)/2000)
			squares = append(squares, unit*z*unit*z)
			rmse += z * z / 2000
		}
		if m := fitMixture(squares); math.Abs(m.score/unit/math.Sqrt(rmse)-1) > 1e-3 {
			t.Errorf("unit %g: %v of normal errors; want the RMSE %v", unit, m.score, unit*math.Sqrt(rmse))
		}
	}
	for _, least := range []float64{0, 1e-310} {
		m := fitMixture([]float64{least, 4, least, 9, least})
		if m.score != 0 || m.narrow != 0 || !math.IsInf(m.odds()(least), 1) || !math.IsInf(m.odds()(4), -1) {
			t.Errorf("%+v of errors that are mostly %v", m, least)
		}
	}
	if m := fitMixture([]float64{1, 2, math.Inf(1)}); !math.IsInf(m.score, 1) {
		t.Errorf("%v with an infinite error", m.score)
	}
	for n := 1; n < 4; n++ { // the smallest folds
		squares := make([]float64, n)
		for i := range squares {
			squares[i] = float64(i + 1)
		}
		if m := fitMixture(squares); !(m.score > 0.5 && m.score < 3) {
			t.Errorf("%v of %d errors", m.score, n)
		}
	}
}
