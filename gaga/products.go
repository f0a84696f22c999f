package gaga

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// products adds weighted products of samples' columns, Σ_i c_i x_i x_iᵀ, to a
// matrix; coefficients may have either sign. It takes the samples in panels that
// stay in the cache and starts no goroutines.
type products struct {
	sum    []float64 // ld x ld, lower triangle: of the panels since the last flush
	panel  []float64 // productRows x ld: samples
	scaled []float64 // productRows x ld: samples times their coefficients
	rows   int       // samples in the panel
	width  int       // entries of each
	any    bool      // sum has panels
}

// productRows is how many samples are taken together.
const productRows = 32

func newProducts(p int) *products {
	ld := kernel.Pad(p)
	return &products{
		sum: make([]float64, ld*ld), panel: make([]float64, productRows*ld), scaled: make([]float64, productRows*ld),
	}
}

// add takes one more sample: its k columns x and its coefficient. Diag, of length
// k, takes Σ |c| x². All samples up to the next flush have the same k.
func (w *products) add(diag, x []float64, c float64) {
	w.push(x, c)
	kernel.AxpyTimes(math.Abs(c), x, x, diag)
}

// push is add without the diagonal.
func (w *products) push(x []float64, c float64) {
	k, ld := len(x), kernel.Pad(len(x))
	if k != w.width {
		w.width = k
		clear(w.panel) // what pads the rows
		clear(w.scaled)
	}
	row, scaled := w.panel[w.rows*ld:][:k], w.scaled[w.rows*ld:][:k]
	copy(row, x)
	kernel.ScaleTo(scaled, c, x)
	if w.rows++; w.rows == productRows {
		w.gram()
	}
}

// gram adds the panel to the sum.
func (w *products) gram() {
	ld := kernel.Pad(w.width)
	kernel.GramAdd(w.sum, ld, ld, w.scaled, w.panel, w.rows)
	w.rows, w.any = 0, true
}

// flush adds the samples since the last flush to the upper triangle of the k x k
// matrix dst.
func (w *products) flush(dst []float64) {
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
