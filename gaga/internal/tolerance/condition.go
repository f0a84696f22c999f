package tolerance

// The optimality condition and its factors. A change alters results.
const (
	// FloorWeight is the weight, relative to 1, of samples whose terms no longer count in the scale
	// of the residual: if all weights are smaller, rounding of the losses exceeds the residual.
	FloorWeight = 1e-6
	// FewColumns is the number of active coordinates below which summing the Hessian costs no more
	// than evaluating the losses, so that an old factor saves little.
	FewColumns = 32
	// FewColumnsSlow, ChordSlow and PinnedSlow are the part of the residual that a step by the
	// factor of another point may leave before a new factor is worth its cost: with few columns,
	// with more, and with pinned samples, for which a factor is reused once only if the residual
	// falls as by Newton's method.
	FewColumnsSlow = 0.01
	ChordSlow      = 0.25
	PinnedSlow     = 1e-6
	EasyCorrection = 3 // steps of an easy correction with its own factors

	// Accumulated is the number of changes of the pinned samples' null space, or of updates of
	// predictors, after which these are recomputed: each adds its rounding.
	Accumulated = 200
)

// The condition with a kernel, whose predictors are sums of up to n terms. A change alters results.
const (
	KernelTight          = 10 * Tight // relative residual at which a corrector stops
	EasyKernelCorrection = 7          // steps of an easy correction, most of them by the factor of another point
	Steepest             = 1e100      // bound of δ if a weight does not change: products of three are finite

	// FollowedDelta is the δ, relative to the kernel's diagonal, up to which the predictor of a
	// curved sample follows from the step's image; beyond, digits cancel.
	FollowedDelta = 1e3
	// PinnedRounding is the residual of a pinned sample's equation, relative to its terms, that
	// counts as zero: solving for zeros takes less time.
	PinnedRounding = 4 * Unit
	ShortSecant    = 1e-8 // step, relative to the age, over which differences are rounding

	// Trusted is the spectral radius of the difference between J and the factor, in units of the
	// factor, up to which the factor is used. Below 1 both have the same inertia, and corrections
	// converge like powers of the radius; if a step leaves a larger part of the residual, the
	// factor is tested again (found by fuzzing).
	Trusted = 0.3
	// TrustRounds bounds the rounds of the power iteration after the first; TrustWork bounds the
	// rounds times the number of unknowns, as a small factor allows more rounds.
	TrustRounds = 6
	TrustWork   = 600
	TrustSpread = 0.01 // part of all directions that the power iteration keeps

	Solved         = 3e-6  // residual of rates that are solved for, relative to the right-hand side
	FormSolved     = 1e-10 // error of a sign test, relative to its terms; it is the square of its solution's error
	FactorChanges  = 50    // changes of a factor's rows above which rounding may be the reason that it cannot follow δ
	RenewalCost    = 0.1   // cost of a new factor in corrections, for each curved sample if all unknowns are curved
	ResidualRounds = 4     // maximum number of corrections of a solution by its residual
	// RateSolved is the residual, relative to the right-hand side, up to which rates are corrected;
	// RateRounding is the rounding of its terms, a few units of roundoff, in units of RateSolved.
	RateSolved   = 3 * Solved
	RateRounding = 1e-15 / RateSolved
)
