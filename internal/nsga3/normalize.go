package nsga3

import (
	"cmp"
	"math"
)

// normalizer maps the ideal point to 0 and the line through the extreme points to the unit simplex
// (section IV-C).
type normalizer struct {
	ideal, intercepts [2]float64
	unit              [][2]float64 // of the last call of apply, by slot
}

func (z *normalizer) reset() { z.ideal = [2]float64{math.Inf(1), math.Inf(1)} }

func (z *normalizer) lower(f []float64) {
	for j, v := range f {
		z.ideal[j] = math.Min(z.ideal[j], v)
	}
}

// apply returns the normalized objectives; the first front of the slots are nondominated.
func (z *normalizer) apply(f [][2]float64, slots []int, front int) [][2]float64 {
	z.unit = make([][2]float64, len(f))
	for _, slot := range slots {
		for j, low := range z.ideal {
			z.unit[slot][j] = f[slot][j] - low
		}
	}
	if !z.findIntercepts(z.extreme(slots, 0), z.extreme(slots, 1)) {
		for j := range z.intercepts {
			z.intercepts[j] = cmp.Or(z.largest(slots[:front], j), z.largest(slots, j), 1)
		}
	}
	for _, slot := range slots {
		for j, a := range z.intercepts {
			z.unit[slot][j] /= a
		}
	}
	return z.unit
}

// extreme minimizes the achievement scalarizing function max_i f_i / w_i, with w = 1 on the axis
// and 1e-6 on the other (equation 4).
func (z *normalizer) extreme(slots []int, axis int) [2]float64 {
	best, at := math.Inf(1), slots[0]
	for _, slot := range slots {
		if asf := math.Max(z.unit[slot][axis], 1e6*z.unit[slot][1-axis]); asf < best {
			best, at = asf, slot
		}
	}
	return z.unit[at]
}

// findIntercepts solves p·b = 1, q·b = 1 for the line through the extreme points, with intercepts
// 1/b. It returns false if there is none or an intercept is not positive and finite.
func (z *normalizer) findIntercepts(p, q [2]float64) bool {
	least := 1e-12 * max(p[0], p[1], q[0], q[1])
	if math.Abs(q[0]) > math.Abs(p[0]) {
		p, q = q, p
	}
	if !(math.Abs(p[0]) > least) {
		return false
	}
	c := q[0] / p[0]
	pivot := q[1] - c*p[1]
	if !(math.Abs(pivot) > least) {
		return false
	}
	second := (1 - c) / pivot
	first := (1 - p[1]*second) / p[0]
	for j, b := range [2]float64{first, second} {
		if !(b > 0) || math.IsInf(1/b, 0) || 1/b < least {
			return false
		}
		z.intercepts[j] = 1 / b
	}
	return true
}

func (z *normalizer) largest(slots []int, objective int) (largest float64) {
	for _, slot := range slots {
		largest = math.Max(largest, z.unit[slot][objective])
	}
	return largest
}
