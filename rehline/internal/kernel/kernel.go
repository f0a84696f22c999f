// Package kernel holds the inner loops of rehline: products with a row-major
// matrix and the Gram matrix of a panel.
package kernel

// Width is the multiple that leading dimensions of panels and Gram matrices
// are rounded up to.
const Width = 8

// Pad rounds n up to a multiple of Width.
func Pad(n int) int { return (n + Width - 1) / Width * Width }

// Dot returns x·y; both have the same length.
func Dot(x, y []float64) float64 { return dotGo(x, y) }

// Axpy adds a x to y; both have the same length.
func Axpy(a float64, x, y []float64) { axpyGo(a, x, y) }

// MulVec sets dst_i to row i of x times v. Row i is x[i*stride:][:len(v)].
func MulVec(dst, x []float64, stride int, v []float64) { mulVecGo(dst, x, stride, v) }

// MulTransAdd adds Σ_i a_i (row i of x) to w. Row i is x[i*stride:][:len(w)].
func MulTransAdd(w, x []float64, stride int, a []float64) { mulTransAddGo(w, x, stride, a) }

// GramAdd adds PᵀP to the lower triangle of h, where P is the panel of the
// given rows and both have the leading dimension ld, a multiple of Width; what
// is above the diagonal may be overwritten.
func GramAdd(h []float64, ld int, p []float64, rows int) { gramAddGo(h, ld, p, rows) }
