package known

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
)

func softplus(u float64) float64 {
	if u > 0 {
		return u + math.Log1p(math.Exp(-u))
	}
	return math.Log1p(math.Exp(u))
}

func sigmoid(u float64) float64 { return 1 / (1 + math.Exp(-u)) }

// fullMargin returns the u at which a sample with weight 1 rests: u = k σ(-u).
func fullMargin(k float64) float64 {
	return root(func(u float64) float64 { return u - k*sigmoid(-u) }, 0, k)
}

// bend is a path of logistic regression without intercept whose samples all have
// the margin u = y x w, with x = ±1: for l = C ln(1 + exp(-u)) the condition is
//
//	u = k v*(l, λ) σ(-u),  k = κC,
//
// where κ counts the samples. So at any u on the path the weight is
// v(u) = u (1 + exp(u))/k, and the regularizer tells the one age λ(u) that gives
// it: the path is known as a curve (λ(u), u), stable where λ(u) rises. While every
// sample is discarded u = 0 and l = C ln 2.
type bend struct {
	c, k float64
	rows int // 1: one sample of multiplicity κ; 2: κ = 2 samples, tied
}

func (b bend) weight(u float64) float64 { return u * (1 + math.Exp(u)) / b.k }
func (b bend) loss(u float64) float64   { return b.c * softplus(-u) }

func (b bend) model(r gaga.Regularizer) *gaga.Problem {
	x, y, m := column(1), []float64{1}, []float64{b.k / b.c}
	if b.rows == 2 {
		x, y, m = column(1, -1), []float64{1, -1}, nil
	}
	p := gaga.LogisticRegression(x, y, m, b.c)
	p.Intercept = false
	p.Regularizer = r
	return p
}

// along returns the path on which age(u) is the age, between two values of u over
// which it rises.
func along(age func(u float64) float64, lo, hi float64) func(float64) []float64 {
	return slope(func(at float64) float64 {
		return root(func(u float64) float64 { return age(u) - at }, lo, hi)
	})
}

func logistic() []Problem {
	return []Problem{
		linearBend("tie, turning", bend{1, 2, 2}), linearBend("jump", bend{2, 4, 1}),
		foldedBend(), steepBend(), mixtureBend(), logBend(), hardBend(),
	}
}

// power is a regularizer with v = (1 - l/λ)^(1/e): with z = v^e, λ = l/(1 - z). The
// sign of dλ/du is that of dl/du (1 - z) + l dz/du, up to positive factors
// -σ(-u) (1 - z) + ln(1 + exp(-u)) z'.
type power struct {
	bend
	e float64
}

func (p power) age(u float64) float64 { return p.loss(u) / (1 - math.Pow(p.weight(u), p.e)) }

func (p power) rise(u float64) float64 {
	v := p.weight(u)
	dv := (1 + math.Exp(u) + u*math.Exp(u)) / p.k
	return -sigmoid(-u)*(1-math.Pow(v, p.e)) + softplus(-u)*p.e*math.Pow(v, p.e-1)*dv
}

// rest is just below the u of weight 1, where λ(u) has no bound.
func (p power) rest() float64 { return fullMargin(p.k) * (1 - 1e-13) }

// linearBend: the sample comes in at λ = C ln 2. The derivative of p.rise is
// positive, so that λ(u) falls and then rises or only rises; the latter, which is a
// turning point, for k < 4 ln 2. Else the path jumps to where λ(u) is C ln 2 again.
func linearBend(what string, b bend) Problem {
	p := power{b, 1}
	enter := b.c * math.Ln2
	lo, events := 0.0, []Event{}
	if b.k > 4*math.Ln2 {
		lo = root(p.rise, 0, p.rest())
		events = append(events, jump(enter, gaga.SampleDown, 0))
	} else {
		for i := range b.rows {
			events = append(events, down(enter, i))
		}
	}
	return p.entering("logistic linear: "+what, gaga.Linear{}, along(p.age, lo, p.rest()), events)
}

// entering is the problem whose samples, all discarded by the lowest age, come in
// at C ln 2 and stay on one branch then.
func (b bend) entering(name string, r gaga.Regularizer, path func(float64) []float64, events []Event) Problem {
	zones := func(z string) string { return z + z[:b.rows-1] }
	start := b.loss(fullMargin(b.k)) // which the fit with all weights 1 leaves
	return Problem{
		Name: name, Model: b.model(r), Age: gaga.Range{Min: 0.01, Max: 20}, Start: start,
		Branches: []Branch{{start, zones("D"), constant(0, 0)}, {b.c * math.Ln2, zones("E"), path}},
		Events:   events,
	}
}

// foldedBend has order 3/2: λ(u) rises from u = 0, as z does like √u, falls and
// rises again; the path jumps from the fold to the last part.
func foldedBend() Problem {
	p := power{bend{2, 12, 1}, 0.5}
	top, bottom := root(p.rise, 1e-6, 0.35), root(p.rise, 0.35, p.rest())
	fold := p.age(top)
	problem := p.entering("logistic polynomial: fold", gaga.Polynomial{Order: 1.5}, along(p.age, 0, top), []Event{
		down(p.c*math.Ln2, 0), jump(fold, gaga.Fold, -1),
	})
	problem.Branches = append(problem.Branches, Branch{fold, "E", along(p.age, bottom, p.rest())})
	return problem
}

// steepBend has order 3: the weight enters with infinite slope, and λ(u) falls at
// first; the path jumps to where it is C ln 2 again.
func steepBend() Problem {
	p := power{bend{1, 2, 2}, 2}
	return p.entering("logistic polynomial of order 3: jump", gaga.Polynomial{Order: 3},
		along(p.age, root(p.rise, 0, p.rest()), p.rest()), []Event{jump(p.c*math.Ln2, gaga.SampleDown, 0)})
}

// mixtureBend: in the middle zone 1/λ = 1/√l - v/γ, from λ = √(C ln 2) at u = 0
// until the weight is 1 at u = 1, where the sample is easy.
func mixtureBend() Problem {
	const gamma = 0.8
	b := bend{1, 1 + math.E, 1}
	age := func(u float64) float64 { return 1 / (1/math.Sqrt(b.loss(u)) - b.weight(u)/gamma) }
	enter, easy := math.Sqrt(b.c*math.Ln2), age(1)
	start := math.Sqrt(b.loss(1))
	return Problem{
		Name: "logistic mixture: turning", Model: b.model(gaga.Mixture{Gamma: gamma}), Age: gaga.Range{Min: 0.01, Max: 20}, Start: start,
		Branches: []Branch{
			{start, "D", constant(0, 0)}, {enter, "M", along(age, 0, 1)}, {easy, "E", constant(1, 0)},
		},
		Events: []Event{down(enter, 0), down(easy, 0)},
	}
}

// logBend: while l > λ, 1 + aλ = v (1 + al); the sample is easy at u = 1.
func logBend() Problem {
	const a = 1.0
	b := bend{1, 1 + math.E, 1}
	age := func(u float64) float64 { return (b.weight(u)*(1+a*b.loss(u)) - 1) / a }
	return Problem{
		Name: "logistic LOG: turning", Model: b.model(gaga.LOG{A: a}), Age: gaga.Range{Min: 0.01, Max: 20}, Start: 0.01,
		Branches: []Branch{{0.01, "D", along(age, 0, 1)}, {b.loss(1), "E", constant(1, 0)}},
		Events:   []Event{down(b.loss(1), 0)},
	}
}

// hardBend has a sample, of multiplicity m₁ = 1 + e, that rests at u = 1 alone, and
// one of the other label, of the multiplicity m₂ that makes both rest at u = 1/2:
// m₁ σ(-1/2) - m₂ σ(1/2) = 1/2. The second comes in at its loss for u = 1.
func hardBend() Problem {
	const m1 = 1 + math.E
	m2 := (m1*sigmoid(-0.5) - 0.5) / sigmoid(0.5)
	model := gaga.LogisticRegression(column(1, 1), []float64{1, -1}, []float64{m1, m2}, 1)
	model.Intercept = false
	model.Regularizer = gaga.Hard{}
	return Problem{
		Name: "logistic hard: jump", Model: model, Age: gaga.Range{Min: 0.5, Max: 20}, Start: 0.5,
		Branches: []Branch{{0.5, "ED", constant(1, 0)}, {softplus(1), "EE", constant(0.5, 0)}},
		Events:   []Event{jump(softplus(1), gaga.SampleDown, 1)},
	}
}

// logisticPairs returns problems of two features, each with a sample of its own as
// in [bend]: two tied samples on two coordinates, and a path on each.
func logisticPairs() []Problem {
	b := bend{1, 1.5, 1}
	p := power{b, 1}
	path := along(p.age, 0, p.rest())
	model := gaga.LogisticRegression(blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 1}},
		[]float64{1, -1}, []float64{b.k, b.k}, b.c)
	model.Intercept = false
	model.Regularizer = gaga.Linear{}
	enter, start := b.c*math.Ln2, b.loss(fullMargin(b.k))
	return []Problem{{
		Name: "logistic linear: two features, tie", Model: model, Age: gaga.Range{Min: 0.01, Max: 20}, Start: start,
		Branches: []Branch{
			{start, "DD", constant(0, 0, 0)},
			{enter, "EE", func(age float64) []float64 {
				w := path(age)[0]
				return []float64{w, -w, 0}
			}},
		},
		Events: []Event{down(enter, 0), down(enter, 1)},
	}}
}
