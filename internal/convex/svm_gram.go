package convex

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// kernelMatrix is K of the training rows, with SVMOptions.Diagonal. It caches rows that
// fit, by the clock algorithm.
type kernelMatrix struct {
	kernel   Kernel
	points   Points
	n        int
	diagonal []float64
	extra    []float64 // added to the diagonal; may be nil

	rows     [][]float64 // nil if not kept
	kept     []int
	capacity int
	used     []bool // since hand, a place in kept, went by
	hand     int

	once []float64
	list []int
	coef []float64
	// Closed on cancellation: long sums stop, and the caller must discard them.
	done <-chan struct{}
}

func newGram(kernel Kernel, points Points, extra []float64, bytes int64) *kernelMatrix {
	n := points.X.Rows
	g := &kernelMatrix{
		kernel:   kernel,
		points:   points,
		n:        n,
		diagonal: make([]float64, n),
		extra:    extra,
		rows:     make([][]float64, n),
		used:     make([]bool, n),
		capacity: n,
	}
	kernel.Diagonal(g.diagonal, points)
	if extra != nil {
		blas64.Axpy(1, vector(extra), vector(g.diagonal))
	}
	if fit := bytes / int64(8*max(1, n)); fit < int64(n) {
		const least = 16
		g.capacity = min(n, max(least, int(fit)))
		g.once = make([]float64, n)
	}
	return g
}

// row is valid until another row is computed.
func (g *kernelMatrix) row(i int) []float64 {
	if row := g.rows[i]; row != nil {
		g.used[i] = true
		return row
	}
	var row []float64
	if len(g.kept) < g.capacity {
		row, g.kept = make([]float64, g.n), append(g.kept, i)
	} else {
		for g.used[g.kept[g.hand]] {
			g.used[g.kept[g.hand]] = false
			g.hand = (g.hand + 1) % g.capacity
		}
		row, g.rows[g.kept[g.hand]] = g.rows[g.kept[g.hand]], nil
		g.kept[g.hand] = i
		g.hand = (g.hand + 1) % g.capacity
	}
	g.rows[i] = row
	g.compute(row, i)
	return row
}

func (g *kernelMatrix) compute(dst []float64, i int) {
	g.kernel.Block(blas64.General{Rows: 1, Cols: g.n, Stride: g.n, Data: dst}, g.points.rows(i, i+1), g.points)
	if g.extra != nil {
		dst[i] += g.extra[i]
	}
}

func (g *kernelMatrix) Diagonal(i int) float64 { return g.diagonal[i] }

func (g *kernelMatrix) Gather(dst []float64, i int, list []int) {
	row := g.row(i)
	for k, j := range list {
		dst[k] = row[j]
	}
}

// Accumulate adds Σ_k coefficient_k K_{list_k} to dst, incompletely if done is closed.
func (g *kernelMatrix) Accumulate(dst []float64, list []int, coefficient []float64) {
	var rows [4][]float64
	var by [4]float64
	waiting := 0
	for k, i := range list {
		if coefficient[k] == 0 {
			continue
		}
		if g.rows[i] != nil || len(g.kept) < g.capacity {
			by[waiting], rows[waiting] = coefficient[k], g.row(i)
			if waiting++; waiting == len(rows) {
				kernel.Axpy4(&by, &rows, dst)
				waiting = 0
			}
			continue
		}
		select {
		case <-g.done:
			return
		default:
		}
		// Keeping it would evict a row that this sum may need.
		g.compute(g.once, i)
		kernel.Axpy(coefficient[k], g.once, dst)
	}
	for k := range waiting {
		kernel.Axpy(by[k], rows[k], dst)
	}
}

func (g *kernelMatrix) Evaluate(dst, beta []float64) {
	clear(dst)
	g.collect(beta)
	g.Accumulate(dst, g.list, g.coef)
}

// Current implements [activeset.Matrix]: sums are always current.
func (g *kernelMatrix) Current([]float64, []int) {}

func (g *kernelMatrix) collect(beta []float64) {
	g.list, g.coef = g.list[:0], g.coef[:0]
	for i, v := range beta {
		if v != 0 {
			g.list, g.coef = append(g.list, i), append(g.coef, v)
		}
	}
}

func vector(x []float64) blas64.Vector {
	return blas64.Vector{N: len(x), Inc: 1, Data: x}
}

// KernelRows computes and caches rows of a kernel matrix. Not safe for concurrent use.
type KernelRows struct{ gram *kernelMatrix }

// NewKernelRows keeps x, which must not change; cacheBytes is as in [SVMOptions].
func NewKernelRows(x blas64.General, kernel Kernel, cacheBytes int64) *KernelRows {
	if kernel.translationInvariant() {
		x, _ = Centred(x)
	}
	options := SVMOptions{CacheBytes: cacheBytes}.withDefaults(x.Rows)
	return &KernelRows{newGram(kernel, NewPoints(x), nil, options.CacheBytes)}
}

// KernelRows returns the solver's own rows.
func (s *SVM) KernelRows() *KernelRows { return &KernelRows{s.dual.gram} }

// Row is valid until the next call for another row or, if all rows fit into the cache, forever.
func (r *KernelRows) Row(i int) []float64 { return r.gram.row(i) }

// Diagonal returns the matrix's own slice; do not modify it.
func (r *KernelRows) Diagonal() []float64 { return r.gram.diagonal }

// Add adds Σ_k coefficient_k times row sample_k to dst.
func (r *KernelRows) Add(dst []float64, sample []int, coefficient []float64) {
	r.gram.Accumulate(dst, sample, coefficient)
}
