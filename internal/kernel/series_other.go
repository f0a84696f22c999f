//go:build !amd64 || purego

package kernel

func (s *PowerSeries) terms(t *PowerTerms, n int) { s.termsGo(t, n) }

// Powers sets dst to the powers x^q of normal numbers x > 0, to a relative error of a few
// roundings times |q ln x|.
func Powers(dst, x []float64, q float64) { powersGo(dst, x, q) }

// PairRows copies the rows of x that index lists, x[i*stride:][:cols], to rows of dst, ld apart,
// and Pad(cols) entries behind their beginnings the products of two entries, of the pairs
// a <= b in the order of a. Up to the end of dst, which is to have 16 entries more, what is between
// and behind may change.
func PairRows(dst []float64, ld int, x []float64, stride, cols int, index []int32) {
	pairRowsGo(dst, ld, x, stride, cols, index)
}

// MulAddRows is [MulAdd] for few rows, a multiple of four.
func MulAddRows(c []float64, ldc int, a []float64, rowA, colA int, b []float64, ldb, m, n, k int) {
	mulAddRowsGo(c, ldc, a, rowA, colA, b, ldb, m, n, k)
}

// ScaleRows sets row i of dst, dst[i*ld:][:cols], to a_i times that of x.
func ScaleRows(dst []float64, ld int, x []float64, stride, cols int, a []float64) {
	scaleRowsGo(dst, ld, x, stride, cols, a)
}
