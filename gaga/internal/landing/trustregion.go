package landing

import (
	"context"
	"math"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// trustRegion goes down the implicit objective's valley from a jump point, as
// majorization-minimization does, but in steps that get longer where the valley is
// straight. A step minimizes the objective's second-order model within a radius in the
// metric of the weighted fit's Hessian, in which majorization-minimization is steepest
// descent; the first radius is next to nothing.
type trustRegion struct {
	*site
	primal     *condition.Primal
	loss       model.VectorLoss
	now, next  valley
	between    valley
	thresholds []float64
	losses     []float64 // N, scratch
	weights    []float64 // N, scratch
	products   *dense.Products
	diag       []float64 // P, scratch
	dense.TrustRegion
}

// valley is a point on the way.
type valley struct {
	theta, gradient []float64 // P
	u               []float64 // N: predictors
	phi             []float64 // N: m φ
	fit, hess       []float64 // N: second derivatives of the weighted losses, and ∂φ/∂u
	zone            []uint8   // N
	value           float64   // the implicit objective
	small           float64   // smaller class's weight by the larger's
}

func newValley(n, p int) valley {
	f := func(k int) []float64 { return make([]float64, k) }
	return valley{theta: f(p), gradient: f(p), u: f(n), phi: f(n), fit: f(n), hess: f(n), zone: make([]uint8, n)}
}

// newTrustRegion reports false where the problem is of another kind, its objective has
// kinks, or it is too small.
func newTrustRegion(s *site, c *condition.Primal) (*trustRegion, bool) {
	p := s.state
	loss, vector := p.Loss.(model.VectorLoss)
	ridge := false
	for _, l2 := range p.L2 {
		ridge = ridge || l2 > 0
	}
	if !vector || !p.OneSided || p.Kinked() || p.Breaks() || p.Sparse() || !ridge || p.N < s.options.TrustSamples {
		return nil, false
	}
	f := func(k int) []float64 { return make([]float64, k) }
	return &trustRegion{
		site: s, primal: c, loss: loss, now: newValley(p.N, p.P), next: newValley(p.N, p.P), between: newValley(p.N, p.P), thresholds: f(p.Thresholds()),
		losses: f(p.N), weights: f(p.N), products: dense.NewProducts(p.P), diag: f(p.P), TrustRegion: dense.NewTrustRegion(p.P, dense.Shifts{
			Least: tolerance.LeastShift, Largest: tolerance.LargestShift, Back: tolerance.ShiftBack,
		}),
	}, true
}

func (t *trustRegion) run(ctx context.Context, d *departure, pt *model.Point) (steps int, err error) {
	copy(t.next.theta, d.theta)
	t.evaluate(&t.next, d.age)
	t.advance()
	radius, longest := tolerance.FirstRadius, math.Min(tolerance.LongestRadius, tolerance.RadiusForSample*float64(t.state.N))
	for steps < min(tolerance.TrustSteps, d.most) && radius >= tolerance.ShortestTrust*tolerance.FirstRadius {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		inside, ok := t.Aim(radius)
		if !ok {
			break
		}
		copy(t.next.theta, t.now.theta)
		kernel.Axpy(1, t.Step, t.next.theta)
		t.evaluate(&t.next, d.age)
		steps++
		if math.IsNaN(t.next.value) || t.next.small < tolerance.LostClass {
			break
		}
		fall, floor := t.now.value-t.next.value, tolerance.TrustFall*t.now.value
		tiny := t.Fall <= floor && fall >= -floor // too little to be seen in the objective
		if fall < tolerance.TrustPoor*t.Fall && !tiny || t.Length > tolerance.FirstRadius && !t.falls(inside, d.age) {
			radius = tolerance.TrustCut * t.Length
			continue
		}
		bottom := inside && t.Length <= tolerance.TrustEnd
		t.advance()
		if err := t.lowers("trust-region step", d.age, t.now.theta); err != nil {
			return steps, err
		}
		if bottom {
			return steps, t.land(d, pt)
		}
		if (fall > tolerance.TrustGood*t.Fall || tiny) && !inside {
			radius = math.Min(2*radius, longest)
		}
	}
	copy(d.theta, t.now.theta)
	return steps, &unfinished{"the valley has no bottom"}
}

// advance makes the next point the one where the descent is.
func (t *trustRegion) advance() {
	t.now, t.next = t.next, t.now
	t.curve()
}

// land makes pt the landing point that now is.
func (t *trustRegion) land(d *departure, pt *model.Point) error {
	copy(d.theta, t.now.theta)
	value, _ := t.place(pt, d.age, t.now.theta, t.now.u, t.now.zone, true)
	if accepted, _ := t.finish(pt, d.theta, value, true); !accepted {
		return &unfinished{"the valley ends where the optimum is not strict"}
	}
	return t.lowers("corrector", d.age, pt.Theta)
}

// evaluate computes zones, objective, gradient and curvatures at the theta of a point.
func (t *trustRegion) evaluate(pt *valley, age float64) {
	p := t.state
	p.ThresholdsAt(t.thresholds, age)
	kernel.MulVec(pt.u, p.Rows, p.P, pt.theta)
	t.loss.EvalAll(pt.u, p.Y, t.losses, pt.phi, pt.fit)
	pt.value = t.primal.Penalty(pt.theta, nil)
	for i, loss := range t.losses {
		zone := p.Among(t.thresholds, loss)
		v, dv, _ := p.Regularizer.Weight(zone, loss, age)
		m, slope := p.M[i], pt.phi[i]
		pt.zone[i] = uint8(zone)
		pt.phi[i] = m * v * slope
		pt.fit[i] *= m * v
		pt.hess[i] = pt.fit[i] + m*dv*slope*slope
		pt.value += m * p.Regularizer.Integral(loss, age)
		t.weights[i] = m * v
	}
	small, large := search.Classes(t.weights, p.Y)
	pt.small = small / large
	for j, w := range pt.theta {
		pt.gradient[j] = p.L2[j] * w
	}
	kernel.MulTransAdd(pt.gradient, p.Rows, p.P, pt.phi)
}

// falls reports whether the objective falls at the places looked at on the step from now
// to next, and at its end unless that is the model's minimum, so that there is no valley
// between, in which majorization-minimization would stay.
func (t *trustRegion) falls(inside bool, age float64) bool {
	for at := 1; at < tolerance.TrustPlaces; at++ {
		copy(t.between.theta, t.now.theta)
		kernel.Axpy(float64(at)/tolerance.TrustPlaces, t.Step, t.between.theta)
		if t.evaluate(&t.between, age); kernel.Dot(t.between.gradient, t.Step) > 0 {
			return false
		}
	}
	return inside || kernel.Dot(t.next.gradient, t.Step) <= 0
}

// curve takes the model at now.
func (t *trustRegion) curve() {
	t.sum(t.Metric, t.now.fit)
	t.sum(t.Hess, t.now.hess)
	copy(t.Gradient, t.now.gradient)
	t.Size = math.Sqrt(t.Form(t.Metric, t.now.theta))
}

// sum writes the Hessian of the penalty and of losses with the given second derivatives
// into the upper triangle of dst.
func (t *trustRegion) sum(dst, curvature []float64) {
	p := t.state
	clear(dst)
	for i, c := range curvature {
		if c != 0 {
			t.products.Add(t.diag, p.Row(i), c)
		}
	}
	t.products.Flush(dst)
	for j, l2 := range p.L2 {
		dst[j*p.P+j] += l2
		if t.primal.Zero(j) && l2 == 0 {
			dst[j*p.P+j] = 1 // a free column of zeros
		}
	}
}
