package known

import (
	"github.com/agepath/agepath/gaga"
)

// line is a linear support vector machine without intercept on one feature; x
// holds y_i x_i, m the multiplicities. With the linear regularizer a sample that
// is easy with a gap has α = m C (1 - C(1 - x w)/λ), so that with no sample pinned
//
//	w = C S₁ (λ - C)/(λ - C² S₂),  S₁ = Σ m x,  S₂ = Σ m x²
//
// over those samples, stable where λ > C² S₂. A pinned sample fixes w = 1/x, and
// its multiplier is what is missing: x α = w - (S₁ C (1 - C/λ) + S₂ C² w/λ).
type line struct {
	c    float64
	x, m []float64
}

// free returns the path on which the given samples are easy and none is pinned.
func (l line) free(easy ...int) func(age float64) []float64 {
	var s1, s2 float64
	for _, i := range easy {
		s1 += l.m[i] * l.x[i]
		s2 += l.m[i] * l.x[i] * l.x[i]
	}
	c := l.c
	return slope(func(age float64) float64 { return c * s1 * (age - c) / (age - c*c*s2) })
}

// pinned returns the path on which a sample is pinned.
func (l line) pinned(i int) func(age float64) []float64 { return constant(1/l.x[i], 0) }

func (l line) problem(name string, ages gaga.Range, branches []Branch, events ...Event) Problem {
	y := make([]float64, len(l.x))
	x := make([]float64, len(l.x))
	for i, v := range l.x { // labels alternate, which changes nothing
		y[i] = float64(1 - 2*(i%2))
		x[i] = v * y[i]
	}
	model := gaga.SVM(column(x...), y, l.m, l.c, nil)
	model.Intercept = false
	model.Regularizer = gaga.Linear{}
	return Problem{"svm linear kernel, linear: " + name, model, ages, ages.Min, branches, events}
}

func lines() []Problem { return []Problem{easier(), outlier(), freedJump(), receding()} }

// easier: at w = 0 both losses are C. Then w = 1.44 (λ - C)/(λ - 0.324) pins the
// first sample at λ = 0.1944/0.44; its multiplier 1 - 1.08 (1 - 0.18/λ) falls to 0
// at 0.1944/0.08 = 2.43.
func easier() Problem {
	l := line{0.36, []float64{1, 0.5}, []float64{1, 6}}
	const pinned, freed = 0.1944 / 0.44, 2.43
	return l.problem("tie, pinned, out of reach", gaga.Range{Min: 0.1, Max: 20}, []Branch{
		{0.1, "DD", constant(0, 0)},
		{0.36, "EE", l.free(0, 1)},
		{pinned, "ZE", l.pinned(0)},
		{freed, "NE", l.free(1)},
	}, down(0.36, 0), down(0.36, 1), down(pinned, 0), down(freed, 0))
}

// outlier: with w = 2 held by the first sample the outlier x = -1 comes in at
// λ = 3; the first one's multiplier 4 + 5 (1 - 3/λ) reaches 6 at λ = 5. Behind it
// w = 0.5 (λ - 1)/(λ - 4) falls to 1 at λ = 7, where the second sample is pinned,
// with the multiplier 0.5 - 3.5/λ, which reaches 0.25 at λ = 14.
func outlier() Problem {
	l := line{1, []float64{0.5, 1, -1}, []float64{6, 0.25, 2.5}}
	return l.problem("outlier comes in, freed, pinned, freed", gaga.Range{Min: 1, Max: 30}, []Branch{
		{1, "ZND", l.pinned(0)},
		{3, "ZNE", l.pinned(0)},
		{5, "ENE", l.free(0, 2)},
		{7, "EZE", l.pinned(1)},
		{14, "EEE", l.free(0, 1, 2)},
	}, down(3, 2), up(5, 0), up(7, 1), up(14, 1))
}

// freedJump: as in outlier, but with the outlier's multiplicity 3.2 the first
// sample's multiplier 4 + 6.4 (1 - 3/λ) reaches 6 at λ = 48/11 < C² S₂ = 4.7: w
// leaves 2 for the next kink below, 0.1, which a third sample holds. Its multiplier
// is (0.3 - 0.67/λ)/10.
func freedJump() Problem {
	l := line{1, []float64{0.5, 10, -1}, []float64{6, 1, 3.2}}
	const freed = 48.0 / 11
	return l.problem("outlier comes in, freed with a jump", gaga.Range{Min: 1, Max: 20}, []Branch{
		{1, "ZND", l.pinned(0)},
		{3, "ZNE", l.pinned(0)},
		{freed, "EZE", l.pinned(1)},
	}, down(3, 2), jump(freed, gaga.SampleUp, 0))
}
