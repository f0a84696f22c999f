package gaga

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/dense"
)

// Predictor evaluates solutions of a problem on other samples. With a kernel, θ are the multipliers
// α, without their labels, for the hinge loss, and signed multipliers for every other loss.
type Predictor struct {
	x      blas64.General // m x d, or the m x n kernel matrix
	y      []float64      // training labels for the hinge loss with a kernel
	signed []float64      // α_i y_i
}

// NewPredictor prepares prediction for the rows of x, with the columns of the problem's features.
func NewPredictor(p *Problem, x blas64.General) (*Predictor, error) {
	if x.Rows > 0 && x.Cols != p.X.Cols {
		return nil, fmt.Errorf("gaga: predicting for rows of %d features, trained on %d", x.Cols, p.X.Cols)
	}
	if p.Kernel == nil || x.Rows == 0 {
		return &Predictor{x: x}, nil
	}
	k := blas64.General{Rows: x.Rows, Cols: p.X.Rows, Stride: p.X.Rows, Data: make([]float64, x.Rows*p.X.Rows)}
	p.Kernel.Block(k, convex.NewPoints(x), convex.NewPoints(p.X))
	predictor := &Predictor{x: k}
	if _, hinge := p.Loss.(HingeLoss); hinge {
		predictor.y, predictor.signed = p.Y, make([]float64, p.X.Rows)
	}
	return predictor, nil
}

// Predict writes the linear predictors for θ, of length [Problem.Unknowns], into dst.
func (p *Predictor) Predict(dst, theta []float64) {
	if len(dst) == 0 {
		return
	}
	last := len(theta) - 1
	coefficients := theta[:last]
	if p.y != nil {
		for i, alpha := range coefficients {
			p.signed[i] = alpha * p.y[i]
		}
		coefficients = p.signed
	}
	for i := range dst {
		dst[i] = theta[last]
	}
	blas64.Gemv(blas.NoTrans, 1, p.x, dense.Vector(coefficients), 1, dense.Vector(dst))
}
