package sums

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// Products adds weighted products of samples' columns, Σ_i c_i x_i x_iᵀ, to a matrix;
// coefficients may have either sign. It takes the samples in panels that stay in the cache
// and starts no goroutines.
type Products struct {
	sum    []float64 // ld x ld, lower triangle: of the panels since the last Flush
	panel  []float64 // panelRows x ld: samples
	scaled []float64 // panelRows x ld: samples times their coefficients
	rows   int       // samples in the panel
	width  int       // entries of each
	any    bool      // sum has panels
}

// panelRows is how many samples are taken together.
const panelRows = 32

// NewProducts returns products of samples of up to p columns.
func NewProducts(p int) *Products {
	ld := kernel.Pad(p)
	return &Products{sum: zeros(ld * ld), panel: zeros(panelRows * ld), scaled: zeros(panelRows * ld)}
}

// Add takes one more sample: its k columns x and its coefficient. Diag, of length k,
// takes Σ |c| x². All samples up to the next Flush have the same k.
func (w *Products) Add(diag, x []float64, c float64) {
	w.Push(x, c)
	kernel.AxpyTimes(math.Abs(c), x, x, diag)
}

// Push is Add without the diagonal.
func (w *Products) Push(x []float64, c float64) {
	k, ld := len(x), kernel.Pad(len(x))
	if k != w.width {
		w.width = k
		clear(w.panel) // what pads the rows
		clear(w.scaled)
	}
	row, scaled := w.panel[w.rows*ld:][:k], w.scaled[w.rows*ld:][:k]
	copy(row, x)
	kernel.ScaleTo(scaled, c, x)
	if w.rows++; w.rows == panelRows {
		w.gram()
	}
}

// gram adds the panel to the sum.
func (w *Products) gram() {
	ld := kernel.Pad(w.width)
	kernel.GramAdd(w.sum, ld, ld, w.scaled, w.panel, w.rows)
	w.rows, w.any = 0, true
}

// Flush adds the samples since the last Flush to the upper triangle of the k x k matrix
// dst.
func (w *Products) Flush(dst []float64) {
	if w.rows > 0 {
		w.gram()
	}
	if !w.any {
		return
	}
	k, ld := w.width, kernel.Pad(w.width)
	for r := range k {
		for q := r; q < k; q++ {
			dst[r*k+q] += w.sum[q*ld+r]
		}
	}
	clear(w.sum[:ld*ld])
	w.any = false
}

// productSums is H's part Σ m ∂φ/∂u x xᵀ, which costs O(n k²) where all other sums cost
// O(n k). So it keeps the slope that each sample is in it with, and only samples whose
// slope has changed are added: behind an event that is one.
type productSums struct {
	products *Products
	columns  []int     // the active coordinates
	known    bool      // there are sums
	held     []float64 // m ∂φ/∂u of each slot in sum
	sum      []float64 // k x k, upper triangle: Σ held x xᵀ
	diags    []float64 // k: Σ |held| x², as it was when sum was last taken anew, and more
	added    int       // samples added to sum since then
	changed  []int     // scratch: the slots of samples to be added
}

func newProductSums(n, p int) productSums {
	return productSums{products: NewProducts(p), held: zeros(n), sum: zeros(p * p), diags: zeros(p), changed: make([]int, 0, n)}
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
