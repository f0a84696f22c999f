package tolerance

// Where a landing is sought. A change alters results.
const (
	// Widest is the largest distance of a landing point beyond its jump point, relative to the age;
	// WidenBy is the factor by which the nudge grows if the optimum is not yet strict. Symmetric
	// branchings open with the square root of the nudge.
	Widest  = 1e-3
	WidenBy = 100
	// RestlessJumps is the number of jumps right after landings, within RightAfter nudges, that are
	// accepted; from then on the nudge doubles with each, so that the path leaves a place where no
	// branch lasts.
	RestlessJumps = 8
	RightAfter    = 100
	// FirstWeight is the weight up to which a sample counts as having none: the condition then
	// holds to a tenth of the promised residual either way. If all multipliers are this small, they
	// move no predictor by more than a solver's rounding, which would decide which samples are at
	// the margin.
	FirstWeight = 0.1 * KKT
	SameLanding = 100 * KKT // distance, relative to θ, up to which a jump lands where it left
)

// Majorization-minimization steps. A change alters results.
const (
	LandingSteps = 1_000_000 // of a landing, if the caller gives no limit
	// PlainSteps is the number of a landing's steps before extrapolation: they decide the optimum
	// that it reaches. With 12, 2,808 of 2,813 landings of the Lasso and of machines with the RBF
	// kernel end where plain alternation does (rows of TestCompare).
	PlainSteps = 12
	// PlainNearSetSteps is the same for the near set, where steps cost little. On digits and
	// mfeat-pixel with noise one landing in 100 ends elsewhere with PlainSteps, one in 2,000 with
	// PlainNearSetSteps.
	PlainNearSetSteps = 200
	// LargestTerm is the largest size of a multiplier's part of a predictor for which the near set
	// is used: the rounding of larger ones shows relative to a margin of 1 (2e-7).
	LargestTerm = 1e9
	GramSteps   = 20_000 // in Gram form; the next descent then takes over
	// QuietSteps is the number of consecutive steps without a change of zone before the corrector
	// is tried. QuietFitSteps is the same for steps by a convex solver, which often change zones
	// again (6 is fastest for logistic regression), QuietKernelSteps for kernels, where more saves
	// nothing.
	QuietSteps       = 2
	QuietFitSteps    = 6
	QuietKernelSteps = 3
	// StepRounding is the rise of the objective, relative to it, that is rounding of one step
	// through a bottleneck, where the objective falls by less than KKT.
	StepRounding   = 1e-3 * KKT
	FittedRounding = 64 * Unit // rounding of a predictor, relative to the target that it fits
	// LapSteps is the number of steps of the near set after which progress is checked: the
	// displacement must exceed LapPart of the way, or the way must be less than half of the lap
	// before. FitLapSteps is the same for steps by a convex solver: where a weight's slope is
	// infinite, steps are noise of the fits, which leads nowhere over that many steps.
	LapSteps    = 16
	FitLapSteps = 256
	LapPart     = 0.01
)

// Extrapolation. A change alters results.
const (
	Parallel = 0.999 // cosine above which a step counts as parallel to the way so far, or to the step before
	Recovery = 50    // steps that may correct an extrapolation that went too far
	// LongestFactor is the largest factor of an extrapolated step, relative to the distance from
	// the base point, if no sample changes its zone. Unless the objective is quadratic there, the
	// step is also at most StraightPart of the solution's size, where steps are nearly linear.
	// FactorCut is the ratio of the next factor to one that failed.
	LongestFactor        = 1000.0
	StraightPart         = 1e-4
	FactorCut            = 0.25
	LongestExtrapolation = 0.01 // largest step, relative to the solution
)

// Directions of escape. A change alters results.
const (
	// EscapeLength is the farthest point tried along one, by the largest change of a predictor
	// relative to the predictors' size.
	EscapeLength = 0.02
)

// The active-set method for linear support vector machines. A change alters results.
const (
	SupportSlack = 100 * Tight // violation of a condition, relative to its terms, that is rounding
	// SupportTight is the violation that refinement leaves, and the pivot, relative to its terms,
	// of a sample that depends on the free ones.
	SupportTight = 0.1 * SupportSlack
	// FewExchanges is the limit on exchanges of a fit, in addition to one for each sample. More
	// take longer than a solver that examines all samples.
	FewExchanges      = 200
	PredictorRounding = 16 * Unit // relative to the norms of a predictor's factors
	// ShortestRadius is the radius of a neighbourhood, relative to the solution, below which too
	// many samples are near for leaving some out to pay.
	ShortestRadius = 1e-5
)
