package convex

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// hessian solves with I + Σ curvature_i x_i x_iᵀ, bordered if there is an intercept.
type hessian interface {
	factor(curvature []float64) bool
	solve(dst *point, rhs point)
}

// primalHessian solves in R^d. Eliminating the intercept centers the features by their means
// weighted with the curvatures.
type primalHessian struct {
	rows      *rows
	intercept bool
	mean      []float64
	total     float64
	panel     []float64 // panelRows centered samples times the roots of curvatures
	matrix    *dense.Cholesky
}

const panelRows = 64

func newPrimalHessian(p *rows, intercept bool) *primalHessian {
	return &primalHessian{
		rows: p, intercept: intercept, mean: make([]float64, p.d), panel: make([]float64, panelRows*p.stride),
		matrix: dense.New(p.d),
	}
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
	a, _ := h.matrix.Matrix(h.rows.d)
	h.addProducts(a, curvature)
	for j := range h.rows.d {
		row := h.matrix.Row(j)
		if h.intercept && row[j] <= constant*constant*h.mean[j]*h.mean[j]*h.total {
			h.drop(j)
		}
		row[j]++
	}
	return h.matrix.Factorize(context.Background()) == nil
}

func (h *primalHessian) addProducts(a, curvature []float64) {
	clear(a)
	d, ld, count := h.rows.d, h.rows.stride, 0
	flush := func() {
		kernel.GramAdd(a, ld, ld, h.panel, h.panel, count)
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

func (h *primalHessian) drop(j int) {
	clear(h.matrix.Row(j))
	for i := j; i < h.rows.d; i++ {
		h.matrix.Row(i)[j] = 0
	}
}

func (h *primalHessian) solve(dst *point, rhs point) {
	copy(dst.w, rhs.w)
	kernel.Axpy(-rhs.b, h.mean, dst.w)
	h.matrix.Solve(dst.w)
	dst.b = 0
	if h.intercept {
		dst.b = rhs.b/h.total - kernel.Dot(h.mean, dst.w)
	}
}

// kernelHessian solves in R^n with K = XXᵀ by the Woodbury identity, R the roots of the curvatures:
//
//	(I + XᵀR²X)⁻¹ = I - XᵀR B⁻¹ RX,    B = I + RKR.
//
// B is well conditioned (Rasmussen and Williams, Gaussian Processes for Machine Learning, section
// 3.4.3).
type kernelHessian struct {
	rows      *rows
	intercept bool
	products  []float64 // lower triangle
	sample    []int     // the m of positive curvature
	root      []float64
	matrix    *dense.Cholesky
	inverse   []float64 // m, B⁻¹ root
	z         []float64
	score     []float64
}

func newKernelHessian(p *rows, intercept bool) *kernelHessian {
	h := &kernelHessian{
		rows: p, intercept: intercept, sample: make([]int, 0, p.n), root: make([]float64, 0, p.n),
		matrix: dense.New(p.n), inverse: make([]float64, p.n), z: make([]float64, p.n), score: make([]float64, p.n),
	}
	h.products = make([]float64, p.n*p.n)
	for i := range p.n {
		for j := range i + 1 {
			h.products[i*p.n+j] = dense.Dot(p.row(j), p.row(i))
		}
	}
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
	h.matrix.Matrix(m)
	for k, i := range h.sample {
		row, products := h.matrix.Row(k), h.products[i*h.rows.n:]
		for l, j := range h.sample[:k+1] {
			row[l] = h.root[k] * h.root[l] * products[j]
		}
		row[k]++
	}
	if h.matrix.Factorize(context.Background()) != nil {
		return false
	}
	h.inverse, h.z = h.inverse[:m], h.z[:m]
	copy(h.inverse, h.root)
	h.matrix.Solve(h.inverse)
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
	h.matrix.Solve(h.z)
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
