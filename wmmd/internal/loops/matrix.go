package loops

import (
	"unsafe"

	"github.com/agepath/agepath/internal/kernel"
)

// MulAdd is [kernel.MulAdd].
func MulAdd[T Float](c []T, ldc int, a []T, rowA, colA int, b []T, ldb int, m, n, k int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if len(c) < (m-1)*ldc+n || len(a) < (m-1)*rowA+(k-1)*colA+1 || len(b) < (k-1)*ldb+n {
		panic("loops: matrix too short")
	}
	switch {
	case vector && single[T]():
		tiles32.mulAdd(p32(c), ldc, p32(a), rowA, colA, p32(b), ldb, m, n, k)
	case vector:
		tiles64.mulAdd(p64(c), ldc, p64(a), rowA, colA, p64(b), ldb, m, n, k)
	case single[T]():
		mulAddGo(as[float32](c), ldc, as[float32](a), rowA, colA, as[float32](b), ldb, m, n, k)
	default:
		kernel.MulAdd(as[float64](c), ldc, as[float64](a), rowA, colA, as[float64](b), ldb, m, n, k)
	}
}

func as[U, T Float](x []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

func p32[T Float](x []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(x))) }
func p64[T Float](x []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(x))) }

const tileRows = 4

// tiles are the loops of products of matrices: for tiles of four rows or one.
type tiles[T Float] struct {
	lanes     int
	tile, row func(c, a, b *T, ldc, rowA, colA, ldb, k int) // two vectors wide
	// At most lanes wide.
	tileTail, rowTail func(c, a, b *T, ldc, rowA, colA, ldb, k, count int)
}

var (
	tiles32 = tiles[float32]{8, tile32AVX2, row32AVX2, tileTail32AVX2, rowTail32AVX2}
	tiles64 = tiles[float64]{4, tile64AVX2, row64AVX2, tileTail64AVX2, rowTail64AVX2}
)

// mulAdd has B's columns in the outer loop: a tile's stay in the L1 cache.
func (t *tiles[T]) mulAdd(c *T, ldc int, a *T, rowA, colA int, b *T, ldb int, m, n, k int) {
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
			switch tall := m-i >= tileRows; {
			case full && tall:
				t.tile(corner, below, right, ldc, rowA, colA, ldb, k)
				i += tileRows
			case tall:
				t.tileTail(corner, below, right, ldc, rowA, colA, ldb, k, width)
				i += tileRows
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

func mulAddGo(c []float32, ldc int, a []float32, rowA, colA int, b []float32, ldb int, m, n, k int) {
	const columns = 16
	var sums [columns]float32
	for i := range m {
		for j := 0; j < n; j += columns {
			width := min(columns, n-j)
			row := sums[:width]
			clear(row)
			for p := range k {
				addScaled(row, b[p*ldb+j:][:width], a[i*rowA+p*colA])
			}
			for l, v := range row {
				c[i*ldc+j+l] += v
			}
		}
	}
}
