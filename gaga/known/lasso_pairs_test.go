package known

import (
	"math"

	"github.com/agepath/agepath/gaga"
)

// lassoPairs returns Lasso problems of two samples x = 1 with targets y, of
// multiplicities m. With h, half the L1 weight, the condition is
//
//	Σ m v (w - y) + h sgn w = 0.
func lassoPairs() []Problem {
	return []Problem{hardPair(), middlePair(), droppedPair(), recedingPair(), foldedPair()}
}

func pair(name string, ages gaga.Range, r gaga.Regularizer, y, m []float64, h float64, branches []Branch, events ...Event) Problem {
	return Problem{
		Name: "lasso " + name,
		Model: &gaga.Problem{
			X: column(1, 1), Y: y, Multiplicity: m, Loss: gaga.Squared{}, Penalty: gaga.Penalty{L1: 2 * h}, Regularizer: r,
		},
		Age: ages, Start: ages.Min, Branches: branches, Events: events,
	}
}

// hardPair: the first sample alone rests at w = 1 - h = 0.8, both at 3 - h/2. The
// second comes in at (5 - 0.8)², and its loss is smaller then.
func hardPair() Problem {
	return pair("hard: jump", gaga.Range{Min: 4, Max: 30}, gaga.Hard{}, []float64{1, 5}, nil, 0.2, []Branch{
		{4, "ED", constant(0.8, 0)}, {4.2 * 4.2, "EE", constant(2.9, 0)},
	}, jump(4.2*4.2, gaga.SampleDown, 1))
}

// middlePair has γ = 1: beside the first sample's curvature, 4, the second, y = 1,
// passes through the middle zone: 4w - (1 - (1 - w)/λ) + h = 0, so
// w = (1 - h - 1/λ)/(4 - 1/λ), active from 1/λ = 1 - h on. With weight 1 it rests at
// w = (1 - h)/5 = 0.18; it is easy from 0.82 = λ/(λ + 1) on.
func middlePair() Problem {
	const h = 0.1
	const active, easy = 1 / (1 - h), 0.82 / 0.18
	return pair("mixture: through the middle zone", gaga.Range{Min: 0.5, Max: 20}, gaga.Mixture{Gamma: 1}, []float64{0, 1}, []float64{4, 1}, h, []Branch{
		{0.5, "ED", constant(0, 0)},
		{1, "EM", constant(0, 0)},
		{active, "EM", slope(func(age float64) float64 { return (1 - h - 1/age) / (4 - 1/age) })},
		{easy, "EE", constant(0.18, 0)},
	}, down(1, 1), Event{active, gaga.Turning, gaga.Activated, 0}, down(easy, 1))
}

// droppedPair has γ = 1.5: the first sample, y = 1, rests at w = 1 - h = 0.8; the
// outlier y = -2 comes in at λ = 2.8 and pulls with 1.2 (1 - (w + 2)/λ) from the
// middle zone, which ends below its loss: w = (2.4/λ - 0.4)/(1 - 1.2/λ) reaches 0
// at λ = 6.
func droppedPair() Problem {
	return pair("mixture: coordinate dropped", gaga.Range{Min: 1.5, Max: 20}, gaga.Mixture{Gamma: 1.5}, []float64{1, -2}, []float64{1, 0.8}, 0.2, []Branch{
		{1.5, "ED", constant(0.8, 0)},
		{2.8, "EM", slope(func(age float64) float64 { return (2.4/age - 0.4) / (1 - 1.2/age) })},
		{6, "EM", constant(0, 0)},
	}, down(2.8, 1), Event{6, gaga.Turning, gaga.Dropped, 0})
}

// recedingPair: the sample y = 1 and an outlier y = -d of multiplicity μ, with the
// linear regularizer. The outlier comes in at w = 0, λ = d²; w is activated at
// (1 - 1/λ) - μd (1 - d²/λ) = h, where the curvature is small and positive, and rises
// so fast that the outlier's loss overtakes the age: (w + d)² = λ on the first one's
// own curve s - s³/λ = h, s = 1 - w. That equation has a second zero, from which on
// the outlier is back.
func recedingPair() Problem {
	const d, mu, h = 1.75, 0.02, 0.686
	const active = (1 - mu*d*d*d) / (1 - mu*d - h)
	// Zero where the outlier is at the threshold on the first one's curve: negative
	// at w = 0, positive at 0.08, negative at 0.2.
	meet := func(w float64) float64 {
		s := 1 - w
		return s - s*s*s/((w+d)*(w+d)) - h
	}
	gone, back := root(meet, 0, 0.08), root(meet, 0.08, 0.2)
	goneAge, backAge := (gone+d)*(gone+d), (back+d)*(back+d)
	// Falls in s where the curvature 1 - 3s²/λ + μ (1 - 3(w + d)²/λ) is positive,
	// which it is over each of the two branches' range of w.
	both := func(lo, hi float64) func(float64) []float64 {
		return slope(func(age float64) float64 {
			return root(func(w float64) float64 {
				s, o := 1-w, w+d
				return s - s*s*s/age - mu*(o-o*o*o/age) - h
			}, lo, hi)
		})
	}
	return pair("linear: outlier recedes and comes back", gaga.Range{Min: 1.5, Max: 20}, gaga.Linear{}, []float64{1, -d}, []float64{1, mu}, h, []Branch{
		{1.5, "ED", constant(0, 0)},
		{d * d, "EE", constant(0, 0)},
		{active, "EE", both(0, gone)},
		{goneAge, "ED", slope(func(age float64) float64 { return 1 - smallCubic(h, age) })},
		{backAge, "EE", both(back, 1-h)},
	}, down(d*d, 1), Event{active, gaga.Turning, gaga.Activated, 0}, up(goneAge, 1), down(backAge, 1))
}

// foldedPair: an outlier comes in beside the sample y = 4.3 where the curvature is
// still positive, draws w down, and the branch ends in a fold: with both,
// Σ m ((w - y) - (w - y)³/λ) + h = 0 is solved by one λ for each w,
//
//	λ(w) = Σ m (w - y)³ / (Σ m (w - y) + h),
//
// and the fold is that curve's maximum. Beyond it the left side is positive down to
// w = 0. A third sample, discarded throughout, draws the fit with all weights 1, at
// which the path begins, over to where the outlier is discarded.
func foldedPair() Problem {
	const h = 2.168
	y, m := []float64{4.3, -5.7, 53}, []float64{0.87, 0.13, 0.02}
	sums := func(w float64) (first, second, third float64) {
		for i := range 2 {
			r := w - y[i]
			first, second, third = first+m[i]*r, second+m[i]*r*r, third+m[i]*r*r*r
		}
		return first, second, third
	}
	age := func(w float64) float64 {
		first, _, third := sums(w)
		return third / (first + h)
	}
	enter := root(func(w float64) float64 { // on the first sample's own curve
		s, o := y[0]-w, w-y[1]
		return m[0]*(s-s*s*s/(o*o)) - h
	}, 1.05, 1.15)
	folded := root(func(w float64) float64 { // dλ/dw up to a positive factor
		first, second, third := sums(w)
		return 3*second*(first+h) - third
	}, 0.9, 1)
	enterAge, foldAge := (enter-y[1])*(enter-y[1]), age(folded)
	p := pair("linear: outlier comes in, fold", gaga.Range{Min: 44.5, Max: 52}, gaga.Linear{}, y, m, h, []Branch{
		{44.5, "EDD", slope(func(age float64) float64 { return y[0] - smallCubic(h/m[0], age) })},
		{enterAge, "EED", slope(func(at float64) float64 {
			return root(func(w float64) float64 {
				first, _, third := sums(w)
				return first - third/at + h
			}, folded, enter)
		})},
		{foldAge, "EED", constant(0, 0)},
	}, down(enterAge, 1), jump(foldAge, gaga.Fold, -1))
	p.Model.X = column(1, 1, 1)
	return p
}

// ridge returns least squares of the sample x = 1, y = 1 with the penalty ρ w²/2, and
// an elastic net: with the residual s = 1 - w and the linear regularizer
//
//	2 (s - s³/λ) = ρ (1 - s) + c.
//
// The difference of the two sides rises up to s² = λ (2 + ρ)/6.
func ridge() []Problem {
	const rho = 5.0
	path := func(c float64) func(age float64) []float64 {
		return slope(func(age float64) float64 {
			hi := math.Min(1, math.Sqrt(age*(2+rho)/6))
			return 1 - root(func(s float64) float64 { return 2*(s-s*s*s/age) - rho*(1-s) - c }, 0, hi)
		})
	}
	model := func(c float64) *gaga.Problem {
		return &gaga.Problem{
			X: column(1), Y: []float64{1}, Loss: gaga.Squared{}, Penalty: gaga.Penalty{L1: c, L2: rho}, Regularizer: gaga.Linear{},
		}
	}
	// With weight 1, s = (ρ + c)/(2 + ρ). The curvature behind λ = 1 is ρ - 4 > 0.
	start := func(c float64) float64 { return (rho + c) * (rho + c) / ((2 + rho) * (2 + rho)) }
	const c = 0.5
	return []Problem{
		{
			Name: "ridge linear: turning", Model: model(0), Age: gaga.Range{Min: 0.1, Max: 20}, Start: start(0),
			Branches: []Branch{{start(0), "D", constant(0, 0)}, {1, "E", path(0)}},
			Events:   []Event{down(1, 0)},
		},
		{
			Name: "elastic net linear: activation, turning", Model: model(c), Age: gaga.Range{Min: 0.1, Max: 20}, Start: start(c),
			Branches: []Branch{{start(c), "D", constant(0, 0)}, {1, "E", constant(0, 0)}, {2 / (2 - c), "E", path(c)}},
			Events:   []Event{down(1, 0), {2 / (2 - c), gaga.Turning, gaga.Activated, 0}},
		},
	}
}
