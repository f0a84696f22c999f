package rehline

import (
	"math"

	"github.com/agepath/agepath/rehline/internal/kernel"
)

// The Gram matrix of the loss is kept between Newton steps and solves, and only
// rows whose second derivative changed are added to it: near the solution, and
// when a few weights change, these are few. It is computed anew where most have
// changed, and after anewAfter changes, lest rounding errors add up.
const anewAfter = 50

// accumulate brings the Gram matrix up to date with h.
func (s *Solver) accumulate() {
	w := &s.newton
	changed, some := 0, 0
	for i, h := range s.h {
		if h != w.last[i] {
			changed++
		}
		if h != 0 {
			some++
		}
	}
	if changed == 0 {
		return
	}
	if w.changes++; changed > some || w.changes > anewAfter {
		clear(w.gram)
		clear(w.last)
		w.changes = 0
	}
	rows := 0
	for i, h := range s.h {
		change := h - w.last[i]
		if change == 0 {
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
			kernel.GramAdd(w.gram, w.ld, w.scaled, w.panel, rows)
			rows = 0
		}
	}
	kernel.GramAdd(w.gram, w.ld, w.scaled, w.panel, rows)
}

// factorize computes the Cholesky factor of the Hessian of the smoothed
// objective.
func (s *Solver) factorize() {
	w := &s.newton
	ld := w.ld
	s.accumulate()
	copy(w.hess, w.gram)
	var trace float64
	for j := range s.d {
		trace += w.gram[j*ld+j]
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
			kernel.GramAdd(w.hess, ld, w.panel, w.panel, rows)
			rows = 0
		}
	}
	kernel.GramAdd(w.hess, ld, w.panel, w.panel, rows)
	for j := range s.dim {
		w.hess[j*ld+j] += s.bend[j]
	}
	for j, r := range s.l1 {
		if r > 0 && math.Abs(w.m[j]) < r {
			w.hess[j*ld+j] += 1 / w.narrow
		}
	}
	if s.dim > s.d && s.bend[s.d] == 0 {
		w.hess[s.d*ld+s.d] += s.ground(w.gram[s.d*ld+s.d])
	}
	cholesky(w.hess, ld, s.dim)
}

// cholesky replaces the lower triangle of the n x n matrix by its factor, with
// the reciprocals of the diagonal on the diagonal. Pivots lost to rounding are
// replaced by a large number, which leaves their direction out.
func cholesky(a []float64, ld, n int) {
	for i := range n {
		ri := a[i*ld:][:i+1]
		for j := range i {
			ri[j] = (ri[j] - kernel.Dot(ri[:j], a[j*ld:][:j])) * a[j*ld+j]
		}
		p := ri[i] - kernel.Dot(ri[:i], ri[:i])
		if !(p > 1e-15*ri[i]) {
			p = 1e30 * max(ri[i], 1)
		}
		ri[i] = 1 / math.Sqrt(p)
	}
}

// solveCholesky replaces b by the solution.
func solveCholesky(a []float64, ld int, b []float64) {
	n := len(b)
	for i := range n {
		b[i] = (b[i] - kernel.Dot(a[i*ld:][:i], b[:i])) * a[i*ld+i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] *= a[i*ld+i]
		kernel.Axpy(-b[i], a[i*ld:][:i], b[:i])
	}
}
