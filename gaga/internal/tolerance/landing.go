package tolerance

// Where a landing is sought. A change alters results.
const (
	// Largest distance of a landing beyond its jump, relative to the age, and growth of the nudge
	// if the optimum is not yet strict. Symmetric branchings open with the square root of the
	// nudge.
	Widest  = 1e-3
	WidenBy = 100
	// Jumps right after landings, within RightAfter nudges, beyond which the nudge doubles with
	// each, so that the path leaves a place where no branch lasts.
	RestlessJumps = 8
	RightAfter    = 100
	// Weight up to which a sample counts as having none: the condition then holds to a tenth of the
	// promised residual either way. Smaller multipliers move no predictor by more than a solver's
	// rounding, which would decide which samples are at the margin.
	FirstWeight = 0.1 * KKT
	SameLanding = 100 * KKT // relative to θ, up to which a jump lands where it left
)

// Majorization-minimization steps. A change alters results.
const (
	LandingSteps = 1_000_000 // of a landing, by default
	// Steps before extrapolation decide the optimum that a landing reaches. With 12, 2,808 of 2,813
	// landings of the Lasso and of machines with the RBF kernel end where plain alternation does
	// (rows of TestCompare).
	PlainSteps = 12
	// With cheap steps in the near set: on digits and mfeat-pixel with noise one landing in 2,000
	// ends elsewhere, with PlainSteps one in 100.
	PlainNearSetSteps = 200
	// Largest part of a multiplier in a predictor for the near set: larger ones' rounding shows
	// relative to a margin of 1 (2e-7).
	LargestTerm = 1e9
	GramSteps   = 20_000 // in Gram form; the next descent then takes over
	// Consecutive steps without a change of zone before the corrector is tried; more by a convex
	// solver, whose steps often change zones again (6 is fastest for logistic regression).
	QuietSteps       = 2
	QuietFitSteps    = 6
	QuietKernelSteps = 3
	// Relative rise of the objective that is rounding of one step through a bottleneck, where the
	// objective falls by less than KKT.
	StepRounding   = 1e-3 * KKT
	FittedRounding = 64 * Unit // of a predictor, relative to the target that it fits
	// Steps of the near set after which progress is checked: the displacement must exceed LapPart
	// of the way, or the way must be less than half of the lap before. FitLapSteps is for a convex
	// solver: where a weight's slope is infinite, its steps are noise, which leads nowhere over
	// that many.
	LapSteps    = 16
	FitLapSteps = 256
	LapPart     = 0.01
)

// Extrapolation. A change alters results.
const (
	Parallel = 0.999 // cosine of a step with the way so far, or with the step before
	Recovery = 50    // steps that may correct an extrapolation that went too far
	// LongestFactor bounds an extrapolated step, relative to the distance from the base point, if
	// no sample changes its zone. Unless the objective is quadratic there, the step is also at most
	// StraightPart of the solution's size, where steps are nearly linear. FactorCut is the ratio of
	// the next factor to one that failed.
	LongestFactor        = 1000.0
	StraightPart         = 1e-4
	FactorCut            = 0.25
	LongestExtrapolation = 0.01 // step, relative to the solution
)

// Directions of escape. A change alters results.
const (
	// Farthest point tried, by the largest change of a predictor relative to the predictors' size.
	EscapeLength = 0.02
)

// The active-set method for linear support vector machines. A change alters results.
const (
	SupportSlack = 100 * Tight // violation of a condition, relative to its terms, that is rounding
	// Violation that refinement leaves, and relative pivot of a sample that depends on the free
	// ones.
	SupportTight = 0.1 * SupportSlack
	// Exchanges of a fit, in addition to one for each sample; beyond, a solver that examines all
	// samples is faster.
	FewExchanges      = 200
	PredictorRounding = 16 * Unit // relative to the norms of a predictor's factors
	// Radius of a neighbourhood, relative to the solution, below which leaving samples out does not
	// pay.
	ShortestRadius = 1e-5
)
