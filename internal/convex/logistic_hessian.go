package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// primalHessian solves in R^d. Eliminating the intercept centers the features
// by their means under the curvatures.
type primalHessian struct {
	design    *design
	intercept bool
	scaled    scaled
	matrix    blas64.Symmetric // d x d, lower triangle; after factor its Cholesky factor
}

func newPrimalHessian(p *design, intercept bool) *primalHessian {
	return &primalHessian{design: p, intercept: intercept, scaled: newScaled(p), matrix: newSymmetric(p.d)}
}

func newSymmetric(n int) blas64.Symmetric {
	return blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: max(1, n), Data: make([]float64, n*n)}
}

func (h *primalHessian) factor(curvature []float64) bool {
	h.scaled.set(h.design, curvature, 1, h.intercept)
	if h.intercept && h.scaled.total == 0 {
		return false
	}
	clear(h.matrix.Data)
	for j := range h.matrix.N {
		h.matrix.Data[j*h.matrix.Stride+j] = 1
	}
	h.scaled.addProducts(h.matrix)
	return cholesky(h.matrix)
}

func (h *primalHessian) solve(dst *point, rhs point) {
	mean := vector(h.scaled.mean)
	copy(dst.w, rhs.w)
	blas64.Axpy(-rhs.b, mean, vector(dst.w))
	solveCholesky(h.matrix, dst.w)
	dst.b = 0
	if h.intercept {
		dst.b = rhs.b/h.scaled.total - blas64.Dot(mean, vector(dst.w))
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
	design    *design
	intercept bool
	products  []float64 // n x n, lower triangle
	sample    []int     // the m samples of positive curvature
	root      []float64 // m
	matrix    blas64.Symmetric
	inverse   []float64 // m, B⁻¹ root
	z         []float64 // m
	score     []float64 // n
}

func newKernelHessian(p *design, intercept bool) *kernelHessian {
	h := &kernelHessian{
		design: p, intercept: intercept, sample: make([]int, 0, p.n), root: make([]float64, 0, p.n),
		matrix: newSymmetric(p.n), inverse: make([]float64, p.n), z: make([]float64, p.n), score: make([]float64, p.n),
	}
	products := newSymmetric(p.n)
	if p.n > 0 {
		blas64.Syrk(blas.Trans, 1, p.column, 0, products)
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
		row, products := h.matrix.Data[k*m:][:k+1], h.products[i*h.design.n:]
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
	h.design.predict(h.score, rhs.w, 0)
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
	h.design.correlate(dst.w, h.score)
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
	if a.N == 0 {
		return
	}
	t := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: a.N, Stride: a.Stride, Data: a.Data}
	blas64.Trsv(blas.NoTrans, t, vector(x))
	blas64.Trsv(blas.Trans, t, vector(x))
}
