package selfpaced

import (
	"context"
	"errors"
	"fmt"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/gaga"
)

// Ages that cells derive, see [baselines.FindSpan].
const (
	autoWord = "auto"
	autoAge  = 2  // version: increase when the derivation's numbers change (changes identities)
	autoAges = 41 // of alternate convex search, as many as with the paper's step
)

// derive returns the cell with the range of ages that fits its problem, derived from its training
// part: planning would have to fit every split, and all methods of a setting get the same range on
// any worker.
func (f *Fitted) derive(ctx context.Context, c *Cell) (*Cell, error) {
	if f.span == nil {
		problem := f.Problem
		if problem == nil { // of a command
			var err error
			if problem, err = c.Problem(&f.parts.Train); err != nil {
				return nil, err
			}
		}
		span, err := baselines.FindSpan(ctx, problem)
		if errors.Is(err, gaga.ErrOneClass) {
			return nil, &experiment.StatusError{Status: experiment.Diverged, Err: err}
		}
		if err != nil {
			return nil, err
		}
		f.span = &span
	}
	derived := *c
	derived.Method.Age.Min, derived.Method.Age.Max = f.span.First, f.span.Last
	return &derived, nil
}

func (f *Fitted) steps(age Age) []float64 {
	if f.span != nil {
		return f.span.Ages(autoAges)
	}
	return baselines.Ages(age.Min, age.Max, age.Step)
}

// addOut mentions samples without weight at the end of derived ages.
func (f *Fitted) addOut() {
	if len(f.Knots) == 0 || f.span == nil || f.outside {
		return
	}
	if out := f.Knots[len(f.Knots)-1].Discarded; out > 0 {
		f.status += fmt.Sprintf("; %d samples are still out at the last age", out)
	}
}

func (f *Fitted) spanEnd(end func(*baselines.Span) float64) any {
	if f.span == nil {
		return nil
	}
	return end(f.span)
}

// distinctFits counts the knots with a model of their own, nil if unknown or if the path is known
// between knots.
func (f *Fitted) distinctFits() any {
	if !f.aged() || f.critical || len(f.predictions.Test) > 0 {
		return nil
	}
	fits := 1
	for k := 1; k < len(f.Knots); k++ {
		if baselines.Differ(f.Knots[k-1].Theta, f.Knots[k].Theta) {
			fits++
		}
	}
	return fits
}
