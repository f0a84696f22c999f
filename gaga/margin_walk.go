package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// marginWalk is the walk of a [marginCreep].
type marginWalk struct{ *marginCreep }

func (w marginWalk) solution() (theta, scores []float64) {
	w.see()
	return w.from, w.u[:len(w.looked)]
}

func (w marginWalk) zonesStay(from []float64, by float64) bool {
	for slot, i := range w.looked {
		u := w.u[slot]
		came := u - from[slot]
		g, now := 1-w.y[i]*(u+by*came), 1-w.y[i]*u
		if w.zoneOf(g) != w.zoneOf(now) || (g > 0) != (now > 0) && math.Abs(now) > math.Abs(came)+roundoff {
			return false
		}
	}
	return true
}

// bends is false, see [searchWalk].
func (w marginWalk) bends() bool { return false }

// objective is that of the sums, but for the looked samples; outside the neighbourhood,
// where others may have changed their zones, it is infinite.
func (w marginWalk) objective(theta, scores []float64) float64 {
	t, price := w.t, w.t.hinge.C
	if w.boundless() {
		return t.objective(theta, scores, w.age)
	}
	if w.outside(theta) {
		return math.Inf(1)
	}
	sum := t.penalty(theta, nil) + blas64.Dot(vector(w.constant), vector(theta))
	var series [4]float64 // where weights are linear
	if w.second != nil {
		series = t.series.Series(w.linear, w.age).F
		count := w.count[w.linear]
		linear := count + blas64.Dot(vector(w.first), vector(theta))
		copy(w.row, w.first)
		blas64.Gemv(blas.NoTrans, 1, general(w.p, w.p, w.second), vector(theta), 1, vector(w.row))
		sum += series[0]*count + series[2]*price*linear + series[3]*price*price*(linear+blas64.Dot(vector(w.row), vector(theta)))
	}
	for k, kind := range w.kind {
		if kind == constantWeight {
			sum += w.count[k] * (w.level(k) + w.weights[k]*price)
		}
	}
	for slot, i := range w.looked {
		loss, f := price*(1-w.y[i]*scores[slot]), 0.0
		if k := int(w.zone[i]) - t.kinks; k >= 0 {
			switch w.kind[k] {
			case constantWeight:
				f = w.level(k) + w.weights[k]*loss
			case linearWeight:
				f = series[0] + series[2]*loss + series[3]*loss*loss
			}
		}
		sum += t.m[i] * (t.reg.Integral(max(0, loss), w.age) - f)
	}
	return sum
}

// level returns the implicit loss in a zone of constant weight, continued to the loss 0.
func (c *marginCreep) level(k int) float64 {
	loss := c.t.system.inside(k, c.age)
	return c.t.reg.Integral(loss, c.age) - c.weights[k]*loss
}

func (w marginWalk) extend(theta, _ []float64) {
	copy(w.from, theta)
	w.seen = false
}
