package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// sketch begins with the coefficients for some of the samples, as if the others were copies of
// them, and tells whether they are good enough. Else all samples have the slopes that they take
// there, and those that may have others at the solution are active.
func (d *descent) sketch() (bool, error) {
	n, dim := len(d.z), d.penalty.dim
	every := min(max(int(float64(n)*sketchEvery/math.Cbrt(float64(n*dim)*float64(n*dim))), leastEvery), mostEvery)
	count := n / every
	late := !d.reading.done
	if !late {
		d.invert()
	} else if err := d.invertSome(every); err != nil {
		return false, err
	}
	d.face()
	d.reset(count, every)
	copies := float64(n) / float64(count)
	for t := range d.faces { // the coefficients are those of all copies divided by their number
		f, kink := &d.faces[t], d.kinks[t]
		for i := 0; i < count*every; i += every {
			kink[i] = f.kink[i] / copies
		}
		f.kink = kink
	}
	for pass := range sketchPasses {
		if pass > 0 {
			d.shuffle()
		}
		d.visit(inf)
	}
	d.face()
	kernel.ScaleTo(d.beta, copies, d.beta)
	if err := d.side(); err != nil {
		return false, err
	}
	if d.certified() {
		return true, nil
	}
	if late {
		d.inv = nil
		d.invert()
	}
	d.restrict()
	copy(d.beta, d.v)
	return false, nil
}

// sketches tells of terms that are all kinked whether a sketch is likely to leave few samples
// active: there are many for each coefficient, and the mean curvature of the loss along one,
// where the kinks are spread like the samples' own, is small beside the ridge.
func (d *descent) sketches() bool {
	n, dim := len(d.z), d.penalty.dim
	if len(d.kinks) == 0 || len(d.guard.xi) > 0 || n < sketchDims*dim || d.limits.passes <= sketchPasses {
		return false
	}
	var curvature, kinks float64
	stride := max(1, n/nearSample)
	for t := range d.terms.kinked {
		k := &d.terms.kinked[t]
		for i := 0; i < n; i += stride {
			curvature += (k.hi[i] - k.lo[i]) * d.extent(i) * float64(stride)
			kinks += math.Abs(k.kink[i]) * float64(stride)
		}
	}
	return curvature*float64(n*len(d.kinks)) <= sketchCurvature*2*kinks*float64(dim)
}

// side sets z to the scores, the slopes to those of the terms there and v to their force, and
// certifies them. It returns an error where X was not read before and is wrong.
func (s *state) side() error {
	var scratch scratch
	s.sums = sums{}
	clear(s.v)
	first := !s.reading.done
	several := len(s.terms.kinked)+len(s.terms.curved) > 1
	for from := 0; from < len(s.z); from += partSize {
		to := min(from+partSize, len(s.z))
		z, g, h := s.z[from:to], scratch[1][:to-from], scratch[2][:to-from]
		if several {
			clear(g)
		}
		if first {
			s.firstScores(from, z, s.beta)
		} else {
			s.scoresFrom(from, z, s.beta)
		}
		slope := g // of the only term
		for t := range s.terms.kinked {
			k := &s.terms.kinked[t]
			slope = k.slope[from:to]
			v := kernel.Kinked(z, k.kink[from:to], k.lo[from:to], k.hi[from:to], slope, slope, g, h, sidewise)
			s.sums.add(sums{v[0], v[1], v[2]})
		}
		for t := range s.terms.curved {
			c := &s.terms.curved[t]
			slope = c.slope[from:to]
			v := kernel.Curved(z, c.kink[from:to], c.kl[from:to], c.kh[from:to], c.sigma[from:to], slope, g, h)
			s.sums.add(sums{value: v[0], dual: v[1]})
		}
		if several {
			slope = g
		}
		s.addForce(from, s.v, slope)
	}
	if first {
		s.reading.done = true
		if err := s.reading.confirm(s.reading.norms); err != nil {
			return err
		}
	}
	kernel.ScaleTo(s.v, -1, s.v)
	s.certify()
	return nil
}

// restrict leaves those samples active that are likely to have other slopes at the solution, where the scores
// are those of a certified point: a score moves by no more than ‖x_i‖ times the root of twice the gap,
// mostly by much less (gap safe screening, [5] of the package's documentation).
func (d *descent) restrict() {
	if len(d.terms.curved) > 0 || len(d.lists) < len(d.terms.kinked) {
		d.reset(len(d.z), 1)
		return
	}
	for t := range d.lists {
		k, l := &d.terms.kinked[t], &d.lists[t]
		room := l.active[:cap(l.active)]
		count, _ := kernel.Near(d.z, k.kink, k.lo, k.hi, k.slope, d.inv, 2*restrictPart*restrictPart*max(d.gap, 0), room)
		l.active = room[:count]
	}
}
