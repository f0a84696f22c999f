package tolerance

// The optimality condition and its factors. A change alters results.
const (
	// Weight of samples whose terms no longer count in the scale of the residual: below it,
	// rounding of the losses exceeds the residual.
	FloorWeight = 1e-6
	// Below this number of active coordinates the Hessian costs no more than the losses, so that an
	// old factor saves little.
	FewColumns = 32
	// Part of the residual that a step by the factor of another point may leave before a new factor
	// pays: with few columns, with more, and with pinned samples, for which a factor is reused once
	// only if the residual falls as by Newton's method.
	FewColumnsSlow = 0.01
	ChordSlow      = 0.25
	PinnedSlow     = 1e-6
	EasyCorrection = 3 // steps of an easy correction with its own factors

	// Changes of the pinned samples' null space, or updates of predictors, after which rounding
	// requires recomputation.
	Accumulated = 200
)

// The condition with a kernel, whose predictors are sums of up to n terms. A change alters results.
const (
	KernelTight          = 10 * Tight // relative residual at which a corrector stops
	EasyKernelCorrection = 7          // steps of an easy correction, most of them by the factor of another point
	Steepest             = 1e100      // bound of δ if a weight does not change: products of three are finite

	// δ, relative to the kernel's diagonal, up to which a curved sample's predictor follows from
	// the step's image; beyond, digits cancel.
	FollowedDelta = 1e3
	// Residual of a pinned sample's equation, relative to its terms, that counts as zero: zeros are
	// solved faster.
	PinnedRounding = 4 * Unit
	ShortSecant    = 1e-8 // step, relative to the age, over which differences are rounding

	// Spectral radius of the difference between J and the factor, in units of the factor, up to
	// which the factor is used. Below 1 both have the same inertia, and corrections converge like
	// powers of the radius; a step that leaves more of the residual triggers another test (found by
	// fuzzing).
	Trusted = 0.3
	// TrustRounds bounds the rounds of the power iteration after the first; TrustWork bounds the
	// rounds times the number of unknowns.
	TrustRounds = 6
	TrustWork   = 600
	TrustSpread = 0.01 // part of all directions that the power iteration keeps

	Solved         = 3e-6  // residual of rates, relative to the right-hand side
	FormSolved     = 1e-10 // error of a sign test, relative to its terms: the square of its solution's error
	FactorChanges  = 50    // changes of a factor's rows above which rounding may keep it from following δ
	RenewalCost    = 0.1   // of a new factor in corrections, for each curved sample if all unknowns are curved
	ResidualRounds = 4     // corrections of a solution by its residual
	// RateSolved is the residual, relative to the right-hand side, up to which rates are corrected;
	// RateRounding is the rounding of its terms in units of RateSolved.
	RateSolved   = 3 * Solved
	RateRounding = 1e-15 / RateSolved
)
