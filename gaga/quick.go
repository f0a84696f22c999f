package gaga

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/agepath/agepath/internal/convex"
)

// quick alternates as [Alternation] does, for the landings of a sweep under the
// logistic loss: the weighted fits go on from each other with one factor of the
// Hessian as long as it serves, and only to a small part of the step that an
// alternation makes. Where alternation creeps, as it does for hundreds of steps
// behind a fold, one costs O(np) in place of O(np²).
type quick struct {
	t      *tracker
	c      float64 // the loss's C
	theta  []float64
	u      []float64 // n: predictors
	weight []float64 // n: m v
	slope  []float64 // n: derivatives of the weighted losses
	curve  []float64 // n: their second derivatives
	hess   []float64 // p x p: factor of the weighted fit's Hessian
	diag   []float64 // p
	step   []float64 // p
	ready  bool      // hess is a factor
}

// newQuick returns nil where the problem is of another kind, or has so few
// columns that a factor costs little.
func newQuick(t *tracker) *quick {
	loss, ok := t.loss.(Logistic)
	if !ok || t.problem.Penalty.L1 != 0 || t.problem.Penalty.L2 == 0 || t.primal == nil || t.p < fewColumns {
		return nil
	}
	f := func(k int) []float64 { return make([]float64, k) }
	n, p := t.n, t.p
	return &quick{t: t, c: loss.C, theta: f(p), u: f(n), weight: f(n), slope: f(n), curve: f(n), hess: f(p * p), diag: f(p), step: f(p)}
}

// alternate makes one alternation and returns by how much a weight moves next.
func (t *tracker) alternate(ctx context.Context, age float64) (moved float64, err error) {
	if t.sweep != nil && t.sweep.quick != nil {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		moved, ok := t.sweep.quick.alternate(age)
		if ok {
			return moved, nil
		}
	}
	moved, err = t.search.Step(ctx, age)
	var short *convex.ToleranceError
	if errors.As(err, &short) && t.losesClass() {
		err = fmt.Errorf("%w; %w", err, ErrOneClass)
	}
	return moved, err
}

// losesClass reports whether logistic regression with an intercept is left with
// next to no weight on one class in the search's last fit.
func (t *tracker) losesClass() bool {
	if _, ok := t.loss.(Logistic); !ok || !t.problem.Intercept {
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

// alternate reports false where the fit is left to the solver: where only one
// class has weight, or a step does not descend.
func (q *quick) alternate(age float64) (moved float64, ok bool) {
	t := q.t
	copy(q.u, t.search.scores)
	copy(q.theta, t.search.Theta()[:t.p])
	if !q.weigh(age) {
		return 0, false
	}
	var length, last float64 // squares of steps: of the first, of the last
	for k := range fitSteps {
		q.gradient()
		size := q.solve(!q.ready)
		if k > 0 && size > 0.1*last {
			size = q.solve(true)
		}
		if math.IsNaN(size) || (k > 0 && size > last) {
			return 0, false
		}
		blas64.Axpy(-1, vector(q.step), vector(q.theta))
		blas64.Gemv(blas.NoTrans, 1, general(t.n, t.p, t.primal.a), vector(q.theta), 0, vector(q.u))
		if last = size; k == 0 {
			length = size
		}
		if size <= fitPart*fitPart*length || size <= 1e-30*q.norm() {
			t.search.SetTheta(t.publish(q.theta))
			return q.moved(age), true
		}
	}
	return 0, false
}

// The steps of one weighted fit, and the part of the first that the last may
// have.
const (
	fitSteps = 40
	fitPart  = 1e-9
)

// weigh takes the weights at the current predictors and reports whether both
// classes have some.
func (q *quick) weigh(age float64) bool {
	t := q.t
	for i, u := range q.u {
		loss, _, _ := t.loss.Eval(u, t.y[i])
		v, _, _ := t.reg.Weight(zoneOf(t.reg, t.zones, loss, age), loss, age)
		q.weight[i] = t.m[i] * v
	}
	small, large := classes(q.weight, t.y)
	return small > 0 && small >= lostClass*large
}

// moved returns by how much a weight changes at the new predictors.
func (q *quick) moved(age float64) (moved float64) {
	t := q.t
	for i, u := range q.u {
		loss, _, _ := t.loss.Eval(u, t.y[i])
		v, _, _ := t.reg.Weight(zoneOf(t.reg, t.zones, loss, age), loss, age)
		moved = math.Max(moved, math.Abs(v-q.weight[i]/t.m[i]))
	}
	return moved
}

// gradient writes the gradient of the weighted fit's objective into step. It
// needs no losses, so no logarithms.
func (q *quick) gradient() {
	t := q.t
	for i, w := range q.weight {
		if w == 0 {
			q.slope[i], q.curve[i] = 0, 0
			continue
		}
		p := 1 / (1 + math.Exp(t.y[i]*q.u[i]))
		q.slope[i], q.curve[i] = -w*q.c*t.y[i]*p, w*q.c*p*(1-p)
	}
	for j, w := range q.theta {
		q.step[j] = t.l2[j] * w
	}
	blas64.Gemv(blas.Trans, 1, general(t.n, t.p, t.primal.a), vector(q.slope), 1, vector(q.step))
}

// solve makes the gradient a Newton step, with a new factor where asked, and
// returns the step's squared length in units of the objective; NaN where the
// Hessian is singular.
func (q *quick) solve(anew bool) float64 {
	p := q.t.p
	if anew {
		if q.ready { // the gradient was overwritten by the step of the old factor
			q.gradient()
		}
		if q.ready = q.factorize(); !q.ready {
			return math.NaN()
		}
	}
	triangle := blas64.Triangular{N: p, Stride: p, Data: q.hess, Uplo: blas.Upper, Diag: blas.NonUnit}
	blas64.Trsv(blas.Trans, triangle, vector(q.step))
	size := blas64.Dot(vector(q.step), vector(q.step))
	blas64.Trsv(blas.NoTrans, triangle, vector(q.step))
	return size
}

// factorize sums and factorizes the weighted fit's Hessian.
func (q *quick) factorize() bool {
	t, p := q.t, q.t.p
	clear(q.hess)
	clear(q.diag)
	sum := newProducts(p)
	for i, c := range q.curve {
		if c != 0 {
			sum.add(q.hess, q.diag, t.primal.sample(i), c)
		}
	}
	sum.flush(q.hess, q.diag)
	for j, l2 := range t.l2 {
		q.hess[j*p+j] += l2
		if t.primal.zero[j] && l2 == 0 {
			q.hess[j*p+j] = 1 // a free column of zeros
		}
	}
	_, ok := lapack64.Potrf(symmetric(p, q.hess))
	return ok
}

// norm returns the square of the solution's size in units of the objective.
func (q *quick) norm() float64 {
	var sum float64
	for j, w := range q.theta {
		sum += (q.diag[j] + q.t.l2[j]) * w * w
	}
	return sum
}
