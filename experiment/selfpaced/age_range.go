package selfpaced

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/kernel"
)

// Ages that cells derive, see [baselines.FindAges].
const (
	autoWord = "auto"
	autoAge  = 4  // version: increase when the derivation's numbers change (changes identities)
	autoAges = 41 // of alternate convex search, as many as with the paper's step

	startCoverage = 0.5
	starts        = 50   // random subsets of the search for the start
	startRows     = 1000 // most rows of that search
)

// derive returns the cell with the range of ages that fits its problem, derived from its training
// part: planning would have to fit every split, and all methods of a setting get the same range on
// any worker.
func (f *Fitted) derive(ctx context.Context, c *Cell) (*Cell, error) {
	problem := f.Problem
	if problem == nil { // of a command
		var err error
		if problem, err = c.Problem(&f.parts.Train); err != nil {
			return nil, err
		}
	}
	var err error
	if f.start, err = c.findStart(ctx, &f.parts.Train, problem); err != nil {
		return nil, err
	}
	if f.span == nil {
		span, err := baselines.FindAges(ctx, problem, f.start, autoAges)
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

// findStart finds the weights of the fit before a path up over derived ages, nil for all 1. For the
// squared loss they are 1 for the half of the rows with the least errors of a least trimmed squares
// fit, to which rows with outlying features or targets are far. The fit is to at most [startRows] rows.
func (c *Cell) findStart(ctx context.Context, train *dataset.Part, p *gaga.Problem) ([]float64, error) {
	if _, squared := p.Loss.(gaga.Squared); !squared || p.Kernel != nil {
		return nil, nil
	}
	drawn := p
	if train.N > startRows {
		some := rows(train, c.Stream("start").Perm(train.N)[:startRows], false)
		var err error
		if drawn, err = c.Problem(&some); err != nil {
			return nil, err
		}
	}
	fit, err := baselines.SparseLTS(ctx, drawn, baselines.TrimOptions{Coverage: startCoverage, Starts: starts, Raw: true})
	if err != nil {
		return nil, fmt.Errorf("start of derived ages: %w", err)
	}
	predictor, err := gaga.NewPredictor(p, p.X)
	if err != nil {
		return nil, err
	}
	errors, weights, order := make([]float64, train.N), make([]float64, train.N), dataset.Indices(train.N)
	predictor.Predict(errors, fit.Theta)
	left := 0.0
	for i := range errors {
		errors[i] = math.Abs(errors[i] - train.Y[i])
		left += startCoverage * train.Count(i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(errors[i], errors[j]) })
	for _, i := range order {
		if left -= train.Count(i); left < 0 {
			break
		}
		weights[i] = 1
	}
	return weights, nil
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
		list[k] = ages[i] * kernel.Pow(ages[i+1]/ages[i], x-float64(i))
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
