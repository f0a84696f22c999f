package rehline

import "github.com/agepath/agepath/internal/kernel"

// terms are a loss as a sum of terms of the score z with one dual variable each, the slope a of the
// term:
//
//	kinked: max over lo <= a <= hi of a(z - κ)
//	curved: max over σ kl <= a <= σ kh of a(z - κ) - a²/(2σ)
//
// A ReLU is kinked with one bound 0, a ReHU is curved with kl or kh 0. Two terms that turn at the
// same score in opposite directions are merged, which halves the work and makes the dual unique.
// Everything is divided by the ridge.
type terms struct {
	kinked []kinked
	curved []curved
}

// termRows lists the rows of U and V, or of S, T and Tau, of a term: one, or two merged.
type termRows []int

type kinked struct {
	termRows
	kink   []float64
	lo, hi []float64
	slope  []float64 // a, the dual variable
	center []float64 // of the proximal term between Newton steps; nil in the first phase
}

type curved struct {
	termRows
	all    bool // every sample has a term that turns
	kink   []float64
	kl, kh []float64 // range of the quadratic part, relative to the kink
	sigma  []float64
	slope  []float64
}

// partSize is the number of samples evaluated together, so that a scratch fits the L1 cache.
const partSize = 256

type scratch [3][partSize]float64

type sums struct {
	value float64
	dual  float64 // -Σ aκ - Σ a²/(2σ)
	young float64 // value - dual - Σ a z >= 0, by Fenchel and Young
}

// evaluate sets the slopes at the scores, with kinked terms smoothed around their centers over a
// width of scores, g to their sums and h to the sums of second derivatives.
func (t *terms) evaluate(z, g, h []float64, width float64) sums {
	var s sums
	for from := 0; from < len(z); from += partSize {
		to := min(from+partSize, len(z))
		z, g, h := z[from:to], g[from:to], h[from:to]
		clear(g)
		clear(h)
		for i := range t.kinked {
			part := t.kinked[i].evaluate(z, from, g, h, width)
			s.add(sums{part[0], part[1], part[2]})
		}
		for i := range t.curved {
			c := &t.curved[i]
			part := kernel.Curved(z, c.kink[from:to], c.kl[from:to], c.kh[from:to], c.sigma[from:to], c.slope[from:to], g, h)
			s.value, s.dual = s.value+part[0], s.dual+part[1]
		}
	}
	return s
}

func (k *kinked) evaluate(z []float64, from int, g, h []float64, width float64) [3]float64 {
	to := from + len(z)
	return kernel.Kinked(z, k.kink[from:to], k.lo[from:to], k.hi[from:to], k.center[from:to], k.slope[from:to], g, h, 1/width)
}

func (s *sums) add(other sums) {
	s.value, s.dual, s.young = s.value+other.value, s.dual+other.dual, s.young+other.young
}

func (t *terms) value(z []float64) float64 {
	var scratch scratch
	var v float64
	for from := 0; from < len(z); from += partSize {
		v += t.part(z[from:min(from+partSize, len(z))], from, &scratch).value
	}
	return v
}

func (t *terms) atZeros(n int) float64 {
	var scratch scratch
	var zeros [partSize]float64
	var v float64
	for from := 0; from < n; from += partSize {
		v += t.part(zeros[:min(partSize, n-from)], from, &scratch).value
	}
	return v
}

func (t *terms) tally(z []float64, from int, scratch *scratch) sums {
	s := t.part(z, from, scratch)
	for i := range t.curved {
		c := &t.curved[i]
		dual := c.dual(from, from+len(z))
		s.dual += dual
		s.young -= dual + kernel.Dot(c.slope[from:from+len(z)], z)
	}
	return s
}

// part is tally with only the values of curved terms.
func (t *terms) part(z []float64, from int, scratch *scratch) sums {
	to := from + len(z)
	slope, g, h := scratch[0][:len(z)], scratch[1][:len(z)], scratch[2][:len(z)]
	var s sums
	for i := range t.kinked {
		k := &t.kinked[i] // with infinite smoothing the slopes are the centers
		v := kernel.Kinked(z, k.kink[from:to], k.lo[from:to], k.hi[from:to], k.slope[from:to], slope, g, h, 0)
		s.add(sums{v[0], v[1], v[2]})
	}
	for i := range t.curved {
		c := &t.curved[i]
		v := kernel.Curved(z, c.kink[from:to], c.kl[from:to], c.kh[from:to], c.sigma[from:to], slope, g, h)[0]
		s.add(sums{value: v, young: v})
	}
	return s
}

func (c *curved) dual(from, to int) float64 {
	var t float64
	for j := from; j < to; j++ {
		if a := c.slope[j]; a != 0 {
			t -= a * (c.kink[j] + a/(2*c.sigma[j]))
		}
	}
	return t
}

func (t *terms) collect(g []float64) (dual float64) {
	clear(g)
	for i := range t.kinked {
		k := &t.kinked[i]
		kernel.Axpy(1, k.slope, g)
		dual -= kernel.Dot(k.slope, k.kink)
	}
	for i := range t.curved {
		c := &t.curved[i]
		kernel.Axpy(1, c.slope, g)
		dual += c.dual(0, len(g))
	}
	return dual
}

func (t *terms) along(z, dz []float64, step, width float64) (first, second float64) {
	for i := range t.kinked {
		k := &t.kinked[i]
		sum := kernel.KinkedAlong(z, dz, k.kink, k.lo, k.hi, k.center, step, 1/width)
		first, second = first+sum[0], second+sum[1]
	}
	for i := range t.curved {
		c := &t.curved[i]
		sum := kernel.CurvedAlong(z, dz, c.kink, c.kl, c.kh, c.sigma, step)
		first, second = first+sum[0], second+sum[1]
	}
	return first, second
}

// curvature returns the sum of the second derivatives if all terms were in their smooth parts, or
// 1: a scale for steps of the intercept.
func (t *terms) curvature(width float64) float64 {
	var sum float64
	for i := range t.kinked {
		k := &t.kinked[i]
		for j, u := range k.hi {
			sum += u - k.lo[j]
		}
	}
	sum /= width
	for i := range t.curved {
		for _, c := range t.curved[i].sigma {
			sum += c
		}
	}
	if sum == 0 {
		return 1
	}
	return sum
}
