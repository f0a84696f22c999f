package dense

import (
	"github.com/agepath/agepath/internal/kernel"
)

// Products adds Σ_i c_i x_i x_iᵀ over samples to a matrix, in panels that stay in the cache.
type Products struct {
	sum    []float64 // lower triangle: the panels since the last Flush
	panel  []float64
	scaled []float64
	rows   int
	width  int
	any    bool
}

const panelRows = 32

// NewProducts is for samples of up to p columns.
func NewProducts(p int) *Products {
	ld := kernel.Pad(p)
	return &Products{sum: make([]float64, ld*ld), panel: make([]float64, panelRows*ld), scaled: make([]float64, panelRows*ld)}
}

// Add adds a sample, of one length until the next Flush.
func (w *Products) Add(x []float64, c float64) {
	k, ld := len(x), kernel.Pad(len(x))
	if k != w.width {
		w.width = k
		clear(w.panel) // the padding of the rows
		clear(w.scaled)
	}
	copy(w.panel[w.rows*ld:], x)
	kernel.ScaleTo(w.scaled[w.rows*ld:][:k], c, x)
	if w.rows++; w.rows == panelRows {
		w.gram()
	}
}

func (w *Products) gram() {
	ld := kernel.Pad(w.width)
	kernel.GramAdd(w.sum, ld, ld, w.scaled, w.panel, w.rows)
	w.rows, w.any = 0, true
}

// Flush adds the samples since the last one to the upper triangle of the k x k matrix dst.
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
