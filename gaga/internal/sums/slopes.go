package sums

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// productSums is H's part Σ m ∂φ/∂u x xᵀ, which costs O(n k²) where all other sums cost
// O(n k). So it keeps the slope that each sample is in it with, and only samples whose
// slope has changed are added: behind an event that is one.
type productSums struct {
	products *dense.Products
	columns  []int     // the active coordinates
	known    bool      // there are sums
	held     []float64 // m ∂φ/∂u of each slot in sum
	sum      []float64 // k x k, upper triangle: Σ held x xᵀ
	diags    []float64 // k: Σ |held| x², as it was when sum was last taken anew, and more
	added    int       // samples added to sum since then
	changed  []int     // scratch: the slots of samples to be added
}

func newProductSums(n, p int) productSums {
	return productSums{products: dense.NewProducts(p), held: zeros(n), sum: zeros(p * p), diags: zeros(p), changed: make([]int, 0, n)}
}

// update makes the sum that of the given slopes of the watched samples. It takes the sum
// anew where most of them have changed, and before rounding adds up.
func (h *productSums) update(s *Scope, slopes []float64) {
	k := len(s.Active)
	anew, weighed := !h.known || !slices.Equal(h.columns, s.Active), 0
	h.changed = h.changed[:0]
	for slot, slope := range slopes {
		if slope != 0 {
			weighed++
		}
		if off := slope - h.held[slot]; !(math.Abs(off) <= tolerance.SlopeChange*math.Abs(slope)) {
			h.changed = append(h.changed, slot)
			anew = anew || math.IsNaN(off) || math.IsInf(off, 0) // no difference takes that out of a sum
		}
	}
	sum, diags := h.sum[:k*k], h.diags[:k]
	if anew || 2*len(h.changed) > weighed || h.added > len(slopes) {
		h.renew(s, slopes)
	} else {
		h.added += len(h.changed)
	}
	for _, slot := range h.changed {
		h.products.Add(diags, s.Rows[slot*k:(slot+1)*k], slopes[slot]-h.held[slot])
		h.held[slot] = slopes[slot]
	}
	h.products.Flush(sum)
}

// renew empties the sum and makes all samples with a slope those to be added.
func (h *productSums) renew(s *Scope, slopes []float64) {
	k := len(s.Active)
	h.known, h.columns, h.added, h.changed = true, append(h.columns[:0], s.Active...), 0, h.changed[:0]
	clear(h.sum[:k*k])
	clear(h.diags[:k])
	clear(h.held[:len(slopes)])
	for slot, slope := range slopes {
		if slope != 0 {
			h.changed = append(h.changed, slot)
		}
	}
}
