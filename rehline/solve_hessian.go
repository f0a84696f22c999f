package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// The Gram matrix of the loss is kept between Newton steps and solves, and only
// rows whose second derivative changed are added to it: near the solution, and
// when a few weights change, these are few. Where all terms are kinked it is
// kept times the width, so that a change of the smoothing changes no row. It is
// computed anew where most have changed, and after anewAfter changes, lest
// rounding errors add up.
const (
	anewAfter     = 50
	sameCurvature = 1e-14 // relative change that is no change
)

// measure is what second derivatives are multiplied with in the Gram matrix.
func (s *Solver) measure() float64 {
	if len(s.curved) > 0 {
		return 1
	}
	return s.newton.width
}

// accumulate brings the Gram matrix up to date with h.
func (s *Solver) accumulate() {
	w := &s.newton
	unit := s.measure()
	if w.changes < anewAfter {
		if count, ok := kernel.Changed(s.h, w.last, unit, sameCurvature, w.list); ok {
			w.changes += min(count, 1)
			for _, i := range w.list[:count] {
				s.stack(int(i), s.h[i]*unit)
			}
			s.flush()
			return
		}
		changed, some := 0, 0
		for i, h := range s.h {
			if math.Abs(h*unit-w.last[i]) > sameCurvature*h*unit {
				changed++
			}
			if h != 0 {
				some++
			}
		}
		w.changes++
		if changed > some {
			w.changes = anewAfter
		}
	}
	if w.changes >= anewAfter {
		clear(w.gram)
		clear(w.last)
		w.changes = 0
	}
	for i, h := range s.h {
		if h *= unit; math.Abs(h-w.last[i]) > sameCurvature*h {
			s.stack(i, h)
		}
	}
	s.flush()
}

// stack adds sample i with its new second derivative to the rows that are added
// to the Gram matrix together.
func (s *Solver) stack(i int, h float64) {
	w := &s.newton
	change := h - w.last[i]
	w.last[i] = h
	p := w.panel[w.rows*w.ld:][:w.ld]
	s.x.gather(i, 1, p[:s.d])
	if s.dim > s.d {
		p[s.d] = 1
	}
	kernel.ScaleTo(w.scaled[w.rows*w.ld:][:w.ld], change, p)
	if w.rows++; w.rows == panelRows {
		s.flush()
	}
}

// flush adds the stacked rows.
func (s *Solver) flush() {
	w := &s.newton
	kernel.GramAdd(w.gram, w.ld, w.ld, w.scaled, w.panel, w.rows)
	w.rows = 0
}

// factorize computes the Cholesky factor of the Hessian of the smoothed
// objective.
func (s *Solver) factorize() {
	w := &s.newton
	ld := w.ld
	s.accumulate()
	kernel.ScaleTo(w.hess, 1/s.measure(), w.gram)
	var trace float64
	for j := range s.d {
		trace += w.hess[j*ld+j]
	}
	w.stiff = 1 + trace/float64(s.d)
	rows := 0
	for k, active := range s.guard.active {
		if !active {
			continue
		}
		p := w.panel[rows*ld:][:ld]
		clear(p)
		kernel.ScaleTo(p[:s.d], 1/math.Sqrt(w.soft*s.guard.norm[k]), s.guard.row(k))
		if rows++; rows == panelRows {
			kernel.GramAdd(w.hess, ld, ld, w.panel, w.panel, rows)
			rows = 0
		}
	}
	kernel.GramAdd(w.hess, ld, ld, w.panel, w.panel, rows)
	for j := range s.dim {
		w.hess[j*ld+j] += s.bend[j]
	}
	for j, r := range s.l1 {
		if r > 0 && math.Abs(w.m[j]) < r {
			w.hess[j*ld+j] += 1 / w.narrow
		}
	}
	if s.dim > s.d && s.bend[s.d] == 0 {
		w.hess[s.d*ld+s.d] += s.ground(w.hess[s.d*ld+s.d])
	}
	w.cholesky.factorize(w.hess, ld, s.dim)
}
