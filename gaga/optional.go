package gaga

// The interfaces of this file are optional and make tracking faster.

// SquaredLoss is a loss that equals (u - y)². With a [SeriesRegularizer], and in zones of constant
// weight, sums over zones replace sums over samples.
type SquaredLoss interface {
	Loss
	SquaredResidual()
}

// HingeLoss is a loss that equals C max(0, 1 - yu), the only kinked loss that [Track] accepts.
type HingeLoss interface {
	Loss
	Cost() float64
}

// ClassificationLoss is a loss for targets -1 and +1.
type ClassificationLoss interface {
	Loss
	// Attained reports whether a finite predictor attains the minimum loss. If not, as for the
	// logistic loss, a fit with an intercept needs both classes, see [Gap].
	Attained() bool
}

// VectorLoss is a loss with a fast evaluation of many samples.
type VectorLoss interface {
	Loss
	// EvalAll overwrites loss, slope and curvature with Eval for each predictor in u and target in
	// y. All slices have the same length.
	EvalAll(u, y, loss, slope, curvature []float64)
}

// CheckedParameters is a loss or a regularizer whose parameters [Problem.Check] validates.
type CheckedParameters interface {
	// CheckParameters states the wrong value and what is allowed.
	CheckParameters() error
}

// SeriesRegularizer is a regularizer whose implicit loss F_λ(l) is in each zone a [Series] in √l.
type SeriesRegularizer interface {
	Regularizer
	// Series returns the series of a zone. Which coefficients are 0 must not depend on the age.
	Series(zone int, age float64) Series
}

// Series is the sum F[0] + F[1] √l + F[2] l + F[3] l² in a loss l. Rate has the derivatives in the
// age.
type Series struct{ F, Rate [4]float64 }

func (p *Problem) oneSided() bool {
	loss, ok := p.Loss.(ClassificationLoss)
	return ok && !loss.Attained()
}
