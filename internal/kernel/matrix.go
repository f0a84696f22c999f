package kernel

import (
	"unsafe"
)

// MulAdd adds A B to the m x n matrix C. Row i of C is c[i*ldc:], row i of the k x n matrix B is
// b[i*ldb:]. Entry (i, j) of A is a[i*rowA+j*colA]: a transposed matrix needs no copy. The sum over
// k is in order and added to C once.
func MulAdd(c []float64, ldc int, a []float64, rowA, colA int, b []float64, ldb int, m, n, k int) {
	switch {
	case !IsProduct(len(c), ldc, len(a), rowA, colA, len(b), ldb, m, n, k):
	case vector:
		tiles.MulAdd(&c[0], ldc, &a[0], rowA, colA, &b[0], ldb, m, n, k)
	default:
		mulAddGo(c, ldc, a, rowA, colA, b, ldb, m, n, k)
	}
}

// IsProduct returns false for an empty product, and panics if a slice is too short for it.
func IsProduct(c, ldc, a, rowA, colA, b, ldb, m, n, k int) bool {
	if m == 0 || n == 0 || k == 0 {
		return false
	}
	if c < (m-1)*ldc+n || a < (m-1)*rowA+(k-1)*colA+1 || b < (k-1)*ldb+n {
		panic("kernel: matrix too short")
	}
	return true
}

const tileRows = 4

// Tiles are the loops of products of matrices: for tiles of four rows or one.
type Tiles[T float32 | float64] struct {
	Lanes     int
	Tile, Row func(c, a, b *T, ldc, rowA, colA, ldb, k int) // two vectors wide
	// At most Lanes wide.
	TileTail, RowTail func(c, a, b *T, ldc, rowA, colA, ldb, k, count int)
}

// MulAdd has B's columns in the outer loop: a tile's stay in the L1 cache.
func (t *Tiles[T]) MulAdd(c *T, ldc int, a *T, rowA, colA int, b *T, ldb int, m, n, k int) {
	size := unsafe.Sizeof(T(0))
	at := func(p *T, i int) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), i*int(size))) }
	for j := 0; j < n; {
		left := n - j
		full := left >= 2*t.Lanes
		width := 2 * t.Lanes
		if !full {
			width = min(left, t.Lanes)
		}
		right := at(b, j)
		for i := 0; i < m; {
			corner, below := at(c, i*ldc+j), at(a, i*rowA)
			switch tall := m-i >= tileRows; {
			case full && tall:
				t.Tile(corner, below, right, ldc, rowA, colA, ldb, k)
				i += tileRows
			case tall:
				t.TileTail(corner, below, right, ldc, rowA, colA, ldb, k, width)
				i += tileRows
			case full:
				t.Row(corner, below, right, ldc, rowA, colA, ldb, k)
				i++
			default:
				t.RowTail(corner, below, right, ldc, rowA, colA, ldb, k, width)
				i++
			}
		}
		j += width
	}
}

var tiles = Tiles[float64]{4, tile64AVX2, row64AVX2, tileTail64AVX2, rowTail64AVX2}

func mulAddGo(c []float64, ldc int, a []float64, rowA, colA int, b []float64, ldb int, m, n, k int) {
	const columns = 16
	var sums [columns]float64
	for i := range m {
		for j := 0; j < n; j += columns {
			width := min(columns, n-j)
			row := sums[:width]
			clear(row)
			for p := range k {
				axpyGo(a[i*rowA+p*colA], b[p*ldb+j:][:width], row)
			}
			for l, v := range row {
				c[i*ldc+j+l] += v
			}
		}
	}
}
