package rehline

import "math"

// Hinge is max(0, 1 - y_i z) for classes y_i = ±1 or any finite values.
func Hinge(y []float64) Loss {
	return relus(len(y), func(i int) ReLU { return ReLU{-y[i], 1} })
}

// SquaredHinge is max(0, 1 - y_i z)², as in LIBLINEAR.
func SquaredHinge(y []float64) Loss {
	return rehus(len(y), func(i int) ReHU { return ReHU{-math.Sqrt2 * y[i], math.Sqrt2, inf} })
}

// SmoothedHinge is h²/2 for h <= 1, else h - 1/2, with h = max(0, 1 - y_i z).
func SmoothedHinge(y []float64) Loss {
	return rehus(len(y), func(i int) ReHU { return ReHU{-y[i], 1, 1} })
}

// Quantile is the check loss of the level q in [0, 1] (Koenker and Bassett, 1978),
//
//	ρ_q(r) = q max(0, r) + (1 - q) max(0, -r),  r = y_i - z
//
// Use an intercept: on centred data the level hardly matters without one.
func Quantile(y []float64, q float64) Loss { return checkLossOf("Quantile", y, q, 0) }

// EpsilonInsensitiveQuantile is max(0, ρ_q(r) - ε) with ε >= 0.
func EpsilonInsensitiveQuantile(y []float64, q, eps float64) Loss {
	return checkLossOf("EpsilonInsensitiveQuantile", y, q, eps)
}

func checkLossOf(name string, y []float64, q, eps float64) Loss {
	return checked(name+": q", len(y), q, isLevel, levelRule, func() Loss {
		return checked(name+": eps", len(y), eps, isTolerance, toleranceRule, func() Loss {
			return relus(len(y),
				func(i int) ReLU { return ReLU{-q, q*y[i] - eps} },
				func(i int) ReLU { return ReLU{1 - q, -(1-q)*y[i] - eps} })
		})
	})
}

// EpsilonInsensitive is max(0, |y_i - z| - ε) with ε >= 0, the loss of support vector regression.
func EpsilonInsensitive(y []float64, eps float64) Loss {
	return checked("EpsilonInsensitive: eps", len(y), eps, isTolerance, toleranceRule, func() Loss {
		return relus(len(y),
			func(i int) ReLU { return ReLU{1, -(y[i] + eps)} },
			func(i int) ReLU { return ReLU{-1, y[i] - eps} })
	})
}

// SquaredEpsilonInsensitive is max(0, |y_i - z| - ε)² with ε >= 0, as in LIBLINEAR.
func SquaredEpsilonInsensitive(y []float64, eps float64) Loss {
	return checked("SquaredEpsilonInsensitive: eps", len(y), eps, isTolerance, toleranceRule, func() Loss {
		return rehus(len(y),
			func(i int) ReHU { return ReHU{math.Sqrt2, -math.Sqrt2 * (y[i] + eps), inf} },
			func(i int) ReHU { return ReHU{-math.Sqrt2, math.Sqrt2 * (y[i] - eps), inf} })
	})
}

// Huber is r²/2 for |r| <= δ, else δ(|r| - δ/2), with r = y_i - z and δ > 0, which may be +Inf
// (Huber, 1964).
func Huber(y []float64, delta float64) Loss {
	return checked("Huber: delta", len(y), delta, isThreshold, thresholdRule, func() Loss {
		return rehus(len(y),
			func(i int) ReHU { return ReHU{-1, y[i], delta} },
			func(i int) ReHU { return ReHU{1, -y[i], delta} })
	})
}

// Absolute is |y_i - z|.
func Absolute(y []float64) Loss { return EpsilonInsensitive(y, 0) }

// Squared is (y_i - z)²; half of it is Huber with δ = ∞.
func Squared(y []float64) Loss { return SquaredEpsilonInsensitive(y, 0) }
