package gaga

import "github.com/agepath/agepath/internal/kernel"

// evaluate is Eval for many samples.
func (l Logistic) evaluate(u, y, loss, slope, curvature []float64) {
	kernel.Logistic(u, y, loss, slope, curvature)
	kernel.ScaleTo(loss, l.C, loss)
	kernel.ScaleTo(slope, l.C, slope)
	kernel.ScaleTo(curvature, l.C, curvature)
}
