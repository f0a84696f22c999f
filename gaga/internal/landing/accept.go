package landing

import (
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/dense"
)

type site struct {
	condition condition.Condition
	state     *model.State
	corrector *newton.Corrector
	horizon   window.Horizon
	options   Options
	scores    []float64
	refuted   []uint8 // zones without a landing point
	value     float64
	reached   float64 // implicit objective at the solution accepted last; NaN if by watched samples
	rounding  float64
}

func newSite(c condition.Condition, n *newton.Corrector, h window.Horizon, o Options) *site {
	s := c.State()
	site := &site{condition: c, state: s, corrector: n, horizon: h, options: o, scores: make([]float64, s.N)}
	if s.Kinked() {
		site.rounding = multiplierRounding(s)
	} else {
		site.rounding = rounding(s)
	}
	return site
}

// rounding bounds the effect of rounding of predictors near their targets on the implicit
// objective, the only term if all samples are fitted exactly.
func rounding(s *model.State) (sum float64) {
	for i, y := range s.Y {
		_, _, curvature := s.Loss.Eval(y, y)
		sum += s.M[i] * curvature * tolerance.FittedRounding * tolerance.FittedRounding * y * y
	}
	return sum
}

// multiplierRounding bounds the effect of rounding of sums of multipliers on the hinge loss's
// implicit objective; with features of 1e8 it is as large as the objective.
func multiplierRounding(s *model.State) float64 {
	norms := make([]float64, s.N)
	if s.Kernel != nil {
		s.Kernel.Diagonal(norms, convex.NewPoints(s.X))
	} else {
		for i := range norms {
			for _, x := range s.Row(i) {
				norms[i] += x * x
			}
		}
	}
	var sum float64
	for i, square := range norms {
		sum += s.M[i] * math.Sqrt(square)
	}
	return tolerance.Unit * s.Cost * s.Cost / s.L2[0] * sum * sum
}

// roundingAt is multiplierRounding for a kernel machine: multipliers that cancel in the predictors,
// as those of equal samples, may be large.
func (s *site) roundingAt(theta []float64) float64 {
	if s.state.Kernel == nil {
		return 0
	}
	var part float64
	for i, m := range s.state.M {
		part = max(part, math.Abs(theta[i])/(s.state.Bound*m))
	}
	return part * part * s.rounding
}

func (s *site) start(d *departure) {
	s.refuted = s.refuted[:0]
	if s.options.Verify {
		s.value = s.objectiveAt(d.theta, d.age)
	}
}

// place sets pt to θ in the given zones and returns the implicit objective. If a partition has one
// stationary point, place reports false for the partition refuted last, unless final is set.
func (s *site) place(pt *model.Point, age float64, theta, u []float64, zones []uint8, final bool) (value float64, ok bool) {
	single := s.state.Kinked() && s.state.Polynomial
	if !final && single && slices.Equal(zones, s.refuted) {
		return 0, false
	}
	s.refuted = append(s.refuted[:0], zones...)
	value = condition.Objective(s.condition, theta, u, age)
	pt.Age = age
	copy(pt.Theta, theta)
	for j, w := range theta {
		s.state.Sign[j] = s.state.SignOf(j, w)
	}
	s.condition.Place(zones, u, pt.Theta)
	s.condition.Choose()
	if w, ok := s.horizon.(*window.Window); ok {
		w.WatchNone(u, age)
	}
	s.condition.Renew()
	return value, true
}

// finish corrects pt and reports whether it is then a landing point. If coordinates are collinear,
// finish moves to a solution of smaller support and reports thinned. Unless still, which means that
// steps have ended at theta, the correction must be straight, as it could skip an optimum.
func (s *site) finish(pt *model.Point, theta []float64, value float64, still bool) (accepted, thinned bool) {
	if !s.corrector.Correct(pt) {
		copy(pt.Theta, theta)
		thinned = s.thin(pt)
		if !thinned && !(still && s.unpin(pt)) || !s.corrector.Correct(pt) {
			return false, thinned
		}
	}
	s.condition.Tangent(pt)
	return s.accepts(pt, value) && (still || s.corrector.Straight(pt)), thinned
}

// accepts reports whether a solution pt satisfies the whole optimality condition with an objective
// not above value.
func (s *site) accepts(pt *model.Point, value float64) bool {
	if s.state.Frozen && !(s.condition.Residual(pt) <= tolerance.Roundoff) {
		return false // the free coordinates have no equations
	}
	slack := tolerance.KKT * math.Abs(value)
	if !s.state.Kinked() {
		slack += s.rounding
	}
	now, ok := s.inZones(pt)
	return ok && condition.Signed(s.state, pt) && now <= value+slack
}

// inZones uses only the watched samples if no others can have left their zones.
func (s *site) inZones(pt *model.Point) (value float64, ok bool) {
	samples, u := s.state.All, s.scores
	if within := s.horizon.Inside(pt); within {
		samples, u = s.state.Watch, pt.U
		value, s.reached = s.condition.Value(pt), math.NaN()
	} else {
		s.condition.PredictAll(u, pt.Theta)
		value = condition.Objective(s.condition, pt.Theta, u, pt.Age)
		s.reached = value
	}
	return value, condition.InZones(s.state, pt, samples, u)
}

// thin drops coordinates that are collinear with other active ones on the samples of positive
// weight, along the null direction, which changes neither the fit nor the L1 norm.
func (s *site) thin(pt *model.Point) (dropped bool) {
	c, ok := s.condition.(*condition.Primal)
	if !ok || s.state.Kinked() || !s.state.Sparse() {
		return false
	}
	for range s.state.P {
		direction, ok := condition.NullVector(c, s.state.Active)
		if !ok {
			return dropped
		}
		first, at := -1, math.Inf(1)
		for r, j := range s.state.Active {
			if s.state.L1[j] == 0 || direction[r] == 0 {
				continue
			}
			if x := -pt.Theta[j] / direction[r]; math.Abs(x) < math.Abs(at) {
				first, at = j, x
			}
		}
		if first < 0 {
			return dropped
		}
		for r, j := range s.state.Active {
			pt.Theta[j] += at * direction[r]
		}
		pt.Theta[first], s.state.Sign[first] = 0, 0
		for _, j := range s.state.Active {
			s.state.Sign[j] = s.state.SignOf(j, pt.Theta[j])
		}
		c.Choose()
		dropped = true
	}
	return dropped
}

// unpin removes pinned samples that depend on the others, as ties do: it moves the multipliers,
// without changing the solution, until one reaches a bound.
func (s *site) unpin(pt *model.Point) (taken bool) {
	if !s.state.Kinked() {
		return false
	}
	var pins []int
	enough := len(s.state.Zone)
	if _, ok := s.condition.(*condition.Primal); ok {
		enough = len(s.state.Active) + 1
	}
	for range s.state.Members[model.Pinned] {
		pins = pins[:0]
		for i, z := range s.state.Zone {
			if z == model.Pinned && len(pins) < enough {
				pins = append(pins, i)
			}
		}
		direction, ok := dense.NullVector(s.condition.Products(pins), len(pins), tolerance.Singular)
		if !ok {
			break
		}
		first, up, at := -1, false, math.Inf(1)
		for q, i := range pins {
			for _, bound := range [2]float64{0, s.state.Bound * s.state.M[i]} {
				if x := (bound - pt.Dual[i]) / direction[q]; direction[q] != 0 && math.Abs(x) < math.Abs(at) {
					first, up, at = i, bound > 0, x
				}
			}
		}
		if first < 0 {
			break
		}
		for q, i := range pins {
			pt.Dual[i] += at * direction[q]
		}
		s.condition.Shift(first, up, pt.Theta)
		taken = true
	}
	if taken {
		s.condition.Choose()
		s.condition.Renew()
	}
	return taken
}

func (s *site) objectiveAt(theta []float64, age float64) float64 {
	s.condition.PredictAll(s.scores, theta)
	return condition.Objective(s.condition, theta, s.scores, age)
}

// lowers returns an [*Ascent] if θ has raised the implicit objective beyond rounding.
func (s *site) lowers(what string, age float64, theta []float64) error {
	if !s.options.Verify {
		return nil
	}
	before := s.value
	s.value = s.objectiveAt(theta, age)
	if !(s.value <= before+tolerance.KKT*math.Abs(before)+s.rounding) {
		return &Ascent{age, what, before, s.value}
	}
	return nil
}

// compare returns an *unfinished if the landing pt, accepted last, is above the point left beyond
// rounding.
func (s *site) compare(from, pt *model.Point) error {
	before, after := s.objectiveAt(from.Theta, pt.Age), s.reached
	if math.IsNaN(after) {
		after = s.objectiveAt(pt.Theta, pt.Age)
	}
	if !(after <= before+tolerance.KKT*math.Abs(before)+s.rounding) {
		return &unfinished{fmt.Sprintf("the descent ends above the point that the path left, %v for %v", after, before)}
	}
	return nil
}
