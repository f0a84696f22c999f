package tolerance

// The optimality condition and its factors.
const (
	// FloorWeight is the weight below which rounding of the losses exceeds the residual.
	FloorWeight = 1e-6
	// ChordSlow is the part of the residual that a step by the factor of another point may leave,
	// PinnedSlow with pinned samples, where the residual must fall as by Newton's method.
	ChordSlow      = 0.25
	PinnedSlow     = 1e-6
	EasyCorrection = 3 // steps with their own factors

	// Accumulated is the number of changes of the null space or of a factor's rows before rounding
	// requires recomputation.
	Accumulated = 200
)

// The condition with a kernel, whose predictors are sums of up to n terms.
const (
	KernelCorrection     = 30    // steps, most of them by the factor of another point
	EasyKernelCorrection = 7     // of an easy correction
	FactorSolves         = 16    // unknowns for which a factor costs as much as one solve
	Steepest             = 1e100 // δ of constant weights: products of three are finite

	// FollowedDelta is the δ, relative to the kernel's diagonal, beyond which digits cancel when a
	// predictor follows from the step's image.
	FollowedDelta = 1e3
	ShortSecant   = 1e-8 // relative step over which differences are rounding

	// Trusted is the spectral radius of the difference between J and the factor, in units of the
	// factor, up to which the factor is used. Below 1 both have the same inertia, and corrections
	// converge like powers of the radius; slower ones trigger another test (found by fuzzing).
	Trusted     = 0.3
	TrustRounds = 6    // of the power iteration, after the first
	TrustSpread = 0.01 // fraction of all directions

	Solved         = 3e-6 // residual of rates, relative to the right-hand side
	ResidualRounds = 4
	// RateSolved is the residual, relative to the right-hand side, up to which rates are corrected;
	// RateRounding is the rounding of its terms in units of RateSolved.
	RateSolved   = 3 * Solved
	RateRounding = 1e-15 / RateSolved
)
