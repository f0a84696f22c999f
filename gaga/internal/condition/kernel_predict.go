package condition

import (
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/cubic"
)

// kernelPredictor predicts u_i = Σ_j α_j y_j k(x_i, x_j) + b.
type kernelPredictor struct {
	*model.State
	matrix       *convex.KernelRows
	diagonal     []float64
	samples      []int
	coefficients []float64
}

func newGram(s *model.State, matrix *convex.KernelRows) *kernelPredictor {
	return &kernelPredictor{
		State: s, matrix: matrix, diagonal: matrix.Diagonal(),
		samples: make([]int, 0, s.N), coefficients: make([]float64, 0, s.N),
	}
}

func (g *kernelPredictor) Predict(dst, theta []float64) { g.PredictAll(dst, theta) }

func (g *kernelPredictor) PredictAll(dst, theta []float64) {
	for i := range dst {
		dst[i] = theta[g.N]
	}
	g.samples, g.coefficients = g.samples[:0], g.coefficients[:0]
	for j, a := range theta[:g.N] {
		if a != 0 {
			g.samples, g.coefficients = append(g.samples, j), append(g.coefficients, a*g.Y[j])
		}
	}
	g.matrix.Add(dst, g.samples, g.coefficients)
}

func (g *kernelPredictor) PredictOne(i int, theta []float64) float64 {
	row := g.matrix.Row(i)
	u := theta[g.N]
	for j, a := range theta[:g.N] {
		u += a * g.Y[j] * row[j]
	}
	return u
}

func (g *kernelPredictor) Extrapolate(pt, from *model.Point, h float64) {
	for j, w := range from.Theta {
		pt.Theta[j] = w + h*from.Rate[j]
	}
	for i, u := range from.U {
		pt.U[i] = u + h*from.DU[i]
	}
}

func (g *kernelPredictor) Interpolate(pt, a, b *model.Point, x float64) {
	h := b.Age - a.Age
	cubic.Interpolate(pt.Theta, a.Theta, a.Rate, b.Theta, b.Rate, h, x)
	cubic.Interpolate(pt.U, a.U, a.DU, b.U, b.DU, h, x)
}
