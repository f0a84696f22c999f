package known

import (
	"math"

	"github.com/agepath/agepath/gaga"
)

// receding is a linear support vector machine with mixture weights, the sample
// x = 1 and an outlier x = -b, in the units of [mixtureMargin]: L = λ/√C,
// ρ = √(1 - w) and ρ' = √(1 + bw). Both come in at L = 1, w = 0, and
//
//	w = kg ((1/ρ - 1/L) - b (1/ρ' - 1/L)).
//
// As w rises faster and faster the outlier's loss overtakes the age, at
// L² = 1 + bw on the first sample's own curve. That one ends in its fold and lands
// at w = k with the first sample easy; the outlier comes back at L² = 1 + bk, and
// is easy itself, w = k (1 - b), from ρ' = Lg/(L + g) on.
func receding() Problem {
	const c, k, b, gamma = 0.5, 0.5, 0.36, 2.0
	unit := math.Sqrt(c)
	g := gamma / unit
	alone := func(l float64) float64 {
		rho := largeCubic(1+k*g/l, k*g)
		return (1 - rho) * (1 + rho)
	}
	age := func(w float64) float64 { // L on the first sample's own curve
		rho := math.Sqrt(1 - w)
		return 1 / (1/rho - w/(k*g))
	}
	folded := 1 - math.Pow(k*g/2, 2.0/3)
	// At w = 0 both sides are 1; the outlier's rises less there, more at the fold.
	over := root(func(w float64) float64 { return age(w)*age(w) - 1 - b*w }, 0.01, folded)
	both := func(l float64) float64 {
		// The right side is convex in w, and steeper than the left only beyond over.
		return root(func(w float64) float64 {
			return w - k*g*(1/math.Sqrt(1-w)-1/l-b*(1/math.Sqrt(1+b*w)-1/l))
		}, 0, over)
	}
	back := math.Sqrt(1 + b*k)
	middle := func(l float64) float64 {
		// The left side less the right rises in w, as b²kg < 2.
		return root(func(w float64) float64 { return w - k + b*k*g*(1/math.Sqrt(1+b*w)-1/l) }, 0, k)
	}
	easy := math.Sqrt(1 + b*k*(1-b))
	easy = easy * g / (g - easy)

	model := gaga.SVM(column(1, b), []float64{1, -1}, nil, c, nil)
	model.Intercept = false
	model.Regularizer = gaga.Mixture{Gamma: gamma}
	path := func(w func(l float64) float64) func(float64) []float64 {
		return slope(func(age float64) float64 { return w(age / unit) })
	}
	fold := age(folded)
	// The fit with all weights 1 is w = k (1 - b), where the first loss is less.
	start := math.Sqrt(c * (1 - k*(1-b)))
	return Problem{
		Name: "svm linear kernel, mixture: outlier recedes, fold", Model: model,
		Age: gaga.Range{Min: 0.1 * unit, Max: 10 * unit}, Start: start,
		Branches: []Branch{
			{start, "DD", constant(0, 0)},
			{unit, "MM", path(both)},
			{age(over) * unit, "MD", path(alone)},
			{fold * unit, "ED", constant(k, 0)},
			{back * unit, "EM", path(middle)},
			{easy * unit, "EE", constant(k*(1-b), 0)},
		},
		Events: []Event{
			down(unit, 0), down(unit, 1), up(age(over)*unit, 1), jump(fold*unit, gaga.Fold, -1),
			down(back*unit, 1), down(easy*unit, 1),
		},
	}
}
