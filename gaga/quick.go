package gaga

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/kernel"
)

// quick alternates as [Alternation] does, for the landings of a sweep under the
// logistic loss, with a few Newton steps in place of a whole weighted fit: while
// the weights still move much, until the fit is nearly solved, else one. Its
// fixed points are those of alternation, and where that creeps, as it does for
// hundreds of steps behind a fold, it takes the same way. The factor of the
// fit's Hessian is kept while its weights stay about the same, so that a step
// costs O(np) in place of O(np²). Each must lower the implicit objective.
type quick struct {
	t          *tracker
	loss       VectorLoss
	losses     []float64 // n, scratch
	thresholds []float64 // of the zones but the last, at the last age
	breaks     bool      // weights are discontinuous: fits are solved to the end
	age        float64
	now, next  *fit
	hess, diag []float64 // p x p and p: factor of a fit's Hessian, its diagonal
	held       []float64 // n: second derivatives in it
	products   *products
	ready      bool      // hess is a factor
	fresh      bool      // of the fit at now
	step       []float64 // p: the Newton step at now
	further    []float64 // p: those after it in the same fit
}

// fit is a point of alternation: a solution and the weighted fit that its losses
// call for.
type fit struct {
	theta []float64
	u     []float64 // n: predictors
	zone  []uint8   // n
	v     []float64 // n: weights
	slope []float64 // n: derivatives of the weighted losses
	curve []float64 // n: their second derivatives
	value float64   // the implicit objective
}

// newQuick returns nil where the problem is of another kind.
func newQuick(t *tracker) *quick {
	loss, ok := t.loss.(VectorLoss)
	if !ok || !t.problem.oneSided() || t.problem.Penalty.L1 != 0 || t.problem.Penalty.L2 == 0 || t.primal == nil {
		return nil
	}
	f := func(k int) []float64 { return make([]float64, k) }
	n, p := t.n, t.p
	point := func() *fit {
		return &fit{theta: f(p), u: f(n), zone: make([]uint8, n), v: f(n), slope: f(n), curve: f(n)}
	}
	return &quick{
		t: t, loss: loss, losses: f(n), thresholds: f(len(t.zones) - 1), breaks: slices.ContainsFunc(t.zones, func(z Zone) bool { return z.Break }), now: point(), next: point(),
		hess: f(p * p), diag: f(p), held: f(n), products: newProducts(p), step: f(p), further: f(p),
	}
}

// alternate makes one alternation and returns by how much a weight moves next.
func (t *tracker) alternate(ctx context.Context, age float64) (moved float64, err error) {
	if q := t.quickly(); q != nil {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if moved, ok := q.alternate(age); ok {
			return moved, nil
		}
		q.age = 0
	}
	moved, err = t.search.Step(ctx, age)
	var short *convex.ToleranceError
	if errors.As(err, &short) && t.losesClass() {
		err = fmt.Errorf("%w; %w", err, ErrOneClass)
	}
	return moved, err
}

// quickly returns the quick alternation where there is one.
func (t *tracker) quickly() *quick {
	if t.sweep == nil {
		return nil
	}
	return t.sweep.quick
}

// losesClass reports whether logistic regression with an intercept is left with
// next to no weight on one class in the search's last fit.
func (t *tracker) losesClass() bool {
	if !t.problem.needsBoth() {
		return false
	}
	small, large := classes(t.search.fitted, t.y)
	return small < lostClass*large
}

// lostClass is the weight of a class relative to the other's below which it
// counts as lost: a fit may then be beyond the solver's precision.
const lostClass = 1e-9

// classes returns the smaller and the larger of the two classes' weights.
func classes(weights, y []float64) (small, large float64) {
	for i, w := range weights {
		if y[i] > 0 {
			small += w
		} else {
			large += w
		}
	}
	return math.Min(small, large), math.Max(small, large)
}

// begin takes the search's solution as the point to go on from.
func (q *quick) begin(age float64) {
	copy(q.now.theta, q.t.search.Theta())
	copy(q.now.u, q.t.search.scores)
	q.evaluate(q.now, age)
	q.age, q.fresh = age, false
}

// stands reports whether the search's solution is the point the last
// alternation ended at.
func (q *quick) stands(age float64) bool {
	if q.age != age {
		return false
	}
	for j, w := range q.t.search.Theta()[:q.t.p] {
		if w != q.now.theta[j] {
			return false
		}
	}
	return true
}

// The weighted fit is solved to this part of its first step while a weight
// moves by more than stirred.
const (
	fitPart  = 0.003
	stirred  = 0.005
	fitSteps = 40
)

// settledFit is the squared step, relative to the objective, up to which a fit
// counts as solved although it was not solved to the end.
const settledFit = 1e-24

// alternate reports false where the fit is left to the solver: where only one
// class has weight, or no step lowers the objective.
func (q *quick) alternate(age float64) (moved float64, ok bool) {
	if !q.stands(age) {
		q.begin(age)
	}
	t := q.t
	if small, large := classes(q.now.v, t.y); !(small > 0 && small >= lostClass*large) {
		return 0, false
	}
	if q.ready && q.drift() > 0.1 {
		q.ready = false
	}
	size, ok := q.newton(q.now, q.step)
	if !ok {
		return 0, false
	}
	for {
		q.move(q.now, q.step)
		q.evaluate(q.next, age)
		moved = q.moved()
		if moved > stirred || q.breaks {
			if ok = q.solve(size); ok {
				q.evaluate(q.next, age)
				moved = q.moved()
			}
		}
		if ok && (q.next.value <= q.now.value-0.25*size || size <= 1e-12*q.now.value) {
			break
		}
		if q.fresh {
			return 0, false
		}
		q.ready = false
		if size, ok = q.newton(q.now, q.step); !ok {
			return 0, false
		}
	}
	if !q.breaks && size > settledFit*q.now.value {
		moved = math.Max(moved, math.Sqrt(size/q.now.value))
	}
	q.now, q.next = q.next, q.now
	q.fresh = false
	t.search.solver.SetTheta(t.publish(q.now.theta))
	t.search.guess(q.now.u)
	return moved, true
}

// solve makes further Newton steps from next with the weights at now until the
// weighted fit is nearly solved; size is that of the first step.
func (q *quick) solve(size float64) bool {
	last, part := size, fitPart
	if q.breaks {
		part = 1e-9
	}
	for range fitSteps {
		copy(q.next.v, q.now.v)
		q.slopes(q.next)
		square, ok := q.newton(q.next, q.further)
		if !ok || square > last {
			return false
		}
		q.move(q.next, q.further)
		if square <= part*part*size || square <= 1e-30*q.now.value {
			return true
		}
		last = square
	}
	return false
}

// move makes next's solution that of from less a step.
func (q *quick) move(from *fit, step []float64) {
	copy(q.next.theta, from.theta)
	blas64.Axpy(-1, vector(step), vector(q.next.theta))
	kernel.MulVec(q.next.u, q.t.primal.a, q.t.p, q.next.theta)
}

// evaluate computes at f's predictors the weights, the derivatives and the
// implicit objective.
func (q *quick) evaluate(f *fit, age float64) {
	t := q.t
	thresholdsAt(q.thresholds, t.reg, age)
	q.loss.EvalAll(f.u, t.y, q.losses, f.slope, f.curve)
	last := len(t.zones) - 1
	flat := 0.0 // integral where no weight is left
	if !t.weighed {
		flat = t.reg.Integral(q.thresholds[last-1], age)
	}
	sum := t.penalty(f.theta, nil)
	for i, loss := range q.losses {
		zone := zoneAmong(t.zones, q.thresholds, loss)
		f.zone[i] = uint8(zone)
		if zone == last && !t.weighed {
			f.v[i], f.slope[i], f.curve[i] = 0, 0, 0
			sum += t.m[i] * flat
			continue
		}
		v, _, _ := t.reg.Weight(zone, loss, age)
		w := t.m[i] * v
		f.v[i] = v
		f.slope[i] *= w
		f.curve[i] *= w
		sum += t.m[i] * t.reg.Integral(loss, age)
	}
	f.value = sum
}

// slopes computes the derivatives at f's predictors with the weights there.
func (q *quick) slopes(f *fit) {
	t := q.t
	q.loss.EvalAll(f.u, t.y, q.losses, f.slope, f.curve)
	for i, v := range f.v {
		w := t.m[i] * v
		f.slope[i] *= w
		f.curve[i] *= w
	}
}

// moved returns by how much a weight differs between now and next.
func (q *quick) moved() (moved float64) {
	for i, v := range q.next.v {
		moved = math.Max(moved, math.Abs(v-q.now.v[i]))
	}
	return moved
}

// drift returns how far the second derivatives at now are from those of the
// factor, relative to them.
func (q *quick) drift() float64 {
	var off, sum float64
	for i, c := range q.now.curve {
		off += math.Abs(c - q.held[i])
		sum += c
	}
	return off / sum
}

// newton writes the Newton step of f's weighted fit, with a new factor where
// none is ready, and returns its squared length in units of the objective. It
// reports false where the Hessian is singular.
func (q *quick) newton(f *fit, step []float64) (size float64, ok bool) {
	t, p := q.t, q.t.p
	if !q.ready {
		if q.ready = q.factorize(f.curve); !q.ready {
			return 0, false
		}
		q.fresh = true
	}
	for j, w := range f.theta {
		step[j] = t.l2[j] * w
	}
	kernel.MulTransAdd(step, t.primal.a, p, f.slope)
	kernel.SolveUpperTrans(step[:p], q.hess, p)
	size = blas64.Dot(vector(step), vector(step))
	kernel.SolveUpper(step[:p], q.hess, p)
	return size, !math.IsNaN(size)
}

// factorize sums and factorizes a weighted fit's Hessian.
func (q *quick) factorize(curve []float64) bool {
	t, p := q.t, q.t.p
	clear(q.hess)
	clear(q.diag)
	copy(q.held, curve)
	sum := q.products
	for i, c := range curve {
		if c != 0 {
			sum.add(q.diag, t.primal.sample(i), c)
		}
	}
	sum.flush(q.hess)
	for j, l2 := range t.l2 {
		q.hess[j*p+j] += l2
		if t.primal.zero[j] && l2 == 0 {
			q.hess[j*p+j] = 1 // a free column of zeros
		}
	}
	_, ok := lapack64.Potrf(symmetric(p, q.hess))
	return ok
}
