package convex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// Loss is a convex loss l(u, y) >= 0, twice differentiable in the linear predictor u; the curvature
// may be 0.
type Loss interface {
	Eval(u, y float64) (loss, slope, curvature float64)
}

// VectorLoss is a loss that evaluates many samples at once.
type VectorLoss interface {
	EvalAll(u, y, loss, slope, curvature []float64)
}

type oneByOne struct{ Loss }

func (l oneByOne) EvalAll(u, y, loss, slope, curvature []float64) {
	for i, v := range u {
		loss[i], slope[i], curvature[i] = l.Eval(v, y[i])
	}
}

// SmoothOptions complete a [Smooth] problem.
type SmoothOptions struct {
	L1, L2    float64 // both >= 0
	Intercept bool
	// OneSided losses, of labels -1 and +1, keep falling towards their label: with an intercept and
	// one class there is no minimum.
	OneSided bool
}

// Smooth minimizes, over w in R^d and optionally an unpenalized intercept b,
//
//	Σ_i v_i l(x_i·w + b, y_i) + L1 ‖w‖₁ + L2/2 ‖w‖²
//
// by the proximal Newton method (Lee, Sun and Saunders, 2014): it minimizes second-order models of
// the losses plus the penalty exactly, with an L1 penalty by an active-set method, and backtracks.
//
// Near the solution a model, which costs as much as several steps, is reused while that progresses
// faster, without an L1 penalty also in the next solves. A logistic solve that begins near its
// solution ends when it has divided the violation by 10⁶: alternation, whose solves begin ever
// nearer, still becomes as exact as rounding allows. Other losses are solved to rounding.
//
// If the search cuts steps much, curvature is added to the model: v l'²/l for each sample, twice
// that of the parabola with minimum 0 that touches the loss, for losses that are straight far out.
// Samples without a slope get the mean of the others, for losses with a flat side.
//
// The violation of w_j's condition is divided by Σ v_i (|l'| + l″ |u_i|) |x_ij| + L1 + L2 |w_j|,
// the terms of its gradient, and that of b's likewise; with an intercept, x_ij has a typical value
// of feature j subtracted. If rounding leaves more than [Tolerance] of that, as when the terms of
// u_i cancel, the sum of their sizes replaces |u_i|.
type Smooth struct {
	name     string
	rows     rows
	y        []float64
	loss     VectorLoss
	scale    float64
	round    float64 // share of l'' |u| in the gradient's terms
	summed   bool    // |u| is replaced by the sum of its terms' sizes
	logistic bool
	options  SmoothOptions
	theta    []float64

	cost              []float64
	at                evaluation
	scored            bool // the scores are theta's
	now, before, best point
	step              point
	along             []float64
	trial             samples
	second            secondOrder
}

type samples struct {
	score, losses, slope, curvature []float64
}

// evaluation is the objective at p.now. After derive, slopes and curvatures include v.
type evaluation struct {
	samples
	size, extent  []float64  // one block: v (|l'| + l'' |u|); if requested, |b| + Σ |x_ij w_j|
	pull          [2]float64 // sums of the slopes' positive and negative parts
	value         float64
	gradient      point // without L1
	terms, excess []float64
	violation     float64
}

type secondOrder struct {
	model    model
	factored []float64
	kept     bool // the model has these curvatures, without damping
}

type point struct {
	w []float64
	b float64
}

func newPoint(d int) point { return point{w: make([]float64, d)} }

func (p *point) set(q point) {
	copy(p.w, q.w)
	p.b = q.b
}

func (p *point) add(t float64, q point) {
	kernel.Axpy(t, q.w, p.w)
	p.b += t * q.b
}

// NewSmooth copies x, n x d. It panics if lengths do not match, or if a penalty is negative or not
// finite.
func NewSmooth(x blas64.General, y []float64, loss Loss, o SmoothOptions) *Smooth {
	if !(o.L1 >= 0) || !(o.L2 >= 0) || math.IsInf(o.L1, 1) || math.IsInf(o.L2, 1) {
		panic(fmt.Sprintf("convex: penalties L1 = %v and L2 = %v", o.L1, o.L2))
	}
	vector, ok := loss.(VectorLoss)
	if !ok {
		vector = oneByOne{loss}
	}
	return newSmooth(x, y, vector, o)
}

func newSmooth(x blas64.General, y []float64, loss VectorLoss, o SmoothOptions) *Smooth {
	n, d := x.Rows, x.Cols
	f := func(k int) []float64 { return make([]float64, k) }
	p := &Smooth{
		name: "smooth loss", rows: newRows(x, y, o.Intercept), y: slices.Clone(y), loss: loss, scale: 1, round: 1,
		options: o, theta: f(d + 1), cost: f(n), along: f(n), trial: samples{f(n), f(n), f(n), f(n)},
		at:  evaluation{samples: samples{f(n), f(n), f(n), f(n)}, gradient: newPoint(d), terms: f(d), excess: f(d)},
		now: newPoint(d), before: newPoint(d), best: newPoint(d), step: newPoint(d),
		second: secondOrder{factored: f(n)},
	}
	p.at.size, p.at.extent = f(p.rows.block()), f(p.rows.block())
	if o.L1 == 0 && o.L2 > 0 {
		p.second.model = newRidgeModel(p)
	} else {
		p.second.model = newSparseModel(p)
	}
	return p
}

func (p *Smooth) Theta() []float64 { return p.theta }

// SetTheta ignores the last entry if there is no intercept.
func (p *Smooth) SetTheta(theta []float64) {
	setTheta(p.theta, theta, p.options.Intercept)
	p.scored = false
}

func (p *Smooth) Scores(dst []float64) {
	p.predict()
	copy(dst, p.at.score)
}

func (p *Smooth) predict() {
	if !p.scored {
		w := p.theta[:p.rows.d]
		p.rows.predict(p.at.score, w, p.theta[p.rows.d]+p.rows.offset(w))
		p.scored = true
	}
}

// ErrNoMinimum reports that a loss falls forever along a direction that no penalty bounds. For
// errors.Is it is an [ErrSingular].
var ErrNoMinimum error = noMinimum{}

type noMinimum struct{}

func (noMinimum) Error() string {
	return "the objective has no minimum: the loss falls forever along a direction without a penalty"
}

func (noMinimum) Is(target error) bool { return target == ErrSingular }

// Solve sets θ = 0 if all weights are 0. Among several solutions (dependent features and L2 = 0)
// it stays near its start. Without any penalty it returns [ErrSingular] if the solution is not
// unique, [ErrOneClass] or [ErrNoMinimum] if there is none. A solution short of [Tolerance] is a
// [*ToleranceError].
func (p *Smooth) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	top, err := largestWeight(weights, p.rows.n)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("%s: %w", p.name, err)
	}
	d := p.rows.d
	if top == 0 {
		clear(p.theta)
		p.scored = false
		return Certificate{}, nil
	}
	level, err := p.prepare(weights)
	if err != nil {
		return Certificate{}, fmt.Errorf("%s: %w", p.name, err)
	}
	certificate, err := p.descend(ctx, level)
	if err != nil && !(errors.Is(err, ErrSingular) && certificate.KKT <= Tolerance) {
		return certificate, fmt.Errorf("%s: %w", p.name, err)
	}
	if !(certificate.KKT <= Tolerance) {
		return certificate, &ToleranceError{p.name, certificate}
	}
	copy(p.theta, p.best.w)
	if p.options.Intercept {
		p.theta[d] = p.best.b - p.rows.offset(p.best.w)
	}
	p.scored = true
	return certificate, nil
}

// prepare returns the intercept to start from if the last solution is worse than w = 0.
func (p *Smooth) prepare(weights []float64) (level float64, err error) {
	var class [2]float64
	for i, v := range weights {
		p.cost[i] = p.scale * v
		if p.y[i] > 0 {
			class[1] += p.cost[i]
		} else {
			class[0] += p.cost[i]
		}
	}
	if p.options.OneSided && p.options.Intercept && (class[0] == 0 || class[1] == 0) {
		return 0, ErrOneClass
	}
	if p.logistic && p.options.Intercept {
		level = math.Log(class[1]) - math.Log(class[0])
	}
	p.predict()
	p.scored = false
	copy(p.now.w, p.theta)
	p.now.b = 0
	if p.options.Intercept {
		p.now.b = p.theta[p.rows.d] + p.rows.offset(p.now.w)
	}
	return level, nil
}

func (p *Smooth) evaluate() { p.derive(true) }

// derive computes scores, if predict is set, derivatives, gradient and violation.
func (p *Smooth) derive(predict bool) {
	p.at.pull, p.at.value = [2]float64{}, 0
	kernel.ScaleTo(p.at.gradient.w, p.options.L2, p.now.w)
	for j, w := range p.now.w {
		p.at.terms[j] = p.options.L2*math.Abs(w) + p.options.L1
	}
	total := 0.0
	for from, step := 0, len(p.at.size); from < p.rows.n; from += step {
		to := min(from+step, p.rows.n)
		x, score := p.rows.from(from), p.at.score[from:to]
		if predict {
			kernel.MulVec(score, x, p.rows.stride, p.now.w)
			for i := range score {
				score[i] += p.now.b
			}
		}
		p.loss.EvalAll(score, p.y[from:to], p.at.losses[from:to], p.at.slope[from:to], p.at.curvature[from:to])
		extent := score
		if p.summed {
			extent = p.measure(from, to)
		}
		total += p.weigh(from, to, extent)
		kernel.MulTransAdd(p.at.gradient.w, x, p.rows.stride, p.at.slope[from:to])
		kernel.MulTransAddAbs(p.at.terms, x, p.rows.stride, p.at.size[:to-from])
	}
	p.at.violation, p.at.gradient.b = 0, 0
	if p.options.Intercept {
		p.at.gradient.b = p.at.pull[0] - p.at.pull[1]
		p.at.violation = relative(math.Abs(p.at.gradient.b), total)
	}
	for j, g := range p.at.gradient.w {
		off := max(0, math.Abs(g)-p.options.L1)
		if w := p.now.w[j]; w != 0 && p.options.L1 > 0 {
			off = math.Abs(g + math.Copysign(p.options.L1, w))
		}
		p.at.excess[j] = relative(off, p.at.terms[j])
		p.at.violation = max(p.at.violation, p.at.excess[j])
	}
	if math.IsNaN(p.at.value) || math.IsInf(p.at.value, 1) {
		p.at.violation = math.NaN()
	}
}

// measure returns |b| + Σ |x_ij w_j|, which bounds the rounding of u even if terms cancel.
func (p *Smooth) measure(from, to int) []float64 {
	extent := p.at.extent[:to-from]
	for i := range extent {
		extent[i] = math.Abs(p.now.b)
		for j, x := range p.rows.row(from + i) {
			extent[i] += math.Abs(x * p.now.w[j])
		}
	}
	return extent
}

func (p *Smooth) weigh(from, to int, extent []float64) (total float64) {
	losses, size := p.at.losses[from:to], p.at.size[:to-from]
	slope, curvature := p.at.slope[from:to], p.at.curvature[from:to]
	for i, c := range p.cost[from:to] {
		if c == 0 {
			slope[i], curvature[i], size[i] = 0, 0, 0
			continue
		}
		p.at.value += c * losses[i]
		slope[i] *= c
		curvature[i] *= c
		bulk := math.Abs(slope[i])
		if slope[i] > 0 {
			p.at.pull[0] += bulk
		} else {
			p.at.pull[1] += bulk
		}
		if p.round != 0 {
			bulk += p.round * curvature[i] * math.Abs(extent[i])
		}
		size[i] = bulk
		total += bulk
	}
	return total
}

// relative is a/b, with 0/0 = 0.
func relative(a, b float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	return a / b
}

func (p *Smooth) objective() float64 {
	value := p.at.value
	for _, w := range p.now.w {
		value += p.options.L1*math.Abs(w) + p.options.L2*w*w/2
	}
	return value
}

// objectiveAlong is the objective at p.now + t p.step and its one-sided derivatives, which differ
// where coefficients reach 0.
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
	r := &p.trial
	copy(r.score, p.at.score)
	kernel.Axpy(t, p.along, r.score)
	p.loss.EvalAll(r.score, p.y, r.losses, r.slope, r.curvature)
	for i, c := range p.cost {
		if c > 0 {
			value += c * r.losses[i]
			slope += c * r.slope[i] * p.along[i]
		}
	}
	return value, slope - kink, slope + kink
}
