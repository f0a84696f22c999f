package gaga

import "github.com/agepath/agepath/internal/kernel"

// evaluate is Eval for many samples.
func (l Logistic) evaluate(u, y, loss, slope, curvature []float64) {
	kernel.Logistic(u, y, loss, slope, curvature)
	kernel.ScaleTo(loss, l.C, loss)
	kernel.ScaleTo(slope, l.C, slope)
	kernel.ScaleTo(curvature, l.C, curvature)
}

// integrals is the samples' part of the implicit objective, with u their
// predictors.
func (l Logistic) integrals(s *system, u []float64, age float64) (sum float64) {
	const block = 256
	var loss, slope, curvature [block]float64
	for from := 0; from < len(u); from += block {
		to := min(from+block, len(u))
		l.evaluate(u[from:to], s.y[from:to], loss[:to-from], slope[:to-from], curvature[:to-from])
		for k, v := range loss[:to-from] {
			sum += s.m[from+k] * s.reg.Integral(v, age)
		}
	}
	return sum
}
