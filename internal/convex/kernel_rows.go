package convex

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// KernelRows are the rows of a kernel matrix, each computed when it is first asked
// for and kept while there is room. They are not for several goroutines at once.
type KernelRows struct{ gram *kernelMatrix }

// NewKernelRows prepares the rows of the kernel matrix of the rows of x, which must
// not change afterwards; cacheBytes is that of [SVMOptions].
func NewKernelRows(x blas64.General, kernel Kernel, cacheBytes int64) *KernelRows {
	if kernel.translationInvariant() {
		x, _ = Centred(x)
	}
	options := SVMOptions{CacheBytes: cacheBytes}.withDefaults(x.Rows)
	return &KernelRows{newGram(kernel, NewPoints(x), nil, options.CacheBytes)}
}

// KernelRows returns those of the solver, shared with it.
func (s *SVM) KernelRows() *KernelRows { return &KernelRows{s.dual.gram} }

// Row returns the kernel of row i with all n. It stays valid until the next call for
// another row, or, where n rows fit into the cache, for good.
func (r *KernelRows) Row(i int) []float64 { return r.gram.row(i) }

// Diagonal returns the kernel of each row with itself, as the rows have it; it is the
// matrix's own.
func (r *KernelRows) Diagonal() []float64 { return r.gram.diagonal }

// Add adds the sum of coefficient_k times the kernel of row sample_k with all n to
// dst, of length n.
func (r *KernelRows) Add(dst []float64, sample []int, coefficient []float64) {
	r.gram.Accumulate(dst, sample, coefficient)
}

// AddBoth adds two such sums of the same rows, each of which is read from memory once.
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
