package tolerance

// The optimality condition and its factors.
const (
	// FloorWeight is the weight, relative to 1, of samples whose terms no longer count in
	// the scale of the residual: where all weights are smaller, the residual drowns in the
	// rounding of the losses.
	FloorWeight = 1e-6
	// FewColumns is the number of active coordinates below which summing the Hessian
	// costs no more than evaluating the losses, so that an old factor saves little.
	FewColumns = 32
	// FewColumnsSlow is the part of the residual that a step by the factor of another
	// point may leave before a new factor is worth its cost, where there are few columns;
	// ChordSlow is that part where there are more.
	FewColumnsSlow = 0.01
	ChordSlow      = 0.25
	// PinnedSlow is that part where there are pinned samples: only where the residual falls
	// as by Newton's method does the factor serve once more.
	PinnedSlow = 1e-6
	// EasyCorrection is how many steps an easy correction takes by factors of its own.
	EasyCorrection = 3

	// Dependent is the pivot of the pinned samples' triangular factor, relative to the
	// row, below which they count as dependent.
	Dependent = KKT
	// BasisChanges is how many changes the basis of their null space takes before it is
	// built anew: each adds its rounding.
	BasisChanges = 200
)

// The condition with a kernel, whose predictors are sums of up to as many terms as there
// are samples.
const (
	// KernelTight is the relative residual at which a corrector stops.
	KernelTight = 10 * Tight
	// EasyKernelCorrection is how many steps an easy correction takes, of which most are
	// by the factor of another point.
	EasyKernelCorrection = 7
	// BaseMoves is how often predictors are moved before they are summed from scratch:
	// each move adds its rounding.
	BaseMoves = 200
	// Steepest bounds δ, which is infinite where a weight does not change: products of
	// three are still finite.
	Steepest = 1e100

	// Trusted is the spectral radius of the difference between J and the factor, in units
	// of the factor, up to which the factor serves: below 1 both have the same inertia,
	// and corrections converge like its powers.
	Trusted = 0.3
	// TrustedSlow is the part of the residual that a step by a factor that is still
	// trusted leaves at most, about the square of Trusted. Where a step leaves more the
	// factor is tested again, as a fuzz input asked for.
	TrustedSlow = 0.1
	// TrustRounds bounds the rounds of the power iteration beside the first; TrustWork
	// bounds them times the number of unknowns, as a small factor allows more.
	TrustRounds = 6
	TrustWork   = 600
	// TrustSpread is the part of all directions that the power iteration keeps.
	TrustSpread = 0.01
	// BorderSteady is the change of the border's pivot, relative to it, that needs no
	// second look; BorderLeast is the part of it that must remain behind one.
	BorderSteady = 0.05
	BorderLeast  = 0.1

	// Solved is the residual, relative to the right-hand side, up to which a solution is
	// corrected.
	Solved = KKT
	// FewCorrections is how many corrections by the factor of another point cost less
	// than a new factor.
	FewCorrections = 3
	// ResidualRounds is how often a solution is corrected by its residual in all.
	ResidualRounds = 4
	// RateSolved is the residual, relative to the right-hand side, up to which rates are
	// corrected; RateRounding is the size of its terms' rounding, some roundings of one,
	// in units of RateSolved.
	RateSolved   = 10 * KKT
	RateRounding = 1e-15 / RateSolved
)
