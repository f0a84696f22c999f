package gaga

import (
	"gonum.org/v1/gonum/blas/blas64"
)

// products adds weighted products of samples' columns, Σ_i c_i x_i x_iᵀ, to a
// matrix. It takes the samples in blocks that stay in the cache, column by
// column, so that each entry is a scalar product of two long rows; coefficients
// may have either sign. It starts no goroutines.
type products struct {
	column []float64 // k x block: the block's columns
	scaled []float64 // block: one column times the coefficients
	factor []float64 // block: the coefficients
	used   int       // samples in the block
}

// productBlock is how many samples are taken together.
const productBlock = 248

func newProducts(p int) *products {
	return &products{
		column: make([]float64, p*productBlock), scaled: make([]float64, productBlock), factor: make([]float64, productBlock),
	}
}

// add takes one more sample: its k columns x and its coefficient. dst is
// k x k, its upper triangle is filled; diag, of length k, takes Σ |c| x².
func (w *products) add(dst, diag, x []float64, c float64) {
	for r, v := range x {
		w.column[r*productBlock+w.used] = v
	}
	w.factor[w.used] = c
	if w.used++; w.used == productBlock {
		w.flush(dst, diag)
	}
}

// flush adds what is left in the block.
func (w *products) flush(dst, diag []float64) {
	m, k := w.used, len(diag)
	w.used = 0
	if m == 0 {
		return
	}
	factor, scaled := w.factor[:m], w.scaled[:m]
	for r := range k {
		column := w.column[r*productBlock:][:m]
		var magnitude float64
		for s, x := range column {
			y := factor[s] * x
			scaled[s] = y
			if y *= x; y < 0 {
				y = -y
			}
			magnitude += y
		}
		diag[r] += magnitude
		row := dst[r*k : (r+1)*k]
		a := blas64.Vector{N: m, Inc: 1, Data: scaled}
		for q := r; q < k; q++ {
			row[q] += blas64.Dot(a, blas64.Vector{N: m, Inc: 1, Data: w.column[q*productBlock:][:m]})
		}
	}
}
