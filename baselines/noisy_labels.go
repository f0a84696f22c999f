package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/kernel"
)

// CrossEntropy fits a problem of [gaga.LogisticRegression] with the generalized cross entropy (Zhang
// and Sabuncu, NeurIPS 2018): with the probability p of a sample's label, the loss is C (1 - p^q)/q for
// q in (0, 1], between the logarithmic loss (q to 0) and the absolute error (1). As a concave function
// of the logarithmic loss it is minimized by fits with the weights p^q, from the plain fit to a local
// minimum.
func CrossEntropy(ctx context.Context, p *gaga.Problem, q float64) (*Fit, error) {
	if !(q > 0 && q <= 1) {
		return nil, fmt.Errorf("baselines: q of the generalized cross entropy is %v, need a number > 0 and at most 1", q)
	}
	c, err := checkLogistic(p)
	if err != nil {
		return nil, err
	}
	d, err := newDescent(ctx, p)
	if err != nil {
		return nil, err
	}
	d.weigh = func(weights []float64) {
		for i, loss := range d.losses {
			weights[i] = kernel.Exp(-q * loss / c)
		}
	}
	d.objective = func() float64 {
		return d.sum(func(loss float64) float64 { return -c / q * math.Expm1(-q*loss/c) })
	}
	return d.descend(ctx)
}

func checkLogistic(p *gaga.Problem) (c float64, err error) {
	loss, logistic := p.Loss.(gaga.Logistic)
	if !logistic {
		return 0, fmt.Errorf("baselines: the loss %T is not that of logistic regression", p.Loss)
	}
	return loss.C, nil // newDescent checks the rest
}

// FlipRates are the probabilities that a label is wrong, given the true class.
type FlipRates struct{ Negative, Positive float64 }

// Forward fits a problem of [gaga.LogisticRegression] by the forward correction of the loss (Patrini,
// Rozza, Menon, Nock and Qu, CVPR 2017): the likelihood of the observed label y under the model's
// probabilities p of the true labels,
//
//	min over w, b of -C Σ_i ln((1 - ρ_y) p_i(y) + ρ_-y p_i(-y)) + ½‖w‖².
//
// The sum of the rates ρ must be below 1. It is maximized by expectation maximization from the plain fit
// to a local optimum: fits to every sample with both labels, weighted by their probabilities given the
// observed label. [Fit.Weights] are those of the observed label.
//
// With an anchor in (0.5, 1] the rates are estimated, and [Fit.Rates] has them: the sample at this
// quantile of the plain fit's probability of a class is taken to be of that class, and its probability of
// the other class is the rate. 1 is the largest probability, which the paper takes, and 0.97 for many classes.
func Forward(ctx context.Context, p *gaga.Problem, rates FlipRates, anchor float64) (*Fit, error) {
	c, err := checkLogistic(p)
	if err != nil {
		return nil, err
	}
	d, err := newDescent(ctx, withBothLabels(p))
	if err != nil {
		return nil, err
	}
	n := p.X.Rows
	clear(d.weights[n:])
	if err := d.fit(ctx); err != nil {
		return nil, err
	}
	if anchor != 0 {
		rates = FlipRates{Negative: d.flipRate(n, -1, c, anchor), Positive: d.flipRate(n, 1, c, anchor)}
	}
	if !(rates.Negative >= 0 && rates.Positive >= 0 && rates.Negative+rates.Positive < 1) {
		return nil, fmt.Errorf("baselines: flip rates %.3g and %.3g, need numbers >= 0 with a sum below 1", rates.Negative, rates.Positive)
	}
	of := map[float64]float64{-1: rates.Negative, 1: rates.Positive}
	// observed is the probability of a label, right its part from the same true label.
	observed := func(i int) (all, right float64) {
		right = (1 - of[p.Y[i]]) * kernel.Exp(-d.losses[i]/c)
		return right - of[-p.Y[i]]*math.Expm1(-d.losses[i]/c), right
	}
	d.weigh = func(weights []float64) {
		for i := range n {
			all, right := observed(i)
			weights[i], weights[n+i] = right/all, 1-right/all
		}
	}
	d.objective = func() float64 {
		sum := d.Penalty()
		for i := range n {
			all, _ := observed(i)
			sum -= c * d.samples[i] * math.Log(all)
		}
		return sum
	}
	fit, err := d.descend(ctx)
	if err != nil {
		return nil, err
	}
	fit.Weights, fit.Rates = fit.Weights[:n], rates
	return fit, nil
}

// withBothLabels appends every row with the other label.
func withBothLabels(p *gaga.Problem) *gaga.Problem {
	both, n := *p, p.X.Rows
	both.X = blas64.General{Rows: 2 * n, Cols: p.X.Cols, Stride: p.X.Cols}
	for i := range 2 * n {
		at := i % n * p.X.Stride
		both.X.Data = append(both.X.Data, p.X.Data[at:at+p.X.Cols]...)
	}
	both.Y = slices.Repeat(p.Y, 2)
	floats.Scale(-1, both.Y[n:])
	both.Multiplicity = slices.Repeat(multiplicities(p), 2)
	return &both
}

// flipRate estimates the rate of a class from the losses of the first n rows.
func (d *descent) flipRate(n int, class, c, anchor float64) float64 {
	q := newQueue(d.problem)
	q.order, q.total = q.order[:n], d.total/2
	for i := range n {
		if q.losses[i] = kernel.Exp(-d.losses[i] / c); d.problem.Y[i] != class {
			q.losses[i] = 1 - q.losses[i]
		}
	}
	rank(q.order, q.losses)
	return 1 - q.losses[q.order[q.first(anchor*q.total)-1]]
}
