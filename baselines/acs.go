package baselines

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/gaga"
)

// ACSOptions tune [ACS].
type ACSOptions struct {
	// Tolerance is the largest change of a weight at convergence. 0: 1e-10.
	Tolerance float64
	// Limit is the maximum number of alternations at one age. 0: 100,000.
	Limit int
	// Weights are those of the first fit. nil: all 1.
	Weights []float64
}

// ACSPath is the result of [ACS].
type ACSPath struct {
	Knots        []gaga.Knot
	Direction    gaga.Direction
	Ages         int // without Passed
	Alternations int
	Unconverged  int // limit reached
	Discarded    int // without a fit: every sample is discarded
	OneClass     int // without a fit: only one class has weight
	Passed       int // shares admitted before their turn
}

// Complete reports whether every age that keeps a sample has its partial optimum.
func (p *ACSPath) Complete() bool { return p.Unconverged == 0 && p.OneClass == 0 }

// ACS runs alternate convex search (Kumar, Packer, Koller 2010) at ascending or descending ages, each
// warm-started from the last and iterated until the weights no longer change. The published scripts
// do one alternation an age, as an infinite tolerance does here; that leaves residuals of order 1.
//
// An age that discards every sample, or all of one class, has no knot; after one class the next age
// starts from the first fit again. If all ages discard every
// sample, the error is [gaga.ErrDiscarded]. An error comes with the path so far.
func ACS(ctx context.Context, p *gaga.Problem, ages []float64, o ACSOptions) (*ACSPath, error) {
	for k := 1; k < len(ages); k++ {
		if up := ages[1] > ages[0]; !(ages[k] > ages[k-1]) && up || !(ages[k] < ages[k-1]) && !up {
			return &ACSPath{}, fmt.Errorf("baselines: ages %v, %v neither ascend nor descend as those before", ages[k-1], ages[k])
		}
	}
	if len(ages) == 0 || !(slices.Min(ages) > 0) {
		return &ACSPath{}, errors.New("baselines: alternate convex search needs ages > 0")
	}
	path, err := alternate(ctx, p, len(ages), o, func(_ *gaga.Alternation, path *ACSPath) (float64, error) { return ages[path.Ages], nil })
	if ages[len(ages)-1] < ages[0] {
		path.Direction = gaga.Down
	}
	return path, err
}

// distinctChange is the minimum difference of two models, relative to the largest coefficient.
const distinctChange = 1e-6

// Differ reports whether two models differ by more than 1e-6 of the largest coefficient of b. Only
// a change of the intercept is relative to the intercept, which is large for features far from 0.
func Differ(a, b []float64) bool {
	var change, largest float64
	last := len(b) - 1
	for j, w := range b[:last] {
		change = max(change, math.Abs(w-a[j]))
		largest = max(largest, math.Abs(w))
	}
	return change > distinctChange*largest || math.Abs(b[last]-a[last]) > distinctChange*max(largest, math.Abs(b[last]))
}

// alternate converges at up to n ages. next gives each, 0 for one that is passed.
func alternate(ctx context.Context, p *gaga.Problem, n int, o ACSOptions, next func(a *gaga.Alternation, path *ACSPath) (float64, error)) (*ACSPath, error) {
	path := &ACSPath{}
	a, err := gaga.NewAlternation(p)
	if err != nil {
		return path, err
	}
	fit := func() error {
		if o.Weights != nil {
			return a.Fit(ctx, o.Weights)
		}
		return a.FitAll(ctx)
	}
	if err := fit(); err != nil {
		return path, err
	}
	least, most := math.Inf(1), 0.0
	for path.Ages+path.Passed < n {
		age, err := next(a, path)
		if err != nil {
			return path, err
		}
		if age == 0 {
			path.Passed++
			continue
		}
		least, most = min(least, age), max(most, age)
		path.Ages++
		iterations, err := a.Converge(ctx, age, o.Tolerance, o.Limit)
		path.Alternations += iterations
		var slow *gaga.NotConverged
		switch {
		case errors.As(err, &slow):
			path.Unconverged++
		case errors.Is(err, gaga.ErrDiscarded), err == nil && a.Discards(age):
			path.Discarded++
			continue
		case errors.Is(err, gaga.ErrOneClass):
			path.OneClass++
			if err := fit(); err != nil {
				return path, err
			}
			continue
		case err != nil:
			return path, fmt.Errorf("baselines: age %v: %w", age, err)
		}
		path.Knots = append(path.Knots, a.Knot(age, gaga.Grid))
	}
	if path.Discarded == path.Ages {
		losses := make([]float64, p.X.Rows)
		a.Losses(losses)
		return path, fmt.Errorf("baselines: ages %.4g to %.4g, where the smallest loss is %.4g: %w", least, most, slices.Min(losses), gaga.ErrDiscarded)
	}
	if n := len(path.Knots); n > 0 {
		path.Knots[n-1].Kind = gaga.End
		path.Knots[0].Kind = gaga.Start
	}
	return path, nil
}

// Ages returns min, min + step, ... below max, and max.
func Ages(min, max, step float64) []float64 {
	var ages []float64
	for k := 0; ; k++ {
		age := min + float64(k)*step
		if age >= max-1e-9*step {
			return append(ages, max)
		}
		ages = append(ages, age)
	}
}
