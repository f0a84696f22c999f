package model

import (
	"context"
	"errors"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/rehline"
)

// CrossValidation says how CrossValidate goes about. Costs are needed; the
// zero value of the rest is a good choice.
type CrossValidation struct {
	Costs   []float64 // values of C to choose from, positive and rising.
	Folds   int       // parts k of the data; 0 is 5.
	Classes []float64 // n labels that are spread over the parts evenly, or nil.
	Seed    uint64    // of the parts.

	// Risk rates the scores x_i·β + intercept of held-out samples; less is
	// better. Samples are their indices in the problem. It may be called by
	// several goroutines at a time. Nil is the mean loss, weighted as the
	// problem is: Σ w_i L_i / Σ w_i.
	Risk func(scores []float64, samples []int) float64

	Options rehline.Options // of every solve; Warm is not used and Progress only with one worker.
	Workers int             // folds computed at a time; 0 is 1. The result does not depend on it.
}

// CrossValidated are the risks of a choice of costs.
type CrossValidated struct {
	Costs    []float64
	Risk     [][]float64 // Risk[f][k] is that of fold f with Costs[k].
	Mean     []float64   // over the folds, for each cost.
	StdError []float64   // of the mean: the folds' standard deviation over √k.

	Best        int // index of the cost of least mean risk, the smallest such.
	OneStdError int // index of the smallest cost whose mean risk is at most StdError[Best] above the least.

	Iterations rehline.Iterations // of all solves together.
	Unsolved   int                // solves that ended with another status than Solved.
}

// BestC returns the cost of least mean risk.
func (c CrossValidated) BestC() float64 { return c.Costs[c.Best] }

// OneStdErrorC returns the smallest cost, of the strongest regularization, that
// is within one standard error of the best (Breiman et al., CART, 1984).
func (c CrossValidated) OneStdErrorC() float64 { return c.Costs[c.OneStdError] }

// CrossValidate estimates the risk of p for each cost by k-fold
// cross-validation: every part is predicted by a fit to the other parts, whose
// path over the costs starts each solve from the one before. The cost C counts
// each sample as in the whole problem; that a fit has fewer of them is not
// made up for. The constraints are those of p for all folds. Errors:
// *InputError, *InfeasibleError, ctx.Err().
func CrossValidate(ctx context.Context, p rehline.Problem, o CrossValidation) (CrossValidated, error) {
	if err := o.check(p); err != nil {
		return CrossValidated{}, err
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	if o.Workers > 1 {
		o.Options.Progress = nil
	}
	o.Options.Warm = nil
	parts, err := Folds(p.Loss.N(), o.Folds, o.Classes, o.Seed)
	if err != nil {
		return CrossValidated{}, err
	}
	folds := make([]fold, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.Workers, 1))
	for f, part := range parts {
		group.Go(func() error {
			if err := folds[f].run(ctx, p, part, &o); err != nil {
				return fmt.Errorf("fold %d of %d: %w", f, len(parts), err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return CrossValidated{}, err
	}
	return summarize(o.Costs, folds), nil
}

func (o *CrossValidation) check(p rehline.Problem) error {
	if err := p.Check(); err != nil {
		return err
	}
	if err := checkCosts(o.Costs); err != nil {
		return fmt.Errorf("cross-validation: %w", err)
	}
	for k := 1; k < len(o.Costs); k++ {
		if o.Costs[k] <= o.Costs[k-1] {
			return inputError("CrossValidation: costs", k, rehline.ErrRange,
				"%g after %g; costs rise", o.Costs[k], o.Costs[k-1])
		}
	}
	return checkWorkers("CrossValidation", o.Workers)
}

// fold is what one part held out gives.
type fold struct {
	risk       []float64
	iterations rehline.Iterations
	unsolved   int
}

func (f *fold) run(ctx context.Context, p rehline.Problem, part []int, o *CrossValidation) error {
	held, err := p.Subset(part)
	if err != nil {
		return err
	}
	rest, err := p.Subset(without(p.Loss.N(), part))
	if err != nil {
		return err
	}
	s, err := rehline.New(rest)
	if err != nil {
		return err
	}
	scores, losses := make([]float64, len(part)), make([]float64, len(part))
	for point, err := range Along(ctx, s, o.Costs, o.Options) {
		if err != nil {
			return fmt.Errorf("cost C = %g: %w", point.C, err)
		}
		sol := &point.Solution
		held.Scores(scores, sol.Beta, sol.Intercept)
		risk := 0.0
		if o.Risk != nil {
			risk = o.Risk(scores, part)
		} else {
			held.Loss.Value(losses, scores)
			risk = meanOf(losses, held.Weights)
		}
		if math.IsNaN(risk) || math.IsInf(risk, 0) {
			return fmt.Errorf("cost C = %g: %w", point.C, errRisk)
		}
		f.risk = append(f.risk, risk)
		add(&f.iterations, sol.Iterations)
		if sol.Status != rehline.Solved {
			f.unsolved++
		}
	}
	return nil
}

// errRisk says that a fold has no risk.
var errRisk = errors.New("model: CrossValidation: the risk is no finite number; " +
	"Risk returned it, or no held-out sample has a weight")

// meanOf returns the mean of values by the weights, all 1 where they are nil.
func meanOf(values, weights []float64) float64 {
	var sum, total float64
	for i, v := range values {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		sum += w * v
		total += w
	}
	return sum / total
}

func add(sum *rehline.Iterations, o rehline.Iterations) {
	sum.Passes += o.Passes
	sum.Visits += o.Visits
	sum.Newton += o.Newton
	sum.Outer += o.Outer
}

// summarize takes means over the folds and makes the two choices.
func summarize(costs []float64, folds []fold) CrossValidated {
	out := CrossValidated{Costs: append([]float64(nil), costs...),
		Mean: make([]float64, len(costs)), StdError: make([]float64, len(costs))}
	k := float64(len(folds))
	for _, f := range folds {
		out.Risk = append(out.Risk, f.risk)
		add(&out.Iterations, f.iterations)
		out.Unsolved += f.unsolved
	}
	for c := range costs {
		for _, f := range folds {
			out.Mean[c] += f.risk[c] / k
		}
		var square float64
		for _, f := range folds {
			d := f.risk[c] - out.Mean[c]
			square += d * d
		}
		out.StdError[c] = math.Sqrt(square / (k - 1) / k)
		if out.Mean[c] < out.Mean[out.Best] {
			out.Best = c
		}
	}
	for out.Mean[out.OneStdError] > out.Mean[out.Best]+out.StdError[out.Best] {
		out.OneStdError++
	}
	return out
}
