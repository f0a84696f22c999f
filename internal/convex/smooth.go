package convex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Loss is a convex loss l(u, y) >= 0 of a sample with target y, twice
// differentiable in its linear predictor u. The curvature may be 0.
type Loss interface {
	// Eval returns the loss and its first two derivatives in u.
	Eval(u, y float64) (loss, slope, curvature float64)
}

// SmoothOptions state the rest of a [Smooth] problem.
type SmoothOptions struct {
	L1, L2    float64 // the penalty, both >= 0
	Intercept bool    // b is free, else 0
	// OneSided says that y are labels of -1 and +1 and that each loss falls
	// forever towards its label, as the logistic one does: with an intercept
	// and weights on one class only there is no minimum.
	OneSided bool
}

// Smooth minimizes, over w in R^d and where asked an unpenalized intercept b,
//
//	Σ_i v_i l(x_i·w + b, y_i) + L1 ‖w‖₁ + L2/2 ‖w‖²
//
// by the proximal Newton method (Lee, Sun and Saunders, 2014): the losses give
// way to their second-order models, the minimum of model and penalty is found
// exactly, by an active-set method where there is an L1 penalty, and a
// backtracking search takes as much of the step as lowers the objective. For a
// loss of constant curvature the first step is exact but for rounding; further
// ones refine it. Near the solution a model's Hessian is used as long as each
// step divides the violation by 10.
//
// Where the search cuts steps much, curvature is added to the model: of each
// sample v l'²/l, twice that of a parabola with its minimum at 0 through the
// loss, which makes up for losses that are straight far out, and of samples
// without a slope the mean of the others, which does for losses with a flat side.
//
// The violation of w_j's condition is divided by Σ v_i (|l'| + l” |u_i|) |x_ij|
// + L1 + L2 |w_j|, the terms of its gradient, and that of b's likewise; where
// there is an intercept x_ij is meant less a typical value of feature j.
type Smooth struct {
	design  design
	y       []float64
	loss    Loss
	options SmoothOptions
	theta   []float64
	model   model

	weight                 []float64 // n
	score                  []float64 // n, u = x·w + b
	slope, curvature, size []float64 // n, v l', v l'' and v (|l'| + l'' |u|)
	secant                 []float64 // n, v l'²/l
	along                  []float64 // n, of score along step
	factored               []float64 // n, the curvatures of the model
	value                  float64   // Σ v l
	violation              float64
	now, before, best      point
	step, gradient         point     // the gradient without the L1 penalty
	terms                  []float64 // d, of the gradient by w
	excess                 []float64 // d, relative violation by w
}

// model is the objective with the losses' second-order models.
type model interface {
	// factor takes the curvatures of the samples, of which some are positive,
	// and reports whether the model has a minimum.
	factor(curvature []float64) bool
	// solve writes the step from p.now to the minimum into p.step and returns
	// how many iterations that took. The error is the context's or ErrSingular.
	solve(ctx context.Context, p *Smooth) (int, error)
}

// NewSmooth sets up the problem for the n x d samples x, which it copies. It
// panics if the lengths do not match, and if a penalty is negative or not
// finite.
func NewSmooth(x blas64.General, y []float64, loss Loss, o SmoothOptions) *Smooth {
	if !(o.L1 >= 0) || !(o.L2 >= 0) || math.IsInf(o.L1, 1) || math.IsInf(o.L2, 1) {
		panic(fmt.Sprintf("convex: penalties L1 = %v and L2 = %v", o.L1, o.L2))
	}
	n, d := x.Rows, x.Cols
	f := func(k int) []float64 { return make([]float64, k) }
	p := &Smooth{
		design: newDesign(x, y, o.Intercept), y: slices.Clone(y), loss: loss, options: o, theta: f(d + 1),
		weight: f(n), score: f(n), slope: f(n), curvature: f(n), size: f(n), secant: f(n), along: f(n), factored: f(n),
		now: newPoint(d), before: newPoint(d), best: newPoint(d), step: newPoint(d), gradient: newPoint(d),
		terms: f(d), excess: f(d),
	}
	if o.L1 == 0 && o.L2 > 0 {
		p.model = newRidgeModel(p)
	} else {
		p.model = newSparseModel(p)
	}
	return p
}

// Theta implements [Solver]: d coefficients, then the intercept.
func (p *Smooth) Theta() []float64 { return p.theta }

// SetTheta implements [Solver]. Without an intercept the last entry is ignored.
func (p *Smooth) SetTheta(theta []float64) { setTheta(p.theta, theta, p.options.Intercept) }

// Scores implements [Solver].
func (p *Smooth) Scores(dst []float64) {
	w := p.theta[:p.design.d]
	p.design.predict(dst, w, p.theta[p.design.d]+p.design.offset(w))
}

// ErrNoMinimum says that a smooth loss has no minimum for the weights: it falls
// forever along some direction that no penalty holds. errors.Is takes it for
// an [ErrSingular], too: like that it is a fact about the weights.
var ErrNoMinimum error = noMinimum{}

type noMinimum struct{}

func (noMinimum) Error() string {
	return "the objective has no minimum: the loss falls forever along a direction without a penalty"
}

func (noMinimum) Is(target error) bool { return target == ErrSingular }

// Solve implements [Solver]. If all weights are 0 the coefficients become 0 and
// the intercept stays. Among several solutions, which take dependent features
// and L2 = 0, it stays near the one it started from. Without any penalty it
// returns [ErrSingular] where the solution is not unique; where there is none,
// [ErrOneClass] or [ErrNoMinimum]. A solution short of [Tolerance] is a
// [*ToleranceError]. The certificate has no gap.
func (p *Smooth) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	top, err := largestWeight(weights, p.design.n)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("smooth loss: %w", err)
	}
	d := p.design.d
	if top == 0 {
		clear(p.theta[:d])
		return Certificate{}, nil
	}
	if err := p.prepare(weights); err != nil {
		return Certificate{}, fmt.Errorf("smooth loss: %w", err)
	}
	certificate, err := p.descend(ctx)
	if err != nil && !(errors.Is(err, ErrSingular) && certificate.KKT <= Tolerance) {
		return certificate, fmt.Errorf("smooth loss: %w", err)
	}
	if !(certificate.KKT <= Tolerance) {
		return certificate, &ToleranceError{"smooth loss", certificate}
	}
	copy(p.theta, p.best.w)
	if p.options.Intercept {
		p.theta[d] = p.best.b - p.design.offset(p.best.w)
	}
	return certificate, nil
}

// prepare takes the weights and the start.
func (p *Smooth) prepare(weights []float64) error {
	copy(p.weight, weights)
	if p.options.OneSided && p.options.Intercept {
		var found [2]bool
		for i, v := range weights {
			if v > 0 && p.y[i] > 0 {
				found[1] = true
			} else if v > 0 {
				found[0] = true
			}
		}
		if found[0] != found[1] {
			return ErrOneClass
		}
	}
	copy(p.now.w, p.theta)
	p.now.b = 0
	if p.options.Intercept {
		p.now.b = p.theta[p.design.d] + p.design.offset(p.now.w)
	}
	for i := range p.factored {
		p.factored[i] = math.NaN() // no model yet
	}
	return nil
}

// evaluate computes scores, derivatives and gradient at p.now and the
// violation of the optimality conditions.
func (p *Smooth) evaluate() {
	p.design.predict(p.score, p.now.w, p.now.b)
	p.value = 0
	sum, size := 0.0, 0.0
	bend, pulling := 0.0, 0.0 // secants and weights of the samples with a slope
	for i, v := range p.weight {
		p.slope[i], p.curvature[i], p.size[i], p.secant[i] = 0, 0, 0, 0
		if v == 0 {
			continue
		}
		loss, slope, curvature := p.loss.Eval(p.score[i], p.y[i])
		p.value += v * loss
		p.slope[i], p.curvature[i] = v*slope, v*curvature
		p.size[i] = v * (math.Abs(slope) + curvature*math.Abs(p.score[i]))
		if slope != 0 && loss > 0 {
			p.secant[i] = v * slope * (slope / loss)
			bend += p.secant[i]
			pulling += v
		}
		sum += p.slope[i]
		size += p.size[i]
	}
	if pulling > 0 {
		for i, v := range p.weight {
			if p.slope[i] == 0 {
				p.secant[i] = v * bend / pulling
			}
		}
	}
	p.violation, p.gradient.b = 0, 0
	if p.options.Intercept {
		p.gradient.b = sum
		p.violation = relative(math.Abs(sum), size)
	}
	clear(p.gradient.w)
	p.design.correlate(p.gradient.w, p.slope)
	for j, w := range p.now.w {
		g := p.gradient.w[j] + p.options.L2*w
		p.gradient.w[j] = g
		p.terms[j] = p.options.L2*math.Abs(w) + p.options.L1 + absoluteDot(p.design.row(j), p.size)
		off := max(0, math.Abs(g)-p.options.L1)
		if w != 0 {
			off = math.Abs(g + math.Copysign(p.options.L1, w))
		}
		p.excess[j] = relative(off, p.terms[j])
		p.violation = max(p.violation, p.excess[j])
	}
	if math.IsNaN(p.value) || math.IsInf(p.value, 1) {
		p.violation = math.NaN()
	}
}

// absoluteDot returns Σ |x_i y_i|.
func absoluteDot(x, y []float64) float64 {
	var a, b, c, d float64 // independent, so that additions overlap
	for len(x) >= 4 && len(y) >= 4 {
		a += math.Abs(x[0] * y[0])
		b += math.Abs(x[1] * y[1])
		c += math.Abs(x[2] * y[2])
		d += math.Abs(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += math.Abs(v * y[i])
	}
	return a + b + c + d
}

// relative returns a/b, 0 where both are 0.
func relative(a, b float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	return a / b
}

// objective returns the objective at p.now, evaluated before.
func (p *Smooth) objective() float64 {
	value := p.value
	for _, w := range p.now.w {
		value += p.options.L1*math.Abs(w) + p.options.L2*w*w/2
	}
	return value
}

// objectiveAlong is the objective at p.now + t p.step, whose scores are along,
// and its derivatives by t from below and from above, which differ where
// coefficients reach 0.
func (p *Smooth) objectiveAlong(t float64) (value, below, above float64) {
	slope, kink := 0.0, 0.0
	for j, w := range p.now.w {
		step := p.step.w[j]
		w += t * step
		value += p.options.L1*math.Abs(w) + p.options.L2*w*w/2
		slope += p.options.L2 * w * step
		switch {
		case w > 0:
			slope += p.options.L1 * step
		case w < 0:
			slope -= p.options.L1 * step
		default:
			kink += p.options.L1 * math.Abs(step)
		}
	}
	for i, v := range p.weight {
		if v > 0 {
			loss, s, _ := p.loss.Eval(p.score[i]+t*p.along[i], p.y[i])
			value += v * loss
			slope += v * s * p.along[i]
		}
	}
	return value, slope - kink, slope + kink
}
