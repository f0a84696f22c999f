package convex

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// Points are rows with their squared norms.
type Points struct {
	X           blas64.General // n x d
	SquaredNorm []float64
}

// NewPoints keeps x, which must not change.
func NewPoints(x blas64.General) Points {
	p := Points{X: x, SquaredNorm: make([]float64, x.Rows)}
	for i := range p.SquaredNorm {
		row := p.row(i)
		p.SquaredNorm[i] = blas64.Dot(row, row)
	}
	return p
}

func (p Points) row(i int) blas64.Vector {
	return blas64.Vector{N: p.X.Cols, Inc: 1, Data: p.X.Data[i*p.X.Stride : i*p.X.Stride+p.X.Cols]}
}

func (p Points) rows(from, to int) Points {
	data := p.X.Data[from*p.X.Stride : (to-1)*p.X.Stride+p.X.Cols]
	return Points{
		X:           blas64.General{Rows: to - from, Cols: p.X.Cols, Stride: p.X.Stride, Data: data},
		SquaredNorm: p.SquaredNorm[from:to],
	}
}

// Kernel is a positive semidefinite function of two rows.
type Kernel interface {
	// Block writes k(a_i, b_j) into dst[i][j]. With θ = (α, b) the decision values are K(new,
	// train)·(α∘y) + b.
	Block(dst blas64.General, a, b Points)
	Diagonal(dst []float64, a Points)
	// translationInvariant kernels ignore a common shift: rows are centred to reduce cancellation.
	translationInvariant() bool
}

// Linear is the kernel k(x, x') = x·x'.
type Linear struct{}

// RBF is the Gaussian kernel k(x, x') = exp(-Gamma ‖x - x'‖²), Gamma > 0.
type RBF struct {
	Gamma float64
}

func (Linear) Block(dst blas64.General, a, b Points) { products(dst, a, b) }

func (Linear) Diagonal(dst []float64, a Points) { copy(dst, a.SquaredNorm) }

func (Linear) translationInvariant() bool { return false }

// Block computes distances from inner products; small ones, which would lose more than about 3 of
// 16 digits, from differences: duplicate rows give exactly 1.
func (k RBF) Block(dst blas64.General, a, b Points) {
	const cancellation = 1e-3
	products(dst, a, b)
	for i := range a.X.Rows {
		norm := a.SquaredNorm[i]
		row := dst.Data[i*dst.Stride : i*dst.Stride+b.X.Rows]
		for j, product := range row {
			sum := norm + b.SquaredNorm[j]
			distance := sum - 2*product
			if distance <= cancellation*sum {
				distance = squaredDistance(a.row(i).Data, b.row(j).Data)
			}
			row[j] = kernel.Exp(-k.Gamma * distance)
		}
	}
}

func (RBF) Diagonal(dst []float64, _ Points) {
	for i := range dst {
		dst[i] = 1
	}
}

func (RBF) translationInvariant() bool { return true }

func squaredDistance(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		difference := v - b[j]
		sum += difference * difference
	}
	return sum
}

// products writes a_i·b_j by strips of b that fit the cache: faster than gonum's Gemm, and without
// goroutines.
func products(dst blas64.General, a, b Points) {
	const stripBytes = 128 << 10
	strip := max(16, stripBytes/(8*max(1, b.X.Cols)))
	for from := 0; from < b.X.Rows; from += strip {
		part := b.rows(from, min(from+strip, b.X.Rows))
		for i := range a.X.Rows {
			out := blas64.Vector{N: part.X.Rows, Inc: 1, Data: dst.Data[i*dst.Stride+from : i*dst.Stride+from+part.X.Rows]}
			blas64.Gemv(blas.NoTrans, 1, part.X, a.row(i), 0, out)
		}
	}
}
