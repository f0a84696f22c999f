package gaga

// The interfaces of this file are optional: a loss or a regularizer that implements one
// says more of itself, and the tracker needs less time. The built-in ones have no other
// way to say it.

// SquaredLoss is a loss that is (u - y)². With a [SeriesRegularizer], and in zones of constant
// weight, sums over zones then take the place of sums over samples, and only samples that can
// soon reach a threshold are watched.
type SquaredLoss interface {
	Loss
	SquaredResidual()
}

// HingeLoss is a loss that is C max(0, 1 - yu). It is the only loss with a kink that
// [Track] knows.
type HingeLoss interface {
	Loss
	Cost() float64 // C
}

// ClassificationLoss is a loss for targets -1 and +1, which [Problem.Check] then
// demands.
type ClassificationLoss interface {
	Loss
	// Attained reports whether the least loss is taken at a finite predictor. Where it
	// is not, as for the logistic loss, a fit with an intercept needs samples of both
	// classes, see [Gap].
	Attained() bool
}

// VectorLoss is a loss that evaluates many samples faster than one by one.
type VectorLoss interface {
	Loss
	// EvalAll is Eval for each predictor in u, with the target in y. All slices have
	// the same length; loss, slope and curvature are overwritten.
	EvalAll(u, y, loss, slope, curvature []float64)
}

// CheckedParameters is a loss or a regularizer whose parameters [Problem.Check] looks
// at.
type CheckedParameters interface {
	// CheckParameters returns an error that says which value is not allowed and what is.
	CheckParameters() error
}

// SeriesRegularizer is a regularizer under which the implicit loss F_λ(l), see
// [Regularizer.Integral], is in each zone a [Series] in √l. Where no zone has a term in
// √l it is piecewise polynomial in the loss.
type SeriesRegularizer interface {
	Regularizer
	// Series returns that of a zone at an age. Which coefficients are 0 must not depend
	// on the age.
	Series(zone int, age float64) Series
}

// Series is the sum F[0] + F[1] √l + F[2] l + F[3] l² in a loss l. Rate has the
// derivatives of the coefficients in the age.
type Series struct{ F, Rate [4]float64 }

// PowerRegularizer is a regularizer whose weight is in each zone a [Power]: the weights are
// then evaluated by one vectorized pass.
type PowerRegularizer interface {
	Regularizer
	// Power returns that of a zone.
	Power(zone int) Power
}

// Power is the weight (A[0] + A[1] λ)^P (B[0] + B[1] λ + B[2] l)^Q of a loss l at age λ, with
// B[2] not 0 unless Q is and 0^0 = 1. The zero Power is no weight.
type Power struct {
	A    [2]float64
	B    [3]float64
	P, Q float64
}

// oneSided reports whether the loss is one of classes whose least value is not attained.
func (p *Problem) oneSided() bool {
	loss, ok := p.Loss.(ClassificationLoss)
	return ok && !loss.Attained()
}
