package convex

import (
	"context"
	"math"
	"slices"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// support holds the positions with coefficients nonzero or about to be: a largest independent part,
// with the Cholesky factor of its Gram matrix, and the rest.
type support struct {
	member    []int
	dependent []int
	factor    *dense.Cholesky
	step      []float64
}

// flat is the squared distance of a unit feature from the span of others that the Gram matrix does
// not resolve; without a penalty, where a dependent feature is an error, singular.
const (
	flat     = 1e-10
	singular = 1e-13
)

func newSupport(capacity int) support {
	return support{
		member: make([]int, 0, capacity), dependent: make([]int, 0, capacity),
		factor: dense.New(capacity), step: make([]float64, capacity+1),
	}
}

func (s *support) clear() {
	s.member, s.dependent = s.member[:0], s.dependent[:0]
	s.factor.Clear()
}

// enter makes position k an independent member if its squared distance exceeds a.flat.
func (a *working) enter(k int) bool {
	s := &a.support
	column := s.step[:len(s.member)+1]
	for i, l := range s.member {
		column[i] = a.row(k)[l]
	}
	column[len(s.member)] = 1
	if s.factor.Tolerance = a.flat; !s.factor.Append(column) {
		return false
	}
	s.member = append(s.member, k)
	return true
}

func (a *working) include(k int) {
	if !a.enter(k) {
		a.support.dependent = append(a.support.dependent, k)
	}
}

// leave may make dependent members independent.
func (a *working) leave(k int) {
	s := &a.support
	a.beta[k], a.sign[k] = 0, 0
	if i := slices.Index(s.member, k); i >= 0 {
		s.member = slices.Delete(s.member, i, i+1)
		s.factor.Delete(i)
	}
	s.dependent = slices.DeleteFunc(s.dependent, func(l int) bool { return l == k || a.enter(l) })
}

// minimize is the active-set method from β. Each step lowers the objective, so only rounding can
// exhaust the budget.
func (a *working) minimize(ctx context.Context) (steps int, settled bool, err error) {
	a.support.clear()
	for k := range a.size() {
		a.sign[k] = 0
		if a.beta[k] != 0 || a.mu[k] == 0 {
			a.sign[k] = math.Copysign(1, a.beta[k])
			a.include(k)
		}
	}
	for budget := 3*a.size() + 30; steps < budget; {
		steps++
		if err := ctx.Err(); err != nil {
			return steps, false, err
		}
		if a.newtonStep() || a.flatStep() || a.admit() {
			continue
		}
		return steps, true, nil
	}
	return steps, false, nil
}

// newtonStep moves to the members' minimum for their signs, or to the first sign change: then it
// removes that member and returns true.
func (a *working) newtonStep() bool {
	s := &a.support
	step := s.step[:len(s.member)]
	for i, k := range s.member {
		step[i] = a.q[k] - a.mu[k]*a.sign[k]
	}
	s.factor.Solve(step)
	t, blocking := 1.0, -1
	for i, k := range s.member {
		if a.mu[k] > 0 && (a.beta[k]+step[i])*a.sign[k] <= 0 {
			zero := 0.0
			if a.beta[k] != 0 {
				zero = -a.beta[k] / step[i]
			}
			if zero < t || blocking < 0 {
				t, blocking = zero, k
			}
		}
	}
	for i, k := range s.member {
		a.move(k, t*step[i])
	}
	if blocking < 0 {
		return false
	}
	a.move(blocking, -a.beta[blocking])
	a.leave(blocking)
	return true
}

func (a *working) move(k int, delta float64) {
	if delta != 0 {
		a.beta[k] += delta
		kernel.Axpy(-delta, a.row(k), a.q[:a.size()])
	}
}

// flatStep moves a dependent coefficient against those that it depends on, to the minimum or until
// one reaches 0 and leaves.
func (a *working) flatStep() bool {
	s := &a.support
	for _, k := range s.dependent {
		slope := a.q[k] - a.mu[k]*a.sign[k]
		if math.Abs(slope) <= a.tolerance[k] {
			continue
		}
		share := s.step[:len(s.member)]
		curvature := 1.0
		for i, l := range s.member {
			share[i] = a.row(k)[l]
		}
		s.factor.Solve(share)
		for i, l := range s.member {
			curvature -= share[i] * a.row(k)[l]
		}
		t, blocking := math.Inf(1), -1
		if curvature > 0x1p-52 {
			t = math.Abs(slope) / curvature
		}
		direction := math.Copysign(1, slope)
		if a.mu[k] > 0 && a.beta[k]*direction < 0 && -a.beta[k]*direction < t {
			t, blocking = math.Abs(a.beta[k]), k
		}
		for i, l := range s.member {
			if change := -share[i] * direction; a.mu[l] > 0 && change*a.sign[l] < 0 && -a.beta[l]/change < t {
				t, blocking = -a.beta[l]/change, l
			}
		}
		if math.IsInf(t, 1) {
			continue
		}
		a.move(k, t*direction)
		for i, l := range s.member {
			a.move(l, -t*direction*share[i])
		}
		if blocking >= 0 {
			a.move(blocking, -a.beta[blocking])
			a.leave(blocking)
		}
		return true
	}
	return false
}

// admit gives a sign to the worst violating feature outside the support.
func (a *working) admit() bool {
	worst, violation := -1, 0.0
	for k := range a.size() {
		if a.sign[k] != 0 {
			continue
		}
		if v := math.Abs(a.q[k]) - a.mu[k] - a.tolerance[k]; v > violation {
			worst, violation = k, v
		}
	}
	if worst < 0 {
		return false
	}
	a.sign[worst] = math.Copysign(1, a.q[worst])
	a.include(worst)
	return true
}
