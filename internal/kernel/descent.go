package kernel

import "math"

// Descend is a pass of dual coordinate descent over the active samples, for one term per sample,
// the maximum over lo <= a <= hi of a(z - kink) - soft a²/2. It keeps w, the coefficients -Σ
// slope_i x_i, current. soft is empty if all are zero, else stiff_i is 1/soft_i. step_i is
// 1/(‖x_i‖² + soft_i).
//
// It drops samples whose slope stays at its bound while the score is more than beyond away from
// leaving the bound; the kept ones come first in active, in order. estimate is the sum of the
// terms' parts of the gap, spread the largest change of a slope over its step (without soft, of a
// score).
func Descend(x []float64, stride int, w, step, kink, lo, hi, slope, soft, stiff []float64, active []int32, beyond float64) (kept int, estimate, spread float64) {
	for _, index := range active {
		i := int(index)
		row := x[i*stride:][:len(w)]
		r := Dot(row, w) - kink[i]
		a, l, u := slope[i], lo[i], hi[i]
		var s float64
		if len(soft) > 0 {
			s = soft[i]
		}
		b := u
		if s > 0 {
			b = smaller(larger(r*stiff[i], l), u)
		} else if r < 0 {
			b = l
		}
		estimate += (b - a) * (r - s*(a+b)/2)
		r -= s * a
		n := smaller(larger(a+r*step[i], l), u) // branches: most slopes are at a bound, and r need not be awaited
		if e := n - a; e != 0 {
			slope[i] = n
			Axpy(-e, row, w)
			spread = max(spread, math.Abs(e)/step[i])
		} else if math.Abs(r) > beyond {
			continue
		}
		active[kept] = index
		kept++
	}
	return kept, estimate, spread
}
