package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/gaga"
)

// Ages that cells derive, see [baselines.FindAges].
const (
	autoWord = "auto"
	autoAge  = 3  // version: increase when the derivation's numbers change (changes identities)
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
		span, err := baselines.FindAges(ctx, problem, autoAges)
		if errors.Is(err, gaga.ErrOneClass) {
			return nil, &experiment.StatusError{Status: experiment.Diverged, Err: err}
		}
		if err != nil {
			return nil, err
		}
		f.span = span
	}
	derived := *c
	derived.Method.Age.Min, derived.Method.Age.Max = f.span[0], f.span[len(f.span)-1]
	return &derived, nil
}

func (f *Fitted) steps(age Age) []float64 {
	if f.span != nil {
		return f.span
	}
	return baselines.Ages(age.Min, age.Max, age.Step)
}

// addOut mentions samples without weight at the end of derived ages, and if there are none at any.
func (f *Fitted) addOut() {
	if len(f.Knots) == 0 || f.outside || !f.aged() {
		return
	}
	if f.lastOut() == 0 {
		f.status += "; no row is out at any age"
	}
	if out := f.Knots[f.end()].Discarded; out > 0 && f.span != nil {
		f.status += fmt.Sprintf("; %d samples are still out at the largest age", out)
	}
}

// lastOut is the largest age at which a row is out, 0 if none is at any.
func (f *Fitted) lastOut() (age float64) {
	for k := range f.Knots {
		if knot := &f.Knots[k]; knot.Discarded > 0 {
			age = max(age, knot.Age)
		}
	}
	return age
}

// end is the knot at the largest age: the last of a path up, the first of a path down.
func (f *Fitted) end() int { return max(len(f.Knots)-f.falling-1, 0) }

func (f *Fitted) spanEnd(end int) any {
	if f.span == nil {
		return nil
	}
	return f.span[end*(len(f.span)-1)]
}

// between interpolates n ages, with as many between each two derived ones.
func (f *Fitted) between(n int) []float64 {
	ages := f.span
	list := make([]float64, n)
	for k := range list {
		x := float64(k) * float64(len(ages)-1) / float64(n-1)
		i := min(int(x), len(ages)-2)
		list[k] = ages[i] * math.Pow(ages[i+1]/ages[i], x-float64(i))
	}
	return list
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
