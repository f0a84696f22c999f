package nsga3

import "math"

// normalizer maps the ideal point to 0 and the hyperplane through the extreme points to the unit
// simplex (section IV-C).
type normalizer struct {
	m          int
	ideal      []float64
	extremes   []float64 // m x m, extreme points minus the ideal by axis
	intercepts []float64
	plane      []float64 // m x (m+1), the linear system
	unit       []float64 // a row of m per slot
}

func newNormalizer(slots, m int) normalizer {
	return normalizer{
		m: m, ideal: make([]float64, m), extremes: make([]float64, m*m), intercepts: make([]float64, m),
		plane: make([]float64, m*(m+1)), unit: make([]float64, slots*m),
	}
}

func (z *normalizer) reset() {
	for j := range z.ideal {
		z.ideal[j] = math.Inf(1)
	}
}

func (z *normalizer) lower(f []float64) {
	for j, v := range f {
		z.ideal[j] = math.Min(z.ideal[j], v)
	}
}

// apply returns the normalized objectives; the first front of the slots are nondominated.
func (z *normalizer) apply(f []float64, slots []int, front int) []float64 {
	for _, slot := range slots {
		for j, low := range z.ideal {
			z.unit[slot*z.m+j] = f[slot*z.m+j] - low
		}
	}
	z.findExtremes(slots)
	if !z.findIntercepts() {
		z.ranges(slots[:front], slots)
	}
	for _, slot := range slots {
		for j, a := range z.intercepts {
			z.unit[slot*z.m+j] /= a
		}
	}
	return z.unit
}

// findExtremes minimizes for each axis the achievement scalarizing function max_i f_i / w_i, with w
// = 1 on the axis and 1e-6 on the others (equation 4).
func (z *normalizer) findExtremes(slots []int) {
	for axis := range z.m {
		best, at := math.Inf(1), slots[0]
		for _, slot := range slots {
			var asf float64
			for j, v := range z.unit[slot*z.m : (slot+1)*z.m] {
				if j != axis {
					v *= 1e6
				}
				asf = math.Max(asf, v)
			}
			if asf < best {
				best, at = asf, slot
			}
		}
		copy(z.extremes[axis*z.m:(axis+1)*z.m], z.unit[at*z.m:(at+1)*z.m])
	}
}

// findIntercepts solves E b = 1 for the hyperplane through the extreme points, with intercepts 1/b.
// It returns false if there is none or an intercept is not positive and finite.
func (z *normalizer) findIntercepts() bool {
	m, w := z.m, z.m+1
	for i := range m {
		copy(z.plane[i*w:], z.extremes[i*m:(i+1)*m])
		z.plane[i*w+m] = 1
	}
	var largest float64
	for _, v := range z.extremes {
		largest = math.Max(largest, v)
	}
	for k := range m {
		pivot := k
		for i := k + 1; i < m; i++ {
			if math.Abs(z.plane[i*w+k]) > math.Abs(z.plane[pivot*w+k]) {
				pivot = i
			}
		}
		if !(math.Abs(z.plane[pivot*w+k]) > 1e-12*largest) {
			return false
		}
		for j := range w {
			z.plane[k*w+j], z.plane[pivot*w+j] = z.plane[pivot*w+j], z.plane[k*w+j]
		}
		for i := k + 1; i < m; i++ {
			c := z.plane[i*w+k] / z.plane[k*w+k]
			for j := k; j < w; j++ {
				z.plane[i*w+j] -= c * z.plane[k*w+j]
			}
		}
	}
	for k := m - 1; k >= 0; k-- {
		b := z.plane[k*w+m]
		for j := k + 1; j < m; j++ {
			b -= z.plane[k*w+j] * z.plane[j*w+m]
		}
		b /= z.plane[k*w+k]
		z.plane[k*w+m] = b
		if !(b > 0) || math.IsInf(1/b, 0) || 1/b < 1e-12*largest {
			return false
		}
		z.intercepts[k] = 1 / b
	}
	return true
}

// ranges replaces the intercepts: by the largest value of each objective on the first front, if
// that is 0 among all slots, and if that is 0 by 1.
func (z *normalizer) ranges(front, slots []int) {
	for j := range z.intercepts {
		z.intercepts[j] = z.largest(front, j)
		if z.intercepts[j] == 0 {
			z.intercepts[j] = z.largest(slots, j)
		}
		if z.intercepts[j] == 0 {
			z.intercepts[j] = 1
		}
	}
}

func (z *normalizer) largest(slots []int, objective int) float64 {
	var largest float64
	for _, slot := range slots {
		largest = math.Max(largest, z.unit[slot*z.m+objective])
	}
	return largest
}
