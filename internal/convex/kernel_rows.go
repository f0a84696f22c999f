package convex

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

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

// AddBoth adds two such sums, reading each row once.
func (r *KernelRows) AddBoth(dst, other []float64, sample []int, coefficient, with []float64) {
	g := r.gram
	const four = 4
	var rows [four][]float64
	for k := 0; k < len(sample); k += four {
		end := min(k+four, len(sample))
		if end-k == four && g.keeps(&rows, sample[k:end]) {
			kernel.Axpy4Both((*[four]float64)(coefficient[k:]), (*[four]float64)(with[k:]), &rows, dst, other)
			continue
		}
		g.Accumulate(dst, sample[k:end], coefficient[k:end])
		g.Accumulate(other, sample[k:end], with[k:end])
	}
}
