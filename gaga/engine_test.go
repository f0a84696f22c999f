package gaga

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/convex"
)

// gram returns the n x n kernel matrix of a problem's samples.
func gram(p *Problem) []float64 {
	n := p.X.Rows
	k := make([]float64, n*n)
	points := convex.NewPoints(p.X)
	p.Kernel.Block(blas64.General{Rows: n, Cols: n, Stride: n, Data: k}, points, points)
	return k
}
