package convex

import "gonum.org/v1/gonum/blas/blas64"

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
