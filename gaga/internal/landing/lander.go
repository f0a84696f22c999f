// Package landing finds where the path continues after a jump: a strict partial optimum just beyond
// the age of the jump, reached by a descent of the implicit objective G_λ from the point that the
// path left.
//
// A descent makes majorization-minimization steps: each weighs the samples at a solution and fits
// to these weights, as alternate convex search does. Many short steps are extrapolated. When zones
// no longer change, the corrector takes over; its result must be a partial optimum on its zones.
// Steps are in Gram form for the squared loss, over a near set of samples for linear support vector
// machines, by a convex solver for everything else. A descent that does not finish hands its
// current point to the next.
package landing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
)

// Options of a lander.
type Options struct {
	MaxAlternations int // 0: tolerance.LandingSteps
	Last            float64
	Verify          bool // return an [*Ascent] if a step raises the objective
}

// Landing says how a landing point was found.
type Landing struct {
	Steps  int    // majorization-minimization steps
	Reason string // appended to the caller's reason
	Stayed bool   // at the point left
}

// Degenerate reports that no strict partial optimum was found.
type Degenerate struct {
	Reason string
	Cause  error
}

func (e *Degenerate) Error() string { return "gaga: " + e.Reason }
func (e *Degenerate) Unwrap() error { return e.Cause }

// Ascent reports that a step of a landing raised the implicit objective.
type Ascent struct {
	Age           float64
	What          string
	Before, After float64
}

func (e *Ascent) Error() string {
	return fmt.Sprintf("%s raises the objective from %v to %v", e.What, e.Before, e.After)
}

// Lander finds landing points. It has one owner.
type Lander struct {
	*site
	descents []descent
	general  *majorization
	solver   *solver
	outlasts bool // windows stay valid over jumps
	landed   float64
	restless int     // jumps right after a landing
	stalled  float64 // age at which the branch stalled first
	stalls   float64 // until the age has grown from there
}

type descent interface {
	// run descends from d and sets pt to the landing point. An *unfinished leaves the last point in
	// d; any other error ends the landing.
	run(ctx context.Context, d *departure, pt *model.Point) (steps int, err error)
}

type departure struct {
	age   float64
	theta []float64
	most  int
	way   string
}

type unfinished struct{ reason string }

func (e *unfinished) Error() string { return e.reason }

// errCircling reports that the rounding of the fits exceeds the remaining distance.
var errCircling = &unfinished{"the steps come back to where they were"}

// New returns a lander for a condition, its corrector, its search and its horizon.
func New(c condition.Condition, n *newton.Corrector, s *search.Search, h window.Horizon, o Options) *Lander {
	if o.MaxAlternations <= 0 {
		o.MaxAlternations = tolerance.LandingSteps
	}
	site := newSite(c, n, h, o)
	l := &Lander{site: site, solver: newSolver(site, s)}
	l.general = newMajorization(site, l.solver)
	if primal, ok := c.(*condition.Primal); ok {
		if w, ok := h.(*window.Window); ok {
			if g, ok := newGram(site, primal, w); ok {
				l.descents = append(l.descents, newMajorization(site, g))
				l.outlasts = g.constant
			}
		}
		if n, ok := newNearSet(site, primal); ok {
			l.descents = append(l.descents, newMajorization(site, n))
		}
	}
	l.descents = append(l.descents, l.general)
	return l
}

// At lands at an age from the search's current solution, and sets pt; reason is used in errors.
func (l *Lander) At(ctx context.Context, pt *model.Point, age float64, reason string) (Landing, error) {
	d := &departure{age: age, theta: append([]float64(nil), l.solver.search.Theta()[:l.state.P]...), most: l.options.MaxAlternations}
	l.start(d)
	l.solver.stay(age)
	steps, err := l.general.descend(ctx, d, pt)
	if _, ok := errors.AsType[*unfinished](err); ok && len(l.descents) > 1 {
		d.most -= steps
		more, failed := l.down(ctx, d, pt, false)
		steps, err = steps+more, failed
	}
	if err != nil {
		return Landing{}, l.explain(err, reason+d.way, age)
	}
	l.landed = age
	return Landing{Steps: steps, Reason: d.way}, nil
}

// Leave lands after the jump point pt of cause x, where the condition is factorized: a nudge beyond
// the jump's age, or further where the optimum is not yet strict, as after a symmetric branching.
func (l *Lander) Leave(ctx context.Context, pt *model.Point, x model.Crossing, reason string) (Landing, error) {
	from := model.Point{Age: pt.Age, Theta: append([]float64(nil), pt.Theta...)}
	breadth := l.nudge(pt.Age)
	if x.Cause == model.Stall {
		if pt.Age > l.stalled*(1+tolerance.StepGrowth) {
			l.stalled, l.stalls = pt.Age, 0
		}
		l.stalls++
		if breadth = math.Max(breadth, tolerance.Nudge*math.Pow(tolerance.WidenBy, l.stalls)); breadth > tolerance.Widest {
			return Landing{}, l.explain(&unfinished{fmt.Sprintf("the path stalls, also after landings at up to a relative %g beyond", tolerance.Widest)}, reason, pt.Age)
		}
	}
	age := math.Min(pt.Age*(1+breadth), l.options.Last)
	if l.state.Wakes(x) {
		age = l.firstWeight(pt, age)
	}
	begin := l.depart(pt, x, age)
	total, faded := 0, false
	for {
		d := begin
		d.age, d.theta, d.most = age, append([]float64(nil), begin.theta...), l.options.MaxAlternations-total
		l.start(&d)
		wider := tolerance.WidenBy*breadth <= tolerance.Widest && age < l.options.Last
		steps, err := l.down(ctx, &d, pt, wider)
		if total += steps; err == nil {
			err = l.compare(&from, pt)
		}
		var flat *Degenerate
		if err = l.explain(err, reason+d.way, age); errors.As(err, &flat) && wider && total < l.options.MaxAlternations && !errors.Is(err, convex.ErrOneClass) {
			breadth *= tolerance.WidenBy
			age = math.Min(math.Max(age, from.Age*(1+breadth)), l.options.Last)
			continue
		}
		if bare := age; flat != nil && l.state.Down() && !faded {
			if age, faded = l.lastWeight(d.theta, age), true; age > bare {
				continue
			}
		}
		if err != nil {
			return Landing{}, err
		}
		if w, ok := l.horizon.(*window.Window); ok && l.outlasts {
			w.Jumped(&from, pt, from.Age-l.landed)
		}
		l.landed = pt.Age
		return Landing{Steps: total, Reason: d.way, Stayed: x.Cause != model.Stall && same(from.Theta, pt.Theta)}, nil
	}
}

// down tries the descents in order. Circling steps end it if a wider nudge can be tried.
func (l *Lander) down(ctx context.Context, d *departure, pt *model.Point, wider bool) (steps int, err error) {
	for _, way := range l.descents {
		more, failed := way.run(ctx, d, pt)
		steps += more
		d.most -= more
		var next *unfinished
		if err = failed; !errors.As(err, &next) || next == errCircling && wider {
			break
		}
	}
	return steps, err
}

func (l *Lander) explain(err error, reason string, age float64) error {
	var end *unfinished
	if errors.As(err, &end) || errors.Is(err, convex.ErrSingular) || errors.Is(err, convex.ErrOneClass) {
		lambda, _ := l.state.Lambda(age)
		return &Degenerate{Reason: fmt.Sprintf("%s: at age %v %v", reason, lambda, err), Cause: err}
	}
	return err
}

// nudge returns the distance of a landing beyond its jump, relative to the age. It grows while
// jumps follow right after landings, to leave a place where no branch lasts.
func (l *Lander) nudge(age float64) float64 {
	if age > l.landed*(1+tolerance.WidenBy*tolerance.Nudge) {
		l.restless = 0
		return tolerance.Nudge
	}
	b := tolerance.Nudge * math.Exp2(float64(max(0, l.restless-tolerance.RestlessJumps)))
	l.restless++
	return b
}

// firstWeight returns the first age, at most the last, at which a sample's weight at pt exceeds
// tolerance.Negligible. No sample may have weight at from.
func (l *Lander) firstWeight(pt *model.Point, from float64) float64 {
	l.condition.PredictAll(l.scores, pt.Theta)
	return search.FirstWhere(func(age float64) bool {
		return slices.ContainsFunc(l.state.All, func(i int) bool { return l.weight(i, age) > tolerance.Negligible })
	}, from, l.options.Last)
}

// lastWeight returns the age from which on the samples whose weight at theta is at most
// tolerance.Negligible are discarded: on a path down, where rounding hides what they determine.
func (l *Lander) lastWeight(theta []float64, from float64) float64 {
	l.condition.PredictAll(l.scores, theta)
	larger := func(i int) bool { return l.weight(i, from) > tolerance.Negligible }
	faint := slices.DeleteFunc(slices.Clone(l.state.All), larger)
	return search.FirstWhere(func(age float64) bool {
		return !slices.ContainsFunc(faint, func(i int) bool { return l.weight(i, age) > 0 })
	}, from, l.options.Last)
}

// weight returns the weight of sample i by its score at an age, 0 if it is not beyond the margin.
func (l *Lander) weight(i int, age float64) float64 {
	s := l.state
	loss, slope, _ := s.Loss.Eval(l.scores[i], s.Y[i])
	if slope == 0 || s.Kinked() && s.Zone[i] == model.Pinned {
		return 0
	}
	v, _, _ := s.Regularizer.Weight(s.Of(loss, age), loss, age)
	return v
}

func same(a, b []float64) bool {
	var off, size float64
	for j, w := range a {
		off = math.Max(off, math.Abs(w-b[j]))
		size = math.Max(size, math.Max(math.Abs(w), math.Abs(b[j])))
	}
	return off <= tolerance.Still*size
}
