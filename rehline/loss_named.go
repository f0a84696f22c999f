package rehline

import "math"

// Hinge is the loss of the support vector machine, max(0, 1 - y_i z), of classes
// y_i = ±1 or any finite values. U = -y, V = 1.
func Hinge(y []float64) Loss {
	return relus(len(y), func(i int) ReLU { return ReLU{-y[i], 1} })
}

// SquaredHinge is max(0, 1 - y_i z)², without a factor of one half, as in LIBLINEAR.
// S = -√2 y, T = √2, τ = ∞.
func SquaredHinge(y []float64) Loss {
	return rehus(len(y), func(i int) ReHU { return ReHU{-math.Sqrt2 * y[i], math.Sqrt2, inf} })
}

// SmoothedHinge is h²/2 for h <= 1, else h - 1/2, with h = max(0, 1 - y_i z). S = -y,
// T = 1, τ = 1.
func SmoothedHinge(y []float64) Loss {
	return rehus(len(y), func(i int) ReHU { return ReHU{-y[i], 1, 1} })
}

// Quantile is the check loss of the quantile level q in [0, 1],
//
//	ρ_q(r) = q max(0, r) + (1 - q) max(0, -r),  r = y_i - z
//
// (Koenker and Bassett, 1978). U = [-q, 1-q], V = [q y, -(1-q) y]. At q = 1/2 it is half
// of Absolute. Without an intercept and with centred data the level hardly matters: let
// the problem have one.
func Quantile[P Parameter](y []float64, q P) Loss {
	return checkLossOf("Quantile", y, q, 0.0)
}

// EpsilonInsensitiveQuantile is max(0, ρ_q(r) - ε), the check loss less a tolerance
// ε >= 0. U = [-q, 1-q], V = [q y - ε, -(1-q) y - ε].
func EpsilonInsensitiveQuantile[P, E Parameter](y []float64, q P, eps E) Loss {
	return checkLossOf("EpsilonInsensitiveQuantile", y, q, eps)
}

// checkLossOf is max(0, ρ_q(y - z) - eps).
func checkLossOf[P, E Parameter](name string, y []float64, q P, eps E) Loss {
	return withParameter(name+": q", y, q, isLevel, levelRule, func(q parameter) Loss {
		return withParameter(name+": eps", y, eps, isTolerance, toleranceRule, func(eps parameter) Loss {
			return relus(len(y),
				func(i int) ReLU { return ReLU{-q.at(i), q.at(i)*y[i] - eps.at(i)} },
				func(i int) ReLU { return ReLU{1 - q.at(i), -(1-q.at(i))*y[i] - eps.at(i)} })
		})
	})
}

// CompositeQuantile is the loss of several quantile levels q_1 ... q_Q at once,
//
//	Σ_k Σ_i ρ_qk(y_i - b_k - x_i·β)
//
// with the coefficients β in common and an intercept b_k per level (Zou and Yuan, Annals
// of Statistics 36, 2008). It has nQ samples: sample k n + i is the sample i at level k.
// The features of the problem are those of CompositeFeatures, whose last Q coefficients
// are the intercepts.
func CompositeQuantile(y []float64, levels ...float64) Loss {
	n := len(y)
	if len(levels) == 0 {
		return failedLoss(0, shapeError("CompositeQuantile: levels", "none; at least one is needed"))
	}
	if _, err := newParameter("CompositeQuantile: levels", levels, len(levels), isLevel, levelRule); err != nil {
		return failedLoss(n*len(levels), err)
	}
	return relus(n*len(levels),
		func(i int) ReLU { q := levels[i/n]; return ReLU{-q, q * y[i%n]} },
		func(i int) ReLU { q := levels[i/n]; return ReLU{1 - q, -(1 - q) * y[i%n]} })
}

// EpsilonInsensitive is the loss of support vector regression, max(0, |y_i - z| - ε) with
// ε >= 0. U = [1, -1], V = [-(y+ε), y-ε].
func EpsilonInsensitive[P Parameter](y []float64, eps P) Loss {
	return withParameter("EpsilonInsensitive: eps", y, eps, isTolerance, toleranceRule, func(eps parameter) Loss {
		return relus(len(y),
			func(i int) ReLU { return ReLU{1, -(y[i] + eps.at(i))} },
			func(i int) ReLU { return ReLU{-1, y[i] - eps.at(i)} })
	})
}

// SquaredEpsilonInsensitive is max(0, |y_i - z| - ε)² with ε >= 0, without a factor of one
// half, as in LIBLINEAR. S = [√2, -√2], T = [-√2 (y+ε), √2 (y-ε)], τ = ∞.
func SquaredEpsilonInsensitive[P Parameter](y []float64, eps P) Loss {
	const what = "SquaredEpsilonInsensitive: eps"
	return withParameter(what, y, eps, isTolerance, toleranceRule, func(eps parameter) Loss {
		return rehus(len(y),
			func(i int) ReHU { return ReHU{math.Sqrt2, -math.Sqrt2 * (y[i] + eps.at(i)), inf} },
			func(i int) ReHU { return ReHU{-math.Sqrt2, math.Sqrt2 * (y[i] - eps.at(i)), inf} })
	})
}

// Huber is r²/2 for |r| <= δ, else δ(|r| - δ/2), with r = y_i - z and δ > 0, which may be
// +Inf (Huber, 1964). S = [-1, 1], T = [y, -y], τ = δ.
func Huber[P Parameter](y []float64, delta P) Loss {
	return withParameter("Huber: delta", y, delta, isThreshold, thresholdRule, func(delta parameter) Loss {
		return rehus(len(y),
			func(i int) ReHU { return ReHU{-1, y[i], delta.at(i)} },
			func(i int) ReHU { return ReHU{1, -y[i], delta.at(i)} })
	})
}

// Absolute is |y_i - z|. U = [1, -1], V = [-y, y].
func Absolute(y []float64) Loss { return EpsilonInsensitive(y, 0) }

// Squared is (y_i - z)², without a factor of one half: half of it is Huber with an
// infinite threshold. S = [√2, -√2], T = [-√2 y, √2 y], τ = ∞.
func Squared(y []float64) Loss { return SquaredEpsilonInsensitive(y, 0) }

// TotalVariation denoises the signal y of length d: its sample i < d-1 is the difference
// x_i·β = β_i+1 - β_i of the coefficients (DifferenceFeatures), with the loss
// |z - (y_i+1 - y_i)|. The minimizer β of
//
//	C Σ_i |β_i+1 - β_i - (y_i+1 - y_i)| + ½‖β‖²
//
// is the residual: θ = y - β minimizes ½‖y - θ‖² + C Σ_i |θ_i+1 - θ_i| (Rudin, Osher and
// Fatemi, 1992, in one dimension). For another difference operator D take Absolute of D y
// with the rows of D as features.
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
