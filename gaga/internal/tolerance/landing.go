package tolerance

// Where a landing is looked for. A change alters results.
const (
	// Widest bounds how far beyond a jump point, relative to the age, its landing point
	// is looked for; WidenBy is the factor by which the nudge grows where the optimum is
	// not yet strict. Symmetric branchings open with the square root of the nudge.
	Widest  = 1e-3
	WidenBy = 100
	// RestlessJumps is how many jumps right after landings, within RightAfter nudges, are
	// taken for real ones; from then on the nudge doubles with each, so that the path leaves
	// a place where no branch lasts.
	RestlessJumps = 8
	RightAfter    = 100
	// FirstWeight is the weight up to which a sample may as well have none: the condition
	// holds to a tenth of what is promised either way. Multipliers that are all as small
	// move no predictor by more than a solver's rounding, which would decide who is at the
	// margin.
	FirstWeight = 0.1 * KKT
	SameLanding = 100 * KKT // distance, relative to θ, up to which a jump lands where it left
)

// Majorization-minimization steps. A change alters results.
const (
	LandingSteps = 1_000_000 // of a landing at most, where the caller gives no bound
	// PlainSteps is how many steps of a landing are left as they are: they decide which
	// way it goes. With 12, 2,808 of 2,813 landings of the Lasso and of machines with the RBF
	// kernel end where plain alternation does (rows of TestCompare).
	PlainSteps = 12
	// PlainNearSetSteps is the same for the near set, where steps cost little. On digits
	// and mfeat-pixel with noise one landing in 100 ends elsewhere with PlainSteps, one in
	// 2,000 with these.
	PlainNearSetSteps = 200
	// LargestTerm is the largest size of a multiplier's part of a predictor with which the near set
	// works: rounding of larger ones shows beside a margin of 1 (2e-7).
	LargestTerm = 1e9
	GramSteps   = 20_000 // in Gram form at most; the next descent then takes over
	// QuietSteps is how many steps in a row must not change a zone before the corrector
	// is tried. QuietFitSteps is the same for steps by a convex solver, which often change
	// zones again: with 6 paths of logistic regression take 0.96 of the time with 2.
	// QuietKernelSteps is that for kernels, where 4 or 6 save nothing.
	QuietSteps       = 2
	QuietFitSteps    = 6
	QuietKernelSteps = 3
	// StepRounding is the rise of the objective, relative to it, that is rounding of one step
	// through a bottleneck, where it falls by less than KKT.
	StepRounding   = 1e-3 * KKT
	FittedRounding = 64 * Unit // rounding of a predictor, relative to the target that it is near
	// LapSteps is after how many steps of the near set it is checked that they lead
	// somewhere: by more than LapPart of the way, or by steps half as long as those before.
	// FitLapSteps is the same for steps by a convex solver: where a weight's slope is
	// infinite they are noise of the fits, which over so many comes nowhere.
	LapSteps    = 16
	FitLapSteps = 256
	LapPart     = 0.01
)

// Extrapolation. A change alters results.
const (
	Parallel = 0.999 // cosine above which a step counts as parallel to the way come so far, or to the step before
	Recovery = 50    // steps that may correct what was extrapolated too far
	// LongestFactor is how many times as far as it has come a step goes at most, where no
	// sample changes its zone; unless the objective is quadratic there it then goes
	// StraightPart of the solution's size at most, as steps are nearly linear there. FactorCut
	// is the part of a factor that failed which the next one has.
	LongestFactor        = 1000.0
	StraightPart         = 1e-4
	FactorCut            = 0.25
	LongestExtrapolation = 0.01 // step, relative to the solution
)

// Directions of escape. A change alters results.
const (
	// EscapeLength is the farthest point tried along one, by the predictors that move
	// most, relative to the predictors' size.
	EscapeLength = 0.02
)

// The active-set method for linear support vector machines. A change alters results.
const (
	SupportSlack = 100 * Tight // violation of a condition, relative to its terms, that is rounding
	// SupportTight is what refinement leaves of it, and the pivot, relative to its terms, of a
	// sample that depends on the free ones.
	SupportTight = 0.1 * SupportSlack
	// FewExchanges is how many exchanges a fit may have, beside one for each sample. More
	// take longer than a solver that looks at all samples.
	FewExchanges      = 200
	PredictorRounding = 16 * Unit // relative to the norms of a predictor's factors
	// ShortestRadius is the radius of a neighbourhood, relative to the solution, below
	// which so many samples are near that leaving some out does not pay.
	ShortestRadius = 1e-5
)
