package metric

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDisturbed draws targets y = 3 x + e with rows of several kinds and gives the errors of a model
// that fits most rows and of one that fits the mean of all.
func TestDisturbed(t *testing.T) {
	t.Parallel()
	const n, d = 200, 3
	for name, of := range map[string]struct {
		row  func(random *rand.Rand, x []float64) float64
		far  float64 // share of such rows
		want bool
	}{
		"normal errors":      {func(r *rand.Rand, x []float64) float64 { return 3*x[0] + r.NormFloat64() }, 0, false},
		"gross errors":       {func(r *rand.Rand, x []float64) float64 { return 100 * r.NormFloat64() }, 0.3, true},
		"one-sided":          {func(r *rand.Rand, x []float64) float64 { return 3*x[0] + 40 + 9*r.NormFloat64() }, 0.3, true},
		"a second slope":     {func(r *rand.Rand, x []float64) float64 { return 9*x[0] + 9 }, 0.4, false},
		"a tail without end": {func(r *rand.Rand, x []float64) float64 { return 40*x[0] + 40 }, 0.4, true},
		"leverage":           {func(r *rand.Rand, x []float64) float64 { x[1] += 9; return -50 + r.NormFloat64() }, 0.2, true},
		"near leverage":      {func(r *rand.Rand, x []float64) float64 { x[1] += 5; return -9 + r.NormFloat64() }, 0.2, true},
		"mild errors":        {func(r *rand.Rand, x []float64) float64 { return 3*x[0] + 9*r.NormFloat64() }, 0.3, true},
		"Laplace's errors":   {func(r *rand.Rand, x []float64) float64 { return 3*x[0] + r.ExpFloat64() - r.ExpFloat64() }, 1, false},
		"a tie":              {nil, 0, false},
		"few gross errors":   {func(r *rand.Rand, x []float64) float64 { return 100 * r.NormFloat64() }, 0.02, true},
	} {
		random := rand.New(rand.NewPCG(8, 2))
		x, y := make([]float64, n*d), make([]float64, n)
		robust, plain := make([]float64, n), make([]float64, n)
		for i := range n {
			row := x[i*d : (i+1)*d]
			for j := range row {
				row[j] = random.NormFloat64()
			}
			robust[i] = 3 * row[0]
			plain[i] = robust[i]
			y[i] = robust[i] + random.NormFloat64()
			if name == "one-sided" {
				plain[i] += 12 // the intercept follows
			}
			if float64(i) < of.far*n {
				y[i] = of.row(random, row)
				if slices.Contains([]string{"a second slope", "a tail without end", "leverage", "near leverage"}, name) { // which features predict
					plain[i] = y[i]
				}
			}
		}
		if name == "a tie" { // which the robust model fits
			for i := range y {
				robust[i], plain[i], y[i] = 0, 3*x[i*d], 3*x[i*d]*float64(i%5/3)
			}
		}
		if got := Disturbed(y, robust, plain, x); got != of.want {
			t.Errorf("%s: %t, want %t", name, got, of.want)
		}
	}
}
