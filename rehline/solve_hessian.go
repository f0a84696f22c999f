package rehline

import (
	"context"
	"math"
	"slices"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

type hessian interface {
	// solve also sets the stiffness.
	solve(w *newton)
	forget()
}

// gram keeps the Gram matrix between Newton steps and solves, and adds only rows whose second
// derivative changed, few near the solution. The matrix is recomputed if most have changed, and
// after anewAfter changes.
type gram struct {
	ld      int
	gram    []float64 // lower triangle of Σ h_i x_i x_iᵀ for the h in last
	last    []float64 // second derivatives in gram, times the measure
	changes int       // updates since gram was computed
	list    []int32
	rows    int
	panel   []float64
	scaled  []float64
	change  []float64
	middle  []float64 // subtracted from the rows of X; may be nil
	factor  dense.Cholesky
}

func newGram(n, dim int) *gram {
	ld := kernel.Pad(dim)
	return &gram{ld: ld, gram: make([]float64, ld*ld), last: make([]float64, n), changes: anewAfter, list: make([]int32, max(n/32, 256)),
		panel: make([]float64, panelRows*ld), scaled: make([]float64, panelRows*ld),
		change: make([]float64, panelRows), factor: newFactor(dim)}
}

// newFactor allocates a factor that leaves out directions whose pivots are lost to rounding.
func newFactor(dim int) dense.Cholesky {
	f := dense.Cholesky{Tolerance: pivotPart, Drops: true}
	f.Matrix(dim)
	f.Matrix(1)
	factorize(&f)
	return f
}

func factorize(f *dense.Cholesky) {
	if err := f.Factorize(context.Background()); err != nil {
		panic(err) // the context is never cancelled
	}
}

func (m *gram) forget() { m.changes = anewAfter }

func (m *gram) accumulate(s *state, unit float64) {
	last := m.last[:len(s.h)]
	if m.changes < anewAfter {
		if count, ok := kernel.Changed(s.h, last, unit, sameCurvature, m.list); ok {
			m.changes += min(count, 1)
			for list := range slices.Chunk(m.list[:count], panelRows) {
				m.stack(s, list, unit)
			}
			m.flush()
			return
		}
		m.changes++
		if m.differing(s.h, last, unit, sameCurvature) > m.differing(s.h, s.h, 2, 0) { // changed entries outnumber nonzero ones
			m.forget()
		}
	}
	if m.changes >= anewAfter {
		clear(m.gram)
		clear(last)
		m.changes = 0
	}
	for from := 0; from < len(last); from += panelRows {
		to := min(from+panelRows, len(last))
		count, _ := kernel.Changed(s.h[from:to], last[from:to], unit, sameCurvature, m.list[:panelRows])
		for k := range count {
			m.list[k] += int32(from)
		}
		m.stack(s, m.list[:count], unit)
	}
	m.flush()
}

func (m *gram) differing(x, y []float64, unit, part float64) (count int) {
	for from := 0; from < len(x); from += panelRows {
		to := min(from+panelRows, len(x))
		some, _ := kernel.Changed(x[from:to], y[from:to], unit, part, m.list[:panelRows])
		count += some
	}
	return count
}

func (m *gram) stack(s *state, list []int32, unit float64) {
	if m.rows+len(list) > panelRows {
		m.flush()
	}
	bend, last, change := s.h, m.last, m.change[:len(list)]
	for k, i := range list {
		h := bend[i] * unit
		change[k] = h - last[i]
		last[i] = h
	}
	panel, scaled, d := m.panel[m.rows*m.ld:], m.scaled[m.rows*m.ld:], s.penalty.d
	kernel.Stack(panel, scaled, m.ld, s.x.Data, s.x.Stride, d, list, change)
	if m.middle != nil {
		for k, h := range change {
			row := panel[k*m.ld:][:d]
			kernel.Axpy(-1, m.middle, row)
			kernel.ScaleTo(scaled[k*m.ld:][:d], h, row)
		}
	}
	if s.penalty.dim > d {
		for k := range list {
			panel[k*m.ld+d], scaled[k*m.ld+d] = 1, change[k]
		}
	}
	m.rows += len(list)
}

func (m *gram) flush() {
	kernel.GramAdd(m.gram, m.ld, m.ld, m.scaled, m.panel, m.rows)
	m.rows = 0
}

func (m *gram) solve(w *newton) {
	d, unit := w.penalty.d, w.measure()
	hess, ld := m.factor.Matrix(w.penalty.dim)
	m.accumulate(w.state, unit)
	kernel.ScaleTo(hess, 1/unit, m.gram)
	var trace float64
	for j := range d {
		trace += hess[j*ld+j]
	}
	w.stiff = 1 + trace/float64(d)
	rows := 0
	for k, weight := range w.guard.weight {
		if weight == 0 {
			continue
		}
		p := m.panel[rows*ld:][:ld]
		clear(p)
		kernel.ScaleTo(p[:d], math.Sqrt(weight), w.guard.row(k))
		if rows++; rows == panelRows {
			kernel.GramAdd(hess, ld, ld, m.panel, m.panel, rows)
			rows = 0
		}
	}
	kernel.GramAdd(hess, ld, ld, m.panel, m.panel, rows)
	for j, b := range w.penalty.bend {
		hess[j*ld+j] += b
	}
	if w.penalty.l1 != nil {
		for j, bow := range w.bows {
			hess[j*ld+j] += bow
		}
	}
	for j := range w.penalty.bend {
		hess[j*ld+j] *= 1 + w.ease
	}
	if w.penalty.free {
		hess[d*ld+d] += w.ground(hess[d*ld+d])
	}
	factorize(&m.factor)
	m.factor.Solve(w.step)
}

// ground returns a small addition to the second derivative in a free intercept, whose own total may
// be zero.
func (w *newton) ground(total float64) float64 {
	if total > 0 {
		return groundPart * total
	}
	return groundAlone * w.terms.curvature(w.width)
}
