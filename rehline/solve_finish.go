package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// finished tells whether the point is good enough, after it has been made what a solution
// has to be: coefficients that an L1 penalty holds at zero are zero, and the dual is
// feasible for a free intercept.
func (w *newton) finished() bool {
	if !w.solved() {
		return false
	}
	if w.truncate() && !w.solved() {
		copy(w.beta, w.step)
		w.scores(w.z, w.beta)
		w.slacks()
		w.evaluate()
		return false
	}
	return w.repaired()
}

// settled tells whether the point is good enough once the dual is made feasible, where
// rounding alone keeps it from being so.
func (w *newton) settled() bool {
	if w.penalty.regime.exact() && !w.penalty.free {
		return false
	}
	return w.repaired()
}

// repaired tells whether the point is good enough with a feasible dual; else it is
// evaluated anew.
func (w *newton) repaired() bool {
	w.repair()
	if w.solved() {
		return true
	}
	w.evaluate()
	return false
}

// truncate sets the coefficients to zero whose multiplier is well within its bounds,
// keeps the former ones in step, and certifies them with the dual as it is. It tells
// whether there were any.
func (w *newton) truncate() bool {
	copy(w.step, w.beta)
	any := false
	for j, r := range w.penalty.l1 {
		if w.beta[j] != 0 && math.Abs(w.multipliers[j]) < r*zeroMargin {
			w.beta[j] = 0
			any = true
		}
	}
	if any {
		w.revalue()
	}
	return any
}

// repair makes the dual variables feasible: for a free intercept, and without a ridge by
// polishing them and taking their share.
func (w *newton) repair() {
	if !w.penalty.regime.exact() {
		w.polish()
	}
	w.contract()
}

// contract does so without polishing.
func (w *newton) contract() {
	w.balance()
	share := w.share
	if share >= 1 {
		return
	}
	scale := func(v []float64) { kernel.ScaleTo(v, share, v) }
	w.terms.slopes(scale)
	scale(w.guard.xi)
	w.refresh()
}

// polish takes Newton steps in the dual variables alone, which are not between their
// bounds by chance, so that the forces meet the L1 penalties. Those that follow from the
// scores carry the scores' rounding errors divided by the smoothing.
func (w *newton) polish() {
	for range polishSteps {
		clear(w.grad)
		for j, r := range w.penalty.l1 {
			w.grad[j] = soft(-w.v[j], r)
		}
		if zero(w.grad) {
			return
		}
		w.direction()
		w.scores(w.dz, w.step)
		w.terms.move(w.dz, w.width)
		w.guard.move(w.step[:w.penalty.d])
		w.refresh()
	}
}
