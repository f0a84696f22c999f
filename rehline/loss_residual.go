package rehline

import "math"

// Losses of regression: functions of the residual r = y_i - z.

// Quantile is the check loss of the quantile level q in [0, 1],
//
//	ρ_q(r) = q max(0, r) + (1 - q) max(0, -r),  r = y_i - z
//
// (Koenker and Bassett, 1978). U = [-q, 1-q], V = [q y, -(1-q) y]. At q = 1/2
// it is half of Absolute. Without an intercept and with centred data the level
// hardly matters: let the problem have one.
func Quantile[P Parameter](y []float64, q P) Loss {
	level, err := newParameter("Quantile: q", q, len(y), isLevel, levelRule)
	if err != nil {
		return failedLoss(len(y), err)
	}
	return check(y, level, parameter{})
}

// EpsilonInsensitiveQuantile is max(0, ρ_q(r) - ε), the check loss less a
// tolerance ε >= 0. U = [-q, 1-q], V = [q y - ε, -(1-q) y - ε].
func EpsilonInsensitiveQuantile[P, E Parameter](y []float64, q P, eps E) Loss {
	level, err := newParameter("EpsilonInsensitiveQuantile: q", q, len(y), isLevel, levelRule)
	if err != nil {
		return failedLoss(len(y), err)
	}
	tolerance, err := newParameter("EpsilonInsensitiveQuantile: eps", eps, len(y), isTolerance, toleranceRule)
	if err != nil {
		return failedLoss(len(y), err)
	}
	return check(y, level, tolerance)
}

// check is max(0, ρ_q(y - z) - eps).
func check(y []float64, q, eps parameter) Loss {
	l := newLoss(len(y), 2, 0)
	for i, yi := range y {
		above, below := q.at(i), 1-q.at(i)
		l.setReLU(0, i, -above, above*yi-eps.at(i))
		l.setReLU(1, i, below, -below*yi-eps.at(i))
	}
	return l
}

// CompositeQuantile is the loss of several quantile levels q_1 ... q_Q at once,
//
//	Σ_k Σ_i ρ_qk(y_i - b_k - x_i·β)
//
// with the coefficients β in common and an intercept b_k per level (Zou and
// Yuan, Annals of Statistics 36, 2008). It has nQ samples: sample k n + i is
// the sample i at level k. The features of the problem are those of
// CompositeFeatures, whose last Q coefficients are the intercepts.
func CompositeQuantile(y []float64, levels ...float64) Loss {
	n := len(y)
	if len(levels) == 0 {
		return failedLoss(0, shapeError("CompositeQuantile: levels", "none; at least one is needed"))
	}
	if _, err := newParameter("CompositeQuantile: levels", levels, len(levels), isLevel, levelRule); err != nil {
		return failedLoss(n*len(levels), err)
	}
	l := newLoss(n*len(levels), 2, 0)
	for k, q := range levels {
		for i, yi := range y {
			l.setReLU(0, k*n+i, -q, q*yi)
			l.setReLU(1, k*n+i, 1-q, -(1-q)*yi)
		}
	}
	return l
}

// EpsilonInsensitive is the loss of support vector regression,
// max(0, |y_i - z| - ε) with ε >= 0. U = [1, -1], V = [-(y+ε), y-ε].
func EpsilonInsensitive[P Parameter](y []float64, eps P) Loss {
	tolerance, err := newParameter("EpsilonInsensitive: eps", eps, len(y), isTolerance, toleranceRule)
	if err != nil {
		return failedLoss(len(y), err)
	}
	l := newLoss(len(y), 2, 0)
	for i, yi := range y {
		l.setReLU(0, i, 1, -(yi + tolerance.at(i)))
		l.setReLU(1, i, -1, yi-tolerance.at(i))
	}
	return l
}

// SquaredEpsilonInsensitive is max(0, |y_i - z| - ε)² with ε >= 0, without a
// factor of one half, as in LIBLINEAR. S = [√2, -√2], T = [-√2 (y+ε),
// √2 (y-ε)], τ = ∞.
func SquaredEpsilonInsensitive[P Parameter](y []float64, eps P) Loss {
	tolerance, err := newParameter("SquaredEpsilonInsensitive: eps", eps, len(y), isTolerance, toleranceRule)
	if err != nil {
		return failedLoss(len(y), err)
	}
	l := newLoss(len(y), 0, 2)
	for i, yi := range y {
		l.setReHU(0, i, math.Sqrt2, -math.Sqrt2*(yi+tolerance.at(i)), math.Inf(1))
		l.setReHU(1, i, -math.Sqrt2, math.Sqrt2*(yi-tolerance.at(i)), math.Inf(1))
	}
	return l
}

// Huber is r²/2 for |r| <= δ, else δ(|r| - δ/2), with r = y_i - z and δ > 0,
// which may be +Inf (Huber, 1964). S = [-1, 1], T = [y, -y], τ = δ.
func Huber[P Parameter](y []float64, delta P) Loss {
	threshold, err := newParameter("Huber: delta", delta, len(y), isThreshold, thresholdRule)
	if err != nil {
		return failedLoss(len(y), err)
	}
	l := newLoss(len(y), 0, 2)
	for i, yi := range y {
		l.setReHU(0, i, -1, yi, threshold.at(i))
		l.setReHU(1, i, 1, -yi, threshold.at(i))
	}
	return l
}

// Absolute is |y_i - z|. U = [1, -1], V = [-y, y].
func Absolute(y []float64) Loss {
	l := newLoss(len(y), 2, 0)
	for i, yi := range y {
		l.setReLU(0, i, 1, -yi)
		l.setReLU(1, i, -1, yi)
	}
	return l
}

// Squared is (y_i - z)², without a factor of one half: half of it is Huber with
// an infinite threshold. S = [√2, -√2], T = [-√2 y, √2 y], τ = ∞.
func Squared(y []float64) Loss {
	l := newLoss(len(y), 0, 2)
	for i, yi := range y {
		l.setReHU(0, i, math.Sqrt2, -math.Sqrt2*yi, math.Inf(1))
		l.setReHU(1, i, -math.Sqrt2, math.Sqrt2*yi, math.Inf(1))
	}
	return l
}

// TotalVariation denoises the signal y of length d: its sample i < d-1 is the
// difference x_i·β = β_i+1 - β_i of the coefficients (DifferenceFeatures), with
// the loss |z - (y_i+1 - y_i)|. The minimizer β of
//
//	C Σ_i |β_i+1 - β_i - (y_i+1 - y_i)| + ½‖β‖²
//
// is the residual: θ = y - β minimizes ½‖y - θ‖² + C Σ_i |θ_i+1 - θ_i| (Rudin,
// Osher and Fatemi, 1992, in one dimension). For another difference operator D
// take Absolute of D y with the rows of D as features.
func TotalVariation(y []float64) Loss {
	if len(y) < 2 {
		return failedLoss(0, shapeError("TotalVariation: y", "length %d; a signal has at least 2 values", len(y)))
	}
	differences := make([]float64, len(y)-1)
	for i := range differences {
		differences[i] = y[i+1] - y[i]
	}
	return Absolute(differences)
}
