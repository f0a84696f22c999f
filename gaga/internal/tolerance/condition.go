package tolerance

// The optimality condition and its factors. A change alters results.
const (
	// FloorWeight is the weight, relative to 1, of samples whose terms no longer count in
	// the scale of the residual: where all weights are smaller, the residual drowns in the
	// rounding of the losses.
	FloorWeight = 1e-6
	// FewColumns is the number of active coordinates below which summing the Hessian
	// costs no more than evaluating the losses, so that an old factor saves little.
	FewColumns = 32
	// FewColumnsSlow, ChordSlow and PinnedSlow are the part of the residual that a step by
	// the factor of another point may leave before a new factor is worth its cost: with few
	// columns, with more, and with pinned samples, where the factor serves once more only if
	// the residual falls as by Newton's method.
	FewColumnsSlow = 0.01
	ChordSlow      = 0.25
	PinnedSlow     = 1e-6
	EasyCorrection = 3 // steps of an easy correction by factors of its own

	// Accumulated is the number of changes of the pinned samples' null space, or of moves of
	// predictors, after which these are made anew: each adds its rounding.
	Accumulated = 200
)

// The condition with a kernel, whose predictors are sums of up to as many terms as there
// are samples. A change alters results.
const (
	KernelTight          = 10 * Tight // relative residual at which a corrector stops
	EasyKernelCorrection = 7          // steps of an easy one, most by the factor of another point
	Steepest             = 1e100      // bound of δ where a weight does not change: products of three are finite

	// FollowedDelta is the δ, relative to the kernel's diagonal, up to which the predictor of a
	// curved sample follows from the step's image; beyond, digits cancel.
	FollowedDelta = 1e3
	// PinnedRounding is the residual of a pinned sample's equation, relative to its terms, that
	// is rounding and counts as zero: a step for zeros is solved for in less time.
	PinnedRounding = 4 * Unit
	ShortSecant    = 1e-8 // step, relative to the age, over which differences are rounding

	// Trusted is the spectral radius of the difference between J and the factor, in units
	// of the factor, up to which the factor serves: below 1 both have the same inertia,
	// and corrections converge like its powers: where a step leaves more of the residual
	// the factor is tested again, as a fuzz input asked for.
	Trusted = 0.3
	// TrustRounds bounds the rounds of the power iteration beside the first; TrustWork
	// bounds them times the number of unknowns, as a small factor allows more.
	TrustRounds = 6
	TrustWork   = 600
	TrustSpread = 0.01 // part of all directions that the power iteration keeps

	Solved         = 3e-6  // residual of rates that are solved for, relative to the right-hand side
	FormSolved     = 1e-10 // error of a sign test, relative to its terms, which is the square of its solution's
	FactorChanges  = 50    // of a factor's rows, from which on it can be rounding that it is not brought to another δ
	RenewalCost    = 0.1   // cost of a new factor in corrections, for each curved sample, all unknowns being curved
	ResidualRounds = 4     // corrections of a solution by its residual in all
	// RateSolved is the residual, relative to the right-hand side, up to which rates are
	// corrected; RateRounding is the size of its terms' rounding, some roundings of one,
	// in units of RateSolved.
	RateSolved   = 3 * Solved
	RateRounding = 1e-15 / RateSolved
)
