package sums

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// productSums is H's part Σ m ∂φ/∂u x xᵀ, which costs O(n k²), all other sums O(n k). It adds only
// samples whose slope has changed: after an event, one.
type productSums struct {
	products *dense.Products
	columns  []int
	known    bool
	held     []float64 // m ∂φ/∂u of each slot
	sum      []float64 // upper triangle: Σ held x xᵀ
	diags    []float64 // Σ |held| x² at the last recomputation, plus additions
	added    int
}

// update recomputes the sum if most slopes have changed, and before rounding accumulates.
func (h *productSums) update(s *Scope, slopes []float64) {
	k := len(s.Active)
	anew, changed, weighed, total := !h.known || !slices.Equal(h.columns, s.Active), 0, 0, 0.0
	for slot, slope := range slopes {
		size := math.Abs(slope)
		if total += size; size > 0 {
			weighed++
		}
		if !(math.Abs(slope-h.held[slot]) <= tolerance.Roundoff*size) {
			if changed++; 2*changed > len(slopes) {
				break
			}
		}
	}
	// A difference cannot remove a NaN from a sum.
	if anew || 2*changed > weighed || h.added > len(slopes) || math.IsNaN(total) || math.IsInf(total, 0) {
		h.renew(s, slopes)
		return
	}
	h.added += changed
	for slot, slope := range slopes {
		if off := slope - h.held[slot]; !(math.Abs(off) <= tolerance.Roundoff*math.Abs(slope)) {
			x := s.Rows[slot*k : (slot+1)*k]
			h.products.Add(x, off)
			kernel.AxpyTimes(math.Abs(off), x, x, h.diags[:k])
			h.held[slot] = slope
		}
	}
	h.products.Flush(h.sum[:k*k])
}

func (h *productSums) renew(s *Scope, slopes []float64) {
	k := len(s.Active)
	h.known, h.columns, h.added = true, append(h.columns[:0], s.Active...), 0
	copy(h.held, slopes)
	sum, diags := h.sum[:k*k], h.diags[:k]
	clear(sum)
	clear(diags)
	for slot, slope := range slopes {
		x := s.Rows[slot*k : (slot+1)*k]
		if slope != 0 {
			h.products.Add(x, slope)
		}
		if slope < 0 { // the sum has the others
			kernel.AxpyTimes(-2*slope, x, x, diags)
		}
	}
	h.products.Flush(sum)
	for r := range diags {
		diags[r] += sum[r*k+r]
	}
}
