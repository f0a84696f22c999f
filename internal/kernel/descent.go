package kernel

import "math"

// Pass is what Descend reads and changes besides the terms.
type Pass struct {
	Intercept float64 // in the scores; updated where Bend is 1.
	Bend      float64 // 1 with a penalized intercept, else 0.
	Estimate  float64 // out: sum of the terms' parts of the gap as they were met.
	Spread    float64 // out: largest change of a slope over its step: without soft, of a score by its own update.

	// Next are samples to be visited later whose rows are fetched into the second
	// cache meanwhile, of each the part Part of Parts.
	Next []int32
	Part int

	state [4]float64 // the same for the assembly
}

// Parts is the number of passes in which all parts of the next rows are fetched.
const Parts = 4

// descendGo is Descend.
func descendGo(x []float64, stride int, w, step, kink, lo, hi, slope, soft, stiff []float64, active []int32, beyond float64, p *Pass) int {
	kept := 0
	p.Estimate, p.Spread = 0, 0
	for _, index := range active {
		i := int(index)
		row := x[i*stride:][:len(w)]
		r := Dot(row, w) + p.Intercept - kink[i]
		a, l, u := slope[i], lo[i], hi[i]
		var s float64
		if len(soft) > 0 {
			s = soft[i]
		}
		b := u
		if s > 0 {
			b = min(max(r*stiff[i], l), u)
		} else if r < 0 {
			b = l
		}
		p.Estimate += (b - a) * (r - s*(a+b)/2)
		r -= s * a
		n := min(max(a+r*step[i], l), u)
		if e := n - a; e != 0 {
			slope[i] = n
			Axpy(-e, row, w)
			p.Intercept -= e * p.Bend
			p.Spread = max(p.Spread, math.Abs(e)/step[i])
		} else if math.Abs(r) > beyond {
			continue
		}
		active[kept] = index
		kept++
	}
	return kept
}
