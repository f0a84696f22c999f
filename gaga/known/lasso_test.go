package known

import (
	"math"

	"github.com/agepath/agepath/gaga"
)

// lasso returns Lasso problems of one sample x = 1, y = 1 with the L1 weight c:
// with the residual s = 1 - w > 0 and l = s² the condition is
//
//	2 v*(s², λ) s = c  while w > 0,  2 v*(1, λ) <= c  at w = 0.
//
// With weight 1, s = c/2. The coordinate is activated where 2 v*(1, λ) = c, and
// turns there where d(v s)/ds > 0.
func lasso() []Problem {
	return append([]Problem{
		single{c: 0.5, r: gaga.Hard{}, what: "constant"}.resting(0.1),
		linearSingle(1.6, gaga.Turning), linearSingle(0.5, gaga.Jump),
		polynomialSingle(1.6, gaga.Turning), polynomialSingle(0.5, gaga.Jump),
		steepSingle(1.6, gaga.Turning), steepSingle(0.5, gaga.Jump),
		mixtureSingle(), logSingle(0.5, gaga.Turning), logSingle(2, gaga.Jump),
	}, tiedLasso())
}

type single struct {
	c    float64
	r    gaga.Regularizer
	what string
}

func (s single) problem(min, start float64, branches []Branch, events ...Event) Problem {
	return Problem{
		Name: "lasso " + s.r.Name() + ": " + s.what,
		Model: &gaga.Problem{
			X: column(1), Y: []float64{1}, Loss: gaga.Squared{}, Penalty: gaga.Penalty{L1: s.c}, Regularizer: s.r,
		},
		Age: gaga.Range{Min: min, Max: 20}, Start: max(min, start), Branches: branches, Events: events,
	}
}

// resting is the problem whose sample keeps the weight 1.
func (s single) resting(min float64) Problem {
	return s.problem(min, 0, []Branch{{min, "E", constant(1-s.c/2, 0)}})
}

// entering is the problem whose sample is discarded at w = 0 by the lowest age,
// comes in at λ = 1 and is active from another age on; inner is its zone until then.
//
// The fit with weight 1 is discarded below λ = c²/4, with mixture weights below
// λ² = c²/4.
func (s single) entering(active float64, kind gaga.Kind, inner string, residual func(age float64) float64) Problem {
	start := s.c * s.c / 4
	if _, mixture := s.r.(gaga.Mixture); mixture {
		start = s.c / 2
	}
	start = math.Max(0.1, start)
	return s.problem(0.1, start, []Branch{
		{start, "D", constant(0, 0)}, {1, inner, constant(0, 0)},
		{active, "E", slope(func(age float64) float64 { return 1 - residual(age) })},
	}, down(1, 0), Event{active, kind, gaga.Activated, 0})
}

// linearSingle: s - s³/λ = c/2, active from 2 (1 - 1/λ) = c on, with a turn if
// λ > 3 there.
func linearSingle(c float64, kind gaga.Kind) Problem {
	return single{c, gaga.Linear{}, "activation, " + kind.String()}.entering(2/(2-c), kind, "E", func(age float64) float64 {
		return smallCubic(c/2, age)
	})
}

// polynomialSingle has order 3/2: s (1 - s²/λ)² = c/2, whose left side rises up to
// s² = λ/5; active from (1 - 1/λ)² = c/2 on.
func polynomialSingle(c float64, kind gaga.Kind) Problem {
	return single{c, gaga.Polynomial{Order: 1.5}, "activation, " + kind.String()}.entering(1/(1-math.Sqrt(c/2)), kind, "E", func(age float64) float64 {
		return root(func(s float64) float64 { return s*(1-s*s/age)*(1-s*s/age) - c/2 }, 0, math.Min(1, math.Sqrt(age/5)))
	})
}

// steepSingle has order 3: s² (1 - s²/λ) = c²/4, quadratic in s², of which the
// smaller zero is stable; active from 1 - 1/λ = c²/4 on, with a turn if λ > 2.
func steepSingle(c float64, kind gaga.Kind) Problem {
	return single{c, gaga.Polynomial{Order: 3}, "order 3, activation, " + kind.String()}.entering(1/(1-c*c/4), kind, "E", func(age float64) float64 {
		return math.Sqrt(0.5 * c * c / (1 + math.Sqrt(1-c*c/age)))
	})
}

// mixtureSingle has γ = 1: in the middle zone v s = 1 - s/λ falls in s, so that the
// activation at 1 - 1/λ = c/2 is a jump, to the easy s = c/2.
func mixtureSingle() Problem {
	const c = 0.5
	return single{c, gaga.Mixture{Gamma: 1}, "activation, jump"}.entering(1/(1-c/2), gaga.Jump, "M", func(float64) float64 { return c / 2 })
}

// logSingle: s (1 + aλ)/(1 + a s²) = c/2 while s² > λ, whose left side rises where
// a s² < 1; active from (1 + aλ)/(1 + a) = c/2 on. With a < 1 it is a turn, and the
// sample is easy from s² = λ at s = c/2 on; with a = 2 the next zero of the
// condition below s = 1 is s = c/2.
func logSingle(a float64, kind gaga.Kind) Problem {
	const c, min = 1.6, 0.1
	active, easy := (c/2*(1+a)-1)/a, c*c/4
	p := single{c, gaga.LOG{A: a}, "activation, " + kind.String()}
	branches := []Branch{{min, "D", constant(0, 0)}}
	events := []Event{{active, kind, gaga.Activated, 0}}
	if kind == gaga.Turning {
		branches = append(branches, Branch{active, "D", slope(func(age float64) float64 {
			n := 1 + a*age
			return 1 - c/(n+math.Sqrt(n*n-a*c*c))
		})})
		events = append(events, down(easy, 0))
		active = easy
	}
	branches = append(branches, Branch{active, "E", constant(1-c/2, 0)})
	return p.problem(min, min, branches, events...)
}

// tiedLasso is linearSingle with two samples: both come in at λ = 1, and the
// activation is where it is with one.
func tiedLasso() Problem {
	p := linearSingle(1.6, gaga.Turning)
	p.Name = "lasso linear: tie"
	p.Model.X, p.Model.Y, p.Model.Penalty.L1 = column(1, 1), []float64{1, 1}, 2*p.Model.Penalty.L1
	for i := range p.Branches {
		p.Branches[i].Zones += p.Branches[i].Zones
	}
	p.Events = []Event{down(1, 0), down(1, 1), p.Events[1]}
	return p
}
