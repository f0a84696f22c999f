package rehline

import (
	"math"

	"github.com/agepath/agepath/rehline/internal/kernel"
)

// The Gram matrix of the loss is kept between Newton steps and solves, and only
// rows whose second derivative changed are added to it: near the solution, and
// when a few weights change, these are few. Where all terms are kinked it is
// kept times the width, so that a change of the smoothing changes no row. It is
// computed anew where most have changed, and after anewAfter changes, lest
// rounding errors add up.
const anewAfter = 50

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
	changed, some := 0, 0
	for i, h := range s.h {
		h *= unit
		if math.Abs(h-w.last[i]) > 1e-14*h {
			changed++
		}
		if h != 0 {
			some++
		}
	}
	if changed == 0 && w.changes < anewAfter {
		return
	}
	if w.changes++; changed > some || w.changes > anewAfter {
		clear(w.gram)
		clear(w.last)
		w.changes = 0
	}
	rows := 0
	for i, h := range s.h {
		h *= unit
		change := h - w.last[i]
		if math.Abs(change) <= 1e-14*h {
			continue
		}
		w.last[i] = h
		p := w.panel[rows*w.ld:][:w.ld]
		s.x.gather(i, 1, p[:s.d])
		if s.dim > s.d {
			p[s.d] = 1
		}
		kernel.ScaleTo(w.scaled[rows*w.ld:][:w.ld], change, p)
		if rows++; rows == panelRows {
			kernel.GramAdd(w.gram, w.ld, w.ld, w.scaled, w.panel, rows)
			rows = 0
		}
	}
	kernel.GramAdd(w.gram, w.ld, w.ld, w.scaled, w.panel, rows)
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
