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
	Ages         int // without Passed
	Alternations int
	Unconverged  int // limit reached
	Discarded    int // without a fit: every sample is discarded
	OneClass     int // without a fit: only one class has weight
	Passed       int // shares admitted before their turn
}

// Complete reports whether every age that keeps a sample has its partial optimum.
func (p *ACSPath) Complete() bool { return p.Unconverged == 0 && p.OneClass == 0 }

// ACS runs alternate convex search (Kumar, Packer, Koller 2010) at ascending ages, each
// warm-started from the last and iterated until the weights no longer change. The published scripts
// do one alternation an age, as an infinite tolerance does here; that leaves residuals of order 1.
//
// An age that discards every sample, or all of one class, has no knot. If all ages discard every
// sample, the error is [gaga.ErrDiscarded]. An error comes with the path so far.
func ACS(ctx context.Context, p *gaga.Problem, ages []float64, o ACSOptions) (*ACSPath, error) {
	for k := 1; k < len(ages); k++ {
		if !(ages[k] > ages[k-1]) {
			return &ACSPath{}, fmt.Errorf("baselines: ages %v, %v do not ascend", ages[k-1], ages[k])
		}
	}
	if len(ages) == 0 || !(ages[0] > 0) {
		return &ACSPath{}, errors.New("baselines: alternate convex search needs ages > 0")
	}
	return alternate(ctx, p, len(ages), o, func(_ *gaga.Alternation, path *ACSPath) (float64, error) { return ages[path.Ages], nil })
}

const (
	// leastWeightChange is the change of a weight below which a fit is not worth an age.
	leastWeightChange = 1e-3
	sameAge           = 1e-5
	// overTries is the limit on fits that [ACSOver] makes per age, on average.
	overTries = 3
	// distinctChange is the minimum difference of two models, relative to the largest coefficient.
	distinctChange = 1e-6
)

// ACSOver is [ACS] over a span at up to n >= 2 ages of its own choice, from First to Last, each
// with a model that differs, by [Differ], from the one before.
//
// Where weights change smoothly, the remaining ages divide what is left of Tenth to Whole into
// equal ratios. Where weights jump, as with the hard regularizer, a step goes to the next jump
// while the average number of samples per step suffices to take in all; otherwise steps grow up to
// the equal ratios.
func ACSOver(ctx context.Context, p *gaga.Problem, span Span, n int, o ACSOptions) (*ACSPath, error) {
	age := 0.
	return alternate(ctx, p, overTries*n, o, func(a *gaga.Alternation, path *ACSPath) (float64, error) {
		knots := len(path.Knots)
		if age < span.Last && knots > 1 && !Differ(path.Knots[knots-2].Theta, path.Knots[knots-1].Theta) {
			knots--
			path.Knots = path.Knots[:knots]
		}
		left := n - knots
		switch {
		case age == span.Last:
			age = math.Inf(1)
		case age == 0:
			age = span.First
		case left == 1 || path.Ages == overTries*n-1:
			age = span.Last
		default:
			age = span.next(a, path, age, left)
		}
		return age, nil
	})
}

func (s *Span) next(a *gaga.Alternation, path *ACSPath, age float64, left int) float64 {
	change := a.NextChange(age, s.Last, leastWeightChange)
	ratio := func(share float64) float64 {
		return math.Pow(max(s.Whole/age, 1), share/float64(left-1))
	}
	knots, in, out := len(path.Knots), 0, 0
	if knots > 0 {
		last := &path.Knots[knots-1]
		in, out = last.Easy+last.Middle, last.Discarded
	}
	switch jumps := a.NextChange(age, s.Last, leastWeightChange/2) > change*(1-sameAge); {
	case !jumps:
		change = max(change, s.Tenth, age*ratio(1))
	case in*(left-1) < out*knots:
		change = max(change, age*ratio(float64(knots)/float64(knots+left)))
	}
	return min(change, s.Last)
}

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

// alternate converges at up to n ages. next gives each, +Inf at the end; ages that do not ascend
// are skipped.
func alternate(ctx context.Context, p *gaga.Problem, n int, o ACSOptions, next func(a *gaga.Alternation, path *ACSPath) (float64, error)) (*ACSPath, error) {
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
	for path.Ages+path.Passed < n {
		age, err := next(a, path)
		if err != nil {
			return path, err
		}
		if math.IsInf(age, 1) {
			break
		}
		if !(age > last) {
			path.Passed++
			continue
		}
		if last = age; path.Ages == 0 {
			first = age
		}
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
			continue
		case err != nil:
			return path, fmt.Errorf("baselines: age %v: %w", age, err)
		}
		path.Knots = append(path.Knots, a.Knot(age, gaga.Grid))
	}
	if path.Discarded == path.Ages {
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
