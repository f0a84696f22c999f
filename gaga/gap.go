package gaga

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/landing"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// Gap is an open interval of ages that a path leaves out; it includes To at the end of the range. On
// a path down From is the larger age, and To the smallest of the range.
// With a free intercept, logistic regression has no minimum once all samples of positive weight
// have one label. The path continues at To, the first later age, tried in steps of a tenth and
// located to a relative 1e-4, at which alternation from the fit with all weights 1 keeps both.
type Gap struct {
	From, To float64
	Reason   string
}

// GapError reports that an age lies in a gap of a path.
type GapError struct {
	Age float64
	Gap Gap
}

func (e *GapError) Error() string {
	return fmt.Sprintf("gaga: the path has a gap from age %v to %v, which holds %v: %s", e.Gap.From, e.Gap.To, e.Age, e.Gap.Reason)
}

// Gaps returns the path's gaps in its order, without the ages before the first knot.
func (p *Path) Gaps() []Gap { return p.gaps }

func (p *Path) inGap(age float64) error {
	for _, g := range p.gaps {
		if p.before(g.From, age) && (p.before(age, g.To) || age == g.To && p.before(p.knots[len(p.knots)-1].Age, age)) {
			return &GapError{age, g}
		}
	}
	return nil
}

var errVanished = errors.New("gaga: the path ends in a gap")

// bridge continues the path after alternation at from has left samples of one class only, or at the
// path's beginning possibly none.
func (t *tracker) bridge(ctx context.Context, from float64, what string) error {
	begun := len(t.path.knots) > 0
	left, keeps := "samples of one class only", "both classes"
	if needs := t.path.problem.NeedsBoth(); !begun && needs {
		left = "no sample, or samples of one class only"
	} else if !needs {
		left, keeps = "no sample", "samples"
	}
	reason := what + "; alternation from there leaves " + left
	if t.path.problem.Down() {
		return t.vanish(reason)
	}
	if begun {
		t.path.knots[len(t.path.knots)-1].Detail = reason
	}
	if err := t.search.FitAll(ctx); err != nil {
		return err
	}
	whole := append([]float64(nil), t.search.Theta()...)
	reason += "; alternation from the fit with all weights 1"
	to, l, err := t.gapEnd(ctx, from, whole, reason)
	if err != nil {
		return err
	}
	if math.IsInf(to, 1) {
		if !begun {
			return &landing.Degenerate{Reason: fmt.Sprintf("%s keeps %s at no age tried up to %v", reason, keeps, t.options.Age.Max)}
		}
		t.path.gaps = append(t.path.gaps, Gap{from, t.options.Age.Max, reason + " keeps both classes at no later age tried"})
		return errVanished
	}
	start := fmt.Sprintf("%s keeps %s at age %v", reason, keeps, to)
	t.search.SetTheta(l.theta)
	if _, err := t.lander.At(ctx, t.branch.Left(), to, start); err != nil {
		return err
	}
	if err := t.startPiece(start+l.Reason, l.Steps); err != nil {
		return err
	}
	if begun {
		t.path.gaps = append(t.path.gaps, Gap{from, to, reason + " keeps both classes from its end on"})
	}
	return nil
}

// emptied reports whether a path down has left every sample: none can come back.
func (t *tracker) emptied() bool {
	return t.path.problem.Down() && t.condition.State().Discarded() && t.branch.Left().Age < t.last
}

// vanish ends a path down at its last knot, if it has begun.
func (t *tracker) vanish(reason string) error {
	if len(t.path.knots) == 0 {
		return &landing.Degenerate{Reason: reason}
	}
	last := &t.path.knots[len(t.path.knots)-1]
	last.Detail = reason
	t.path.gaps = append(t.path.gaps, Gap{last.Age, t.options.Age.Min, reason})
	return errVanished
}

type arrival struct {
	landing.Landing
	theta []float64
}

// gapEnd returns the first age found after from at which alternation from whole, the fit with all
// weights 1, lands; +Inf if there is none.
func (t *tracker) gapEnd(ctx context.Context, from float64, whole []float64, reason string) (end float64, l *arrival, err error) {
	last := t.last
	tried := len(t.path.knots) == 0 // by begin
	lo, hi := from, math.Min(from*(1+tolerance.Nudge), last)
	if tried {
		hi = math.Min(from*tolerance.GapRatio, last)
	}
	for ; ; lo, hi = hi, math.Min(hi*tolerance.GapRatio, last) {
		if l, err = t.lands(ctx, hi, whole, reason); err != nil || l != nil {
			break
		}
		if hi >= last {
			return math.Inf(1), nil, nil
		}
	}
	for err == nil && (tried || lo > from) && hi-lo > tolerance.GapPrecision*hi {
		mid := 0.5 * (lo + hi)
		var earlier *arrival
		if earlier, err = t.lands(ctx, mid, whole, reason); earlier != nil {
			hi, l = mid, earlier
		} else {
			lo = mid
		}
	}
	return hi, l, err
}

// lands runs alternation from whole to a strict partial optimum that keeps samples, if any.
func (t *tracker) lands(ctx context.Context, age float64, whole []float64, reason string) (*arrival, error) {
	t.search.SetTheta(whole)
	if t.search.Unfit(age) {
		return nil, nil
	}
	l, err := t.lander.At(ctx, t.branch.Left(), age, reason)
	if _, ok := errors.AsType[*landing.Degenerate](err); ok {
		return nil, nil
	}
	if err != nil || t.condition.State().Discarded() {
		return nil, err
	}
	return &arrival{l, slices.Clone(t.branch.Left().Theta)}, nil
}
