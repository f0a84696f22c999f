package coarse

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// semismooth is Newton's method on the optimality condition, with the zones and active
// coordinates of each iterate.
type semismooth struct {
	system
	phi        []float64 // N: m φ
	gradient   []float64 // P: Σ m φ a
	step       []float64 // P
	thresholds []float64
}

func newSemismooth(s system) semismooth {
	f := func(k int) []float64 { return make([]float64, k) }
	return semismooth{system: s, phi: f(s.N), gradient: f(s.P), step: f(s.P), thresholds: f(s.Thresholds())}
}

// correct moves pt, at its age, to a solution near it. It uses the factor that the
// condition holds while this serves as [condition.Policy] asks. On success H is
// factorized and positive definite at pt.
func (n *semismooth) correct(pt *model.Point) bool {
	policy, last := n.Policy(), math.Inf(1)
	for pt.Iterations = 1; pt.Iterations <= policy.Limit; pt.Iterations++ {
		n.Predict(pt.U, pt.Theta)
		n.Evaluate(pt)
		moved := n.rezone(pt)
		n.residual(pt)
		turned := n.reselect(pt)
		residual := n.Relative()
		rounding := residual <= tolerance.Loose && residual >= 0.5*last
		settled := !moved && !turned && (residual <= tolerance.CoarseTight || rounding)
		if settled || turned || residual > policy.Slow*last {
			n.Collect(pt)
			if !n.Factorize() {
				return false
			}
			if residual = n.Relative(); settled && residual <= tolerance.Loose {
				return true
			}
		}
		if !(residual < tolerance.Diverged*last) && !turned {
			return false
		}
		last = residual
		step := n.step[:len(n.Active)]
		copy(step, n.Equations.Residual)
		n.Solve(step)
		n.Step(pt, step, 1)
	}
	return false
}

// rezone puts each sample into the zone of its loss at pt and reports whether any moved.
func (n *semismooth) rezone(pt *model.Point) (moved bool) {
	n.ThresholdsAt(n.thresholds, pt.Age)
	for i, loss := range pt.Loss {
		for z := uint8(n.Among(n.thresholds, loss)); n.Zone[i] != z; moved = true {
			n.Shift(i, n.Zone[i] < z, nil)
		}
	}
	return moved
}

// residual evaluates the residual at pt, where losses and zones are current. Its scale
// stays as it was.
func (n *semismooth) residual(pt *model.Point) {
	n.At = nil
	for i, loss := range pt.Loss {
		v, _, _ := n.Weight(n.Zone[i], loss, pt.Age)
		n.phi[i] = n.M[i] * v * pt.Slope[i]
	}
	for r, j := range n.Active {
		n.Equations.Residual[r] = n.L2[j]*pt.Theta[j] + n.L1[j]*n.Sign[j]
	}
	if k := len(n.Active); k > 0 {
		kernel.MulTransAdd(n.Equations.Residual[:k], n.Scope.Rows, k, n.phi)
	}
}

// reselect drops the coefficients of the wrong sign, or activates one coordinate whose
// gradient exceeds its L1 weight. It reports whether there were any.
func (n *semismooth) reselect(pt *model.Point) (turned bool) {
	if !n.Sparse() {
		return false
	}
	for _, j := range n.Active {
		if n.L1[j] > 0 && pt.Theta[j]*n.Sign[j] < 0 {
			pt.Theta[j], n.Sign[j], turned = 0, 0, true
		}
	}
	clear(n.gradient)
	kernel.MulTransAdd(n.gradient, n.Samples.Rows, n.P, n.phi)
	for j, g := range n.gradient {
		if n.L1[j] > 0 && n.Sign[j] == 0 && !turned && pt.Theta[j] == 0 && math.Abs(g) > n.L1[j]*(1+tolerance.Roundoff) {
			n.Sign[j], turned = -model.Sign(g), true
		}
	}
	if turned {
		n.Choose()
	}
	return turned
}
