package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"github.com/agepath/agepath/internal/kernel"
)

// primalHessian solves in R^d. Eliminating the intercept centers the features
// by their means under the curvatures.
type primalHessian struct {
	rows      *rows
	intercept bool
	mean      []float64        // d, 0 without an intercept
	total     float64          // sum of the curvatures
	panel     []float64        // panelRows samples, centered, times the roots of their curvatures
	matrix    blas64.Symmetric // d x d, lower triangle; after factor its Cholesky factor
}

// panelRows is how many samples are added to the Hessian together.
const panelRows = 64

func newPrimalHessian(p *rows, intercept bool) *primalHessian {
	return &primalHessian{
		rows: p, intercept: intercept, mean: make([]float64, p.d), panel: make([]float64, panelRows*p.stride),
		matrix: blas64.Symmetric{Uplo: blas.Lower, N: p.d, Stride: max(1, p.stride), Data: make([]float64, p.stride*p.stride)},
	}
}

func newSymmetric(n int) blas64.Symmetric {
	return blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: max(1, n), Data: make([]float64, n*n)}
}

func (h *primalHessian) factor(curvature []float64) bool {
	h.total = 0
	for _, c := range curvature {
		h.total += c
	}
	if h.intercept {
		if !(h.total > 0) {
			return false
		}
		clear(h.mean)
		h.rows.correlate(h.mean, curvature)
		kernel.ScaleTo(h.mean, 1/h.total, h.mean)
	}
	h.addProducts(curvature)
	for j := range h.matrix.N {
		row := h.matrix.Data[j*h.matrix.Stride:][:j+1]
		if h.intercept && row[j] <= constant*constant*h.mean[j]*h.mean[j]*h.total {
			h.drop(j)
		}
		row[j]++
	}
	return cholesky(h.matrix)
}

// addProducts sums the Hessian of the losses.
func (h *primalHessian) addProducts(curvature []float64) {
	clear(h.matrix.Data)
	d, ld, count := h.rows.d, h.rows.stride, 0
	flush := func() {
		kernel.GramAdd(h.matrix.Data, ld, ld, h.panel, h.panel, count)
		count = 0
	}
	for i, c := range curvature {
		root := math.Sqrt(c)
		if !(root > 0) {
			continue
		}
		row := h.panel[count*ld:][:d]
		kernel.ScaleTo(row, root, h.rows.row(i))
		if h.intercept {
			kernel.Axpy(-root, h.mean, row)
		}
		if count++; count == panelRows {
			flush()
		}
	}
	flush()
}

// drop clears the products of feature j, which is constant up to rounding.
func (h *primalHessian) drop(j int) {
	ld := h.matrix.Stride
	clear(h.matrix.Data[j*ld:][:j+1])
	for i := j; i < h.matrix.N; i++ {
		h.matrix.Data[i*ld+j] = 0
	}
}

func (h *primalHessian) solve(dst *point, rhs point) {
	copy(dst.w, rhs.w)
	kernel.Axpy(-rhs.b, h.mean, dst.w)
	solveCholesky(h.matrix, dst.w)
	dst.b = 0
	if h.intercept {
		dst.b = rhs.b/h.total - kernel.Dot(h.mean, dst.w)
	}
}

// kernelHessian solves in R^n with the products K = XXᵀ of the samples: by the
// Woodbury identity, with the roots R of the curvatures,
//
//	(I + XᵀR²X)⁻¹ = I - XᵀR B⁻¹ RX,    B = I + RKR,
//
// where B is well conditioned (Rasmussen and Williams, Gaussian Processes for
// Machine Learning, section 3.4.3).
type kernelHessian struct {
	rows      *rows
	intercept bool
	products  []float64 // n x n, lower triangle
	sample    []int     // the m samples of positive curvature
	root      []float64 // m
	matrix    blas64.Symmetric
	inverse   []float64 // m, B⁻¹ root
	z         []float64 // m
	score     []float64 // n
}

func newKernelHessian(p *rows, intercept bool) *kernelHessian {
	h := &kernelHessian{
		rows: p, intercept: intercept, sample: make([]int, 0, p.n), root: make([]float64, 0, p.n),
		matrix: newSymmetric(p.n), inverse: make([]float64, p.n), z: make([]float64, p.n), score: make([]float64, p.n),
	}
	products := newSymmetric(p.n)
	if p.n > 0 {
		x := blas64.General{Rows: p.n, Cols: p.d, Stride: max(1, p.stride), Data: p.data}
		blas64.Syrk(blas.NoTrans, 1, x, 0, products)
	}
	h.products = products.Data
	return h
}

func (h *kernelHessian) factor(curvature []float64) bool {
	h.sample, h.root = h.sample[:0], h.root[:0]
	for i, c := range curvature {
		if root := math.Sqrt(c); root > 0 {
			h.sample = append(h.sample, i)
			h.root = append(h.root, root)
		}
	}
	m := len(h.sample)
	if m == 0 {
		return !h.intercept
	}
	h.matrix.N, h.matrix.Stride = m, m
	for k, i := range h.sample {
		row, products := h.matrix.Data[k*m:][:k+1], h.products[i*h.rows.n:]
		for l, j := range h.sample[:k+1] {
			row[l] = h.root[k] * h.root[l] * products[j]
		}
		row[k]++
	}
	if !cholesky(h.matrix) {
		return false
	}
	h.inverse, h.z = h.inverse[:m], h.z[:m]
	copy(h.inverse, h.root)
	solveCholesky(h.matrix, h.inverse)
	return true
}

func (h *kernelHessian) solve(dst *point, rhs point) {
	copy(dst.w, rhs.w)
	dst.b = 0
	if len(h.sample) == 0 {
		return
	}
	h.rows.predict(h.score, rhs.w, 0)
	for k, i := range h.sample {
		h.z[k] = h.root[k] * h.score[i]
	}
	solveCholesky(h.matrix, h.z)
	if h.intercept {
		root := vector(h.root)
		dst.b = (rhs.b - blas64.Dot(root, vector(h.z))) / blas64.Dot(root, vector(h.inverse))
		blas64.Axpy(dst.b, vector(h.inverse), vector(h.z))
	}
	clear(h.score)
	for k, i := range h.sample {
		h.score[i] = -h.root[k] * h.z[k]
	}
	h.rows.correlate(dst.w, h.score)
}

// cholesky replaces the lower triangle of a by its Cholesky factor and reports
// whether a is positive definite. It goes by blocks as LAPACK's dpotrf does,
// but does not allocate or start goroutines, which gonum's does for its matrix
// products: workers already fill the cores.
func cholesky(a blas64.Symmetric) bool {
	const width = 64
	for k := 0; k < a.N; k += width {
		b := min(width, a.N-k)
		corner := a.Data[k*a.Stride+k:]
		if !(lapack.Implementation{}).Dpotf2(blas.Lower, b, corner, a.Stride) {
			return false
		}
		rest := a.N - k - b
		if rest == 0 {
			break
		}
		panel := blas64.General{Rows: rest, Cols: b, Stride: a.Stride, Data: a.Data[(k+b)*a.Stride+k:]}
		blas64.Trsm(blas.Right, blas.Trans, 1, blas64.Triangular{
			Uplo: blas.Lower, Diag: blas.NonUnit, N: b, Stride: a.Stride, Data: corner,
		}, panel)
		blas64.Syrk(blas.NoTrans, -1, panel, 1, blas64.Symmetric{
			Uplo: blas.Lower, N: rest, Stride: a.Stride, Data: a.Data[(k+b)*a.Stride+k+b:],
		})
	}
	return true
}

// solveCholesky replaces x by the solution with the factor in a.
func solveCholesky(a blas64.Symmetric, x []float64) {
	kernel.SolveLower(x[:a.N], a.Data, a.Stride)
	kernel.SolveLowerTrans(x[:a.N], a.Data, a.Stride)
}
