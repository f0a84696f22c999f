package baselines

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agepath/agepath/gaga"
)

// ACSOptions tune [ACS]. The zero value has the defaults.
type ACSOptions struct {
	// Tolerance is the largest change of a sample's weight at which an age counts as converged. 0:
	// 1e-10.
	Tolerance float64
	// Limit is the maximum number of alternations at one age. 0: 100,000.
	Limit int
	// Weights are those of the first fit, one for each sample. nil: all 1.
	Weights []float64
}

// ACSPath is the result of [ACS].
type ACSPath struct {
	Knots        []gaga.Knot
	Alternations int // over all ages
	Unconverged  int // ages at which the limit was reached
	Discarded    int // ages that discard every sample at the previous solution, so that there is no fit
	OneClass     int // ages at which only one class has weight, so that there is no fit
	Passed       int // shares that were admitted before their turn, so that they have no age
}

// Complete reports whether every age that keeps a sample has its partial optimum.
func (p *ACSPath) Complete() bool { return p.Unconverged == 0 && p.OneClass == 0 }

// ACS runs alternate convex search (Kumar, Packer, Koller 2010) at ascending ages. Each age is
// warm-started from the last and iterated until the weights no longer change; the first starts from
// the fit with all weights 1 or those of the options. The published scripts do one alternation an
// age, as an infinite tolerance does here; that leaves residuals of the order 1.
//
// An age that discards every sample, or all of one class, has no knot; its solution is kept for
// later ages, which may admit samples. If all ages discard every sample, the error is
// [gaga.ErrDiscarded]. An error comes with the path so far.
func ACS(ctx context.Context, p *gaga.Problem, ages []float64, o ACSOptions) (*ACSPath, error) {
	for k := 1; k < len(ages); k++ {
		if !(ages[k] > ages[k-1]) {
			return &ACSPath{}, fmt.Errorf("baselines: ages %v, %v do not ascend", ages[k-1], ages[k])
		}
	}
	if len(ages) == 0 || !(ages[0] > 0) {
		return &ACSPath{}, errors.New("baselines: alternate convex search needs ages > 0")
	}
	return alternate(ctx, p, len(ages), o, func(_ *gaga.Alternation, k int) (float64, error) { return ages[k], nil })
}

// alternate converges at n ages. next gives each age from the search that has converged at the one
// before; ages that do not ascend are skipped.
func alternate(ctx context.Context, p *gaga.Problem, n int, o ACSOptions, next func(a *gaga.Alternation, k int) (float64, error)) (*ACSPath, error) {
	path := &ACSPath{}
	a, err := gaga.NewAlternation(p)
	if err != nil {
		return path, err
	}
	if o.Weights != nil {
		err = a.Fit(ctx, o.Weights)
	} else {
		err = a.FitAll(ctx)
	}
	if err != nil {
		return path, err
	}
	var first, last float64
	for k := range n {
		age, err := next(a, k)
		if err != nil {
			return path, err
		}
		if !(age > last) {
			path.Passed++
			continue
		}
		if last = age; k == 0 {
			first = age
		}
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
			continue
		case err != nil:
			return path, fmt.Errorf("baselines: age %v: %w", age, err)
		}
		path.Knots = append(path.Knots, a.Knot(age, gaga.Grid))
	}
	if path.Discarded == n {
		losses := make([]float64, p.X.Rows)
		a.Losses(losses)
		return path, fmt.Errorf("baselines: ages %.4g to %.4g, where the smallest loss is %.4g: %w", first, last, slices.Min(losses), gaga.ErrDiscarded)
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
