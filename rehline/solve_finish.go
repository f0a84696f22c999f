package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// finished also truncates coefficients that an L1 penalty holds at zero and makes the dual
// feasible.
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

// settled is finished for points that only rounding of the dual keeps from being solved.
func (w *newton) settled() bool {
	if !w.penalty.proximal && !w.penalty.free {
		return false
	}
	return w.repaired()
}

// repaired reports whether the point is solved with a feasible dual; if not, it evaluates the point
// again.
func (w *newton) repaired() bool {
	w.repair()
	if w.solved() {
		return true
	}
	w.evaluate()
	return false
}

// truncate zeroes the coefficients whose multiplier is within its bounds and saves the former
// ones in step.
func (w *newton) truncate() bool {
	copy(w.step, w.beta)
	any := false
	for j, r := range w.penalty.l1 {
		if w.beta[j] != 0 && math.Abs(w.multipliers[j]) < r {
			w.beta[j] = 0
			any = true
		}
	}
	if any {
		w.revalue()
	}
	return any
}

func (w *newton) repair() {
	if w.penalty.proximal {
		w.polish()
	}
	w.contract()
}

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

// polish takes Newton steps in the dual variables strictly between their bounds, so that the forces
// meet the L1 penalties: dual variables from scores carry the scores' rounding errors divided by
// the smoothing.
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
