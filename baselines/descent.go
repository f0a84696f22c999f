package baselines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/dense"
)

const (
	subsetRows  = 3   // of a random start, as in sparse least trimmed squares
	mostSubsets = 100 // dependent ones in a row
	firstSteps  = 2
	keptStarts  = 10 // best starts that are followed to the end

	settledChange = 1e-10  // of the weights, at the end of a descent
	steadySteps   = 10     // without a lower objective: only rounding changes
	mostSteps     = 20_000 // to the end of a descent
)

// fits are the weighted fits of a problem, by [gaga.Alternation] or a machine.
type fits interface {
	Fit(ctx context.Context, weights []float64) error
	Losses(dst []float64)
	Penalty() float64
	Theta() []float64
	Certificate() convex.Certificate
}

// descent alternates between weights for the current losses and the fit with these weights, as
// majorization-minimization does for a loss that is a concave function of a convex one.
type descent struct {
	fits
	problem *gaga.Problem
	subset  int       // rows of a random start
	samples []float64 // multiplicities
	total   float64
	losses  []float64 // of the last fit
	weights []float64 // of the last fit, without multiplicities

	weigh     func(weights []float64) // for the losses
	objective func() float64          // of the last fit

	// proportional scales the weights of fits to a mean of 1, so that the penalty of fewer samples is smaller.
	proportional bool
	scaled       []float64
}

// candidate is the state after a fit, which fit finds again.
type candidate struct {
	weights   []float64
	objective float64
}

// newDescent begins at the plain fit.
func newDescent(ctx context.Context, p *gaga.Problem) (*descent, error) {
	p = unpaced(p)
	a, err := gaga.NewAlternation(p)
	if err != nil {
		return nil, err
	}
	rows := subsetRows
	if p.Penalty == (gaga.Penalty{}) {
		rows = p.X.Cols + 1
	}
	return descentOf(ctx, p, a, rows)
}

func descentOf(ctx context.Context, p *gaga.Problem, f fits, subset int) (*descent, error) {
	n := p.X.Rows
	d := &descent{fits: f, problem: p, subset: min(subset, n), samples: multiplicities(p), losses: make([]float64, n), weights: make([]float64, n), scaled: make([]float64, n)}
	d.total = floats.Sum(d.samples)
	return d, d.plain(ctx)
}

func (d *descent) plain(ctx context.Context) error {
	for i := range d.weights {
		d.weights[i] = 1
	}
	return d.fit(ctx)
}

// fit returns [gaga.ErrDiscarded] if no sample has weight.
func (d *descent) fit(ctx context.Context) error {
	weights := d.weights
	if slices.Max(weights) == 0 {
		return gaga.ErrDiscarded
	}
	if d.proportional {
		weights = d.scaled
		floats.ScaleTo(weights, d.total/dense.Dot(d.weights, d.samples), d.weights)
	}
	if err := d.Fit(ctx, weights); err != nil {
		return err
	}
	d.Losses(d.losses)
	return nil
}

// run makes up to a number of steps from the current losses, until the weights no longer change or the
// objective does not fall, and returns the last state of the lowest objective.
func (d *descent) run(ctx context.Context, steps int) (best candidate, err error) {
	best.objective = math.Inf(1)
	var before []float64
	for k, steady := 0, 0; k < steps && steady < steadySteps; k++ {
		if k == mostSteps {
			return best, fmt.Errorf("the weights still change after %d fits", k)
		}
		before = append(before[:0], d.weights...)
		d.weigh(d.weights)
		if k > 0 && floats.Distance(before, d.weights, math.Inf(1)) <= settledChange {
			break
		}
		if err := d.fit(ctx); err != nil {
			return best, err
		}
		objective := d.objective()
		if steady++; objective < best.objective {
			steady = 0
		}
		if objective <= best.objective {
			best.objective, best.weights = objective, append(best.weights[:0], d.weights...)
		}
	}
	copy(d.weights, best.weights)
	return best, nil
}

// descend returns the end of the descent from the current losses.
func (d *descent) descend(ctx context.Context) (*Fit, error) {
	best, err := d.run(ctx, math.MaxInt)
	if err != nil {
		return nil, fmt.Errorf("baselines: %w", err)
	}
	return d.result(ctx, best)
}

// result is the fit with the weights of a candidate.
func (d *descent) result(ctx context.Context, at candidate) (*Fit, error) {
	copy(d.weights, at.weights)
	if err := d.fit(ctx); err != nil {
		return nil, err
	}
	return &Fit{Theta: slices.Clone(d.Theta()), Weights: slices.Clone(d.weights), Objective: at.objective, KKT: d.Certificate().KKT}, nil
}

// sum adds a function of the losses over all samples to the penalty.
func (d *descent) sum(of func(loss float64) float64) float64 {
	sum := d.Penalty()
	for i, loss := range d.losses {
		sum += d.samples[i] * of(loss)
	}
	return sum
}

// search returns the best of random starts (Rousseeuw and Van Driessen, 2006): a fit to a few rows,
// two steps, and for the best ten of these all steps.
func (d *descent) search(ctx context.Context, o TrimOptions) (best candidate, err error) {
	var leading []candidate
	for range o.Starts {
		if err := d.fitSubset(ctx, o); err != nil {
			return best, err
		}
		set, err := d.run(ctx, firstSteps)
		if err != nil {
			return best, err
		}
		leading = append(leading, set)
		slices.SortStableFunc(leading, func(a, b candidate) int { return cmp.Compare(a.objective, b.objective) })
		leading = slices.CompactFunc(leading, func(a, b candidate) bool { return slices.Equal(a.weights, b.weights) })
		leading = leading[:min(len(leading), keptStarts)]
	}
	for k, start := range leading {
		copy(d.weights, start.weights)
		if err := d.fit(ctx); err != nil {
			return best, err
		}
		set, err := d.run(ctx, math.MaxInt)
		if err != nil {
			return best, err
		}
		if k == 0 || set.objective < best.objective {
			best = set
		}
	}
	return best, nil
}

// fitSubset fits to random rows: three as in sparse least trimmed squares, or, without a penalty, one
// more than columns, again while they are dependent.
func (d *descent) fitSubset(ctx context.Context, o TrimOptions) (err error) {
	n, rows := len(d.weights), d.subset
	for range mostSubsets {
		clear(d.weights)
		for range rows {
			i := o.Random.IntN(n)
			for d.weights[i] > 0 {
				i = o.Random.IntN(n)
			}
			d.weights[i] = d.total / float64(rows)
		}
		if err = d.fit(ctx); !errors.Is(err, convex.ErrSingular) {
			break
		}
	}
	return err
}
