package rehline

import "math"

// Losses of classification: y_i is +1 or -1, or any finite value, and the loss
// is a function of h = max(0, 1 - y_i z).

// Hinge is the loss of the support vector machine, max(0, 1 - y_i z). U = -y,
// V = 1.
func Hinge(y []float64) Loss {
	l := newLoss(len(y), 1, 0)
	for i, yi := range y {
		l.setReLU(0, i, -yi, 1)
	}
	return l
}

// SquaredHinge is max(0, 1 - y_i z)², without a factor of one half, as in
// LIBLINEAR. S = -√2 y, T = √2, τ = ∞.
func SquaredHinge(y []float64) Loss {
	l := newLoss(len(y), 0, 1)
	for i, yi := range y {
		l.setReHU(0, i, -math.Sqrt2*yi, math.Sqrt2, math.Inf(1))
	}
	return l
}

// SmoothedHinge is h²/2 for h <= 1, else h - 1/2, with h = max(0, 1 - y_i z).
// S = -y, T = 1, τ = 1.
func SmoothedHinge(y []float64) Loss {
	l := newLoss(len(y), 0, 1)
	for i, yi := range y {
		l.setReHU(0, i, -yi, 1, 1)
	}
	return l
}
