package tolerance

// Where a landing is sought.
const (
	// Widest is the largest distance of a landing beyond its jump, relative to the age; WidenBy
	// widens the nudge if the optimum is not yet strict; a jump within such a nudge of the landing is
	// right after it.
	Widest  = 1e-3
	WidenBy = 100
	// RestlessJumps is the number of jumps right after landings beyond which each doubles the nudge.
	RestlessJumps = 8
)

// Majorization-minimization steps.
const (
	// LandingSteps is the default limit of a landing, about the work of four searches at 41 ages.
	LandingSteps = 20_000
	// PlainSteps before extrapolation decide the optimum that a landing reaches. With 12, 2,808 of
	// 2,813 landings of the Lasso and of machines with the RBF kernel end where plain alternation
	// does (rows of TestCompare).
	PlainSteps = 12
	// PlainNearSetSteps is the same for the near set: on digits and mfeat-pixel with noise one
	// landing in 2,000 ends elsewhere, with PlainSteps one in 100.
	PlainNearSetSteps = 200
	// LargestTerm limits a multiplier's part of a predictor in the near set: rounding of larger
	// ones shows relative to a margin of 1 (2e-7).
	LargestTerm = 1e9
	// QuietSteps is the number of steps without a zone change before the corrector; steps by a
	// convex solver often change zones again. With 3 in Gram form, the Lasso on ailerons takes ten
	// times as many steps; with 3 by its solver, it lands elsewhere.
	QuietSteps       = 2
	QuietFitSteps    = 6
	QuietKernelSteps = 3
	FittedRounding   = 64 * Unit // relative to the target that a predictor fits
	// LapSteps of the near set must move by LapPart of their length, or be shorter than half the
	// lap before. FitLapSteps is for a convex solver: where a weight is steep, its steps are noise.
	LapSteps    = 16
	FitLapSteps = 256
	LapPart     = 0.01
)

// Extrapolation.
const (
	Parallel = 0.999 // cosine of a step with the way or the step before
	Recovery = 50    // steps after an extrapolation
	// LongestFactor bounds an extrapolated step, relative to the distance from the base point, if
	// no sample changes its zone; StraightPart, relative to the solution, unless the objective is
	// quadratic. FactorCut reduces the factor after a failure.
	LongestFactor        = 1000.0
	StraightPart         = 1e-4
	FactorCut            = 0.25
	LongestExtrapolation = 0.01 // relative to the solution
)

// Directions of escape.
const (
	// EscapeLength is the farthest point tried, by the change of predictors relative to their size.
	EscapeLength = 0.02
)

// The active-set method for linear support vector machines.
const (
	// FewExchanges, plus one for each sample, is where a solver that examines all samples is
	// faster.
	FewExchanges      = 200
	PredictorRounding = 16 * Unit // relative to the norms of a predictor's factors
)
