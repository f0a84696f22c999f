package gaga

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/agepath/agepath/gaga/internal/landing"
	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/internal/convex"
)

// begin finds the first point of the path, see the package documentation. If alternation ends with
// one class, or with weights close to 0 just above the first age, the path begins after a gap.
func (t *tracker) begin(ctx context.Context) error {
	err := t.unfit
	if err == nil && t.options.Weights != nil && t.options.Direction == Up {
		err = t.search.Fit(ctx, t.options.Weights)
	}
	if errors.Is(err, convex.ErrOneClass) {
		return &landing.Degenerate{Reason: err.Error(), Cause: err}
	}
	if err != nil {
		return err
	}
	age := t.first
	if t.search.Unfit(age) {
		if age = t.firstAge(age); !(age < t.last) {
			return &landing.Degenerate{Reason: fmt.Sprintf("every sample, or one class, is discarded up to age %v", t.options.Age.Max)}
		}
		t.path.restarts = append(t.path.restarts, Restart{Age: age, Reason: fmt.Sprintf("every sample, or one class, is discarded below age %v", age)})
	}
	start := t.startAt(age)
	l, err := t.lander.At(ctx, t.branch.Left(), age, start)
	if err == nil {
		return t.startPiece(start+l.Reason, l.Steps)
	}
	_, flat := errors.AsType[*landing.Degenerate](err)
	if errors.Is(err, convex.ErrOneClass) || flat && age > t.first {
		return t.bridge(ctx, age, start)
	}
	return err
}

func (t *tracker) startAt(age float64) string {
	return fmt.Sprintf("start at age %v", t.path.lambda(age))
}

// firstAge returns an age just above the first, from lo on, that keeps enough samples for a fit;
// +Inf if there is none.
func (t *tracker) firstAge(lo float64) float64 {
	last := t.last
	if t.search.Unfit(last) {
		return math.Inf(1)
	}
	return search.FirstWhere(func(age float64) bool { return !t.search.Unfit(age) }, lo, last)
}
