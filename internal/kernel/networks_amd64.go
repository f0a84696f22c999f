//go:build !purego

package kernel

import "unsafe"

func p32[T Float](x []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(x))) }
func p64[T Float](x []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(x))) }

// tiling is the tiles of an instruction set and a precision.
type tiling[T Float] struct {
	rows, lanes int
	tile, row   func(c, a, b *T, ldc, rowA, colA, ldb, k int)
	// tileTail and rowTail are for at most lanes columns.
	tileTail, rowTail func(c, a, b *T, ldc, rowA, colA, ldb, k, count int)
}

var (
	wide32 = tiling[float32]{8, 16, tile32AVX512, row32AVX512, tileTail32AVX512, rowTail32AVX512}
	wide64 = tiling[float64]{8, 8, tile64AVX512, row64AVX512, tileTail64AVX512, rowTail64AVX512}
	half32 = tiling[float32]{4, 8, tile32AVX2, row32AVX2, tileTail32AVX2, rowTail32AVX2}
	half64 = tiling[float64]{4, 4, tile64AVX2, row64AVX2, tileTail64AVX2, rowTail64AVX2}
)

func mulAdd[T Float](c []T, ldc int, a []T, rowA, colA int, b []T, ldb int, m, n, k int) {
	switch {
	case level == plain:
		mulAddGo(c, ldc, a, rowA, colA, b, ldb, m, n, k)
	case single[T]() && level == avx512:
		wide32.mulAdd(p32(c), ldc, p32(a), rowA, colA, p32(b), ldb, m, n, k)
	case single[T]():
		half32.mulAdd(p32(c), ldc, p32(a), rowA, colA, p32(b), ldb, m, n, k)
	case level == avx512:
		wide64.mulAdd(p64(c), ldc, p64(a), rowA, colA, p64(b), ldb, m, n, k)
	default:
		half64.mulAdd(p64(c), ldc, p64(a), rowA, colA, p64(b), ldb, m, n, k)
	}
}

// mulAdd goes over the columns of B on the outside: those of a tile stay in the
// nearest cache for all rows of A.
func (t *tiling[T]) mulAdd(c *T, ldc int, a *T, rowA, colA int, b *T, ldb int, m, n, k int) {
	size := unsafe.Sizeof(T(0))
	at := func(p *T, i int) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), i*int(size))) }
	for j := 0; j < n; {
		left := n - j
		full := left >= 2*t.lanes
		width := 2 * t.lanes
		if !full {
			width = min(left, t.lanes)
		}
		right := at(b, j)
		for i := 0; i < m; {
			corner, below := at(c, i*ldc+j), at(a, i*rowA)
			switch tall := m-i >= t.rows; {
			case full && tall:
				t.tile(corner, below, right, ldc, rowA, colA, ldb, k)
				i += t.rows
			case tall:
				t.tileTail(corner, below, right, ldc, rowA, colA, ldb, k, width)
				i += t.rows
			case full:
				t.row(corner, below, right, ldc, rowA, colA, ldb, k)
				i++
			default:
				t.rowTail(corner, below, right, ldc, rowA, colA, ldb, k, width)
				i++
			}
		}
		j += width
	}
}

// Sigmoid sets dst to 1/(1 + exp(-x)), entry by entry. Both may be the same slice.
func Sigmoid[T Float](dst, x []T) {
	n := len(x)
	if n == 0 {
		return
	}
	dst = dst[:n]
	switch {
	case level == plain:
		sigmoidGo(dst, x)
	case single[T]() && level == avx512:
		sigmoid32AVX512(p32(dst), p32(x), n)
	case single[T]():
		sigmoid32AVX2(p32(dst), p32(x), n)
	case level == avx512:
		sigmoid64AVX512(p64(dst), p64(x), n)
	default:
		sigmoid64AVX2(p64(dst), p64(x), n)
	}
}

// Tanh sets dst to the hyperbolic tangents of x, with an absolute error within a few
// roundings of 1. Both may be the same slice.
func Tanh[T Float](dst, x []T) {
	n := len(x)
	if n == 0 {
		return
	}
	dst = dst[:n]
	switch {
	case level == plain:
		tanhGo(dst, x)
	case single[T]() && level == avx512:
		tanh32AVX512(p32(dst), p32(x), n)
	case single[T]():
		tanh32AVX2(p32(dst), p32(x), n)
	case level == avx512:
		tanh64AVX512(p64(dst), p64(x), n)
	default:
		tanh64AVX2(p64(dst), p64(x), n)
	}
}

// Adam makes a step of Adam: it updates the means of gradients g and of their squares,
// and the parameters p by them.
func Adam[T Float](p, g, mean, square []T, by *AdamStep[T]) {
	n := len(g)
	if n == 0 {
		return
	}
	p, mean, square = p[:n], mean[:n], square[:n]
	by32, by64 := (*[7]float32)(unsafe.Pointer(by)), (*[7]float64)(unsafe.Pointer(by))
	switch {
	case level == plain:
		adamGo(p, g, mean, square, by)
	case single[T]() && level == avx512:
		adam32AVX512(p32(p), p32(g), p32(mean), p32(square), n, by32)
	case single[T]():
		adam32AVX2(p32(p), p32(g), p32(mean), p32(square), n, by32)
	case level == avx512:
		adam64AVX512(p64(p), p64(g), p64(mean), p64(square), n, by64)
	default:
		adam64AVX2(p64(p), p64(g), p64(mean), p64(square), n, by64)
	}
}

// Distances sets dst_j to the squared distance of a point from column j of x, whose
// row k, x[k*stride:][:len(dst)], has the columns' k-th entries. The distance of a from b is
// that of b from a, bit for bit.
func Distances(dst, x []float64, stride int, point []float64) {
	rows(x, len(point), stride, len(dst))
	switch {
	case len(dst) == 0:
	case level == plain || len(point) == 0:
		distancesGo(dst, x, stride, point)
	case level == avx512:
		distancesAVX512(&dst[0], &x[0], stride, len(dst), &point[0], len(point))
	default:
		distancesAVX2(&dst[0], &x[0], stride, len(dst), &point[0], len(point))
	}
}

// Gauss sets dst to (a s + b t) exp(-gamma d), entry by entry, and returns the sum.
// Exponents below -708 count as -708.
func Gauss(dst, d, s, t []float64, a, b, gamma float64) float64 {
	n := len(d)
	if n == 0 {
		return 0
	}
	dst, s, t = dst[:n], s[:n], t[:n]
	switch level {
	case avx512:
		return gaussAVX512(&dst[0], &d[0], &s[0], &t[0], n, a, b, gamma)
	case avx2:
		return gaussAVX2(&dst[0], &d[0], &s[0], &t[0], n, a, b, gamma)
	}
	return gaussGo(dst, d, s, t, a, b, gamma)
}

// Between writes the indices of the numbers d with lo <= d < hi to index, which has 8
// entries more than there are numbers, and returns how many, and the weights w of those
// below lo.
func Between(index []int32, d, w []float64, lo, hi float64) (count int, below float64) {
	n := len(d)
	if level != avx512 || n == 0 {
		return betweenGo(index, d, w, lo, hi)
	}
	w, index = w[:n], index[:n+8]
	return betweenAVX512(&d[0], &w[0], n, lo, hi, &index[0])
}
