//go:build !purego

package kernel

func (s *PowerSeries) terms(t *PowerTerms, n int) {
	if level != avx512 {
		s.termsGo(t, n)
		return
	}
	seriesAVX512(&s.q, &t.R[0], Pad(n)/8)
}

// Powers sets dst to the powers x^q of normal numbers x > 0, to a relative error of a few
// roundings times |q ln x|.
func Powers(dst, x []float64, q float64) {
	if len(x) == 0 {
		return
	}
	dst = dst[:len(x)]
	if level != avx512 {
		powersGo(dst, x, q)
		return
	}
	powersAVX512(&dst[0], &x[0], len(x), q)
}

// PairRows copies the rows of x that index lists, x[i*stride:][:cols], to rows of dst, ld apart,
// and Pad(cols) entries behind their beginnings the products of two entries, of the pairs
// a <= b in the order of a. Up to the end of dst, which is to have 16 entries more, what is between
// and behind may change.
func PairRows(dst []float64, ld int, x []float64, stride, cols int, index []int32) {
	if level != avx512 || cols > 16 || cols == 0 || len(index) == 0 {
		pairRowsGo(dst, ld, x, stride, cols, index)
		return
	}
	for _, i := range index {
		_ = x[int(i)*stride:][:cols]
	}
	_ = dst[(len(index)-1)*ld+Pad(cols)+cols*(cols+1)/2+16-1]
	pairRowsAVX512(&dst[0], ld, &x[0], stride, cols, &index[0], len(index))
}

// MulAddRows is [MulAdd] for few rows, a multiple of four.
func MulAddRows(c []float64, ldc int, a []float64, rowA, colA int, b []float64, ldb, m, n, k int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if m%4 != 0 || len(c) < (m-1)*ldc+n || len(a) < (m-1)*rowA+(k-1)*colA+1 || len(b) < (k-1)*ldb+n {
		panic("kernel: matrix too short")
	}
	switch level {
	case avx512:
		for i := 0; i < m; i += 4 {
			for j := 0; j < n; j += 40 {
				stripAVX512(&c[i*ldc+j], &a[i*rowA], &b[j], ldc, rowA, colA, ldb, min(n-j, 40), k)
			}
		}
	case avx2:
		for i := 0; i < m; i += 4 {
			for j := 0; j < n; j += 12 {
				stripAVX2(&c[i*ldc+j], &a[i*rowA], &b[j], ldc, rowA, colA, ldb, min(n-j, 12), k)
			}
		}
	default:
		mulAddRowsGo(c, ldc, a, rowA, colA, b, ldb, m, n, k)
	}
}

// ScaleRows sets row i of dst, dst[i*ld:][:cols], to a_i times that of x.
func ScaleRows(dst []float64, ld int, x []float64, stride, cols int, a []float64) {
	if level == plain || cols == 0 || len(a) == 0 {
		scaleRowsGo(dst, ld, x, stride, cols, a)
		return
	}
	rows(dst, len(a), ld, cols)
	rows(x, len(a), stride, cols)
	if level == avx512 {
		scaleRowsAVX512(&dst[0], ld, &x[0], stride, cols, &a[0], len(a))
	} else {
		scaleRowsAVX2(&dst[0], ld, &x[0], stride, cols, &a[0], len(a))
	}
}
