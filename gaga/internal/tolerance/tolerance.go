// Package tolerance has every number by which the engine decides: tolerances, derived from those of
// this file, and budgets, which bound work and never correctness.
package tolerance

const (
	Unit = 0x1p-52 // unit roundoff of float64
	KKT  = 1e-9    // promised relative residual of the optimality condition
	// Negligible is what the promise does not notice, a tenth of it: a residual or displacement
	// after a change of partition, a weight or pivot that may be none, the error of a sign test. A
	// sample is examined if its event function is as small.
	Negligible = 0.1 * KKT
	// Roundoff is the relative size of what can be rounding at a solution: a residual, a step of the
	// age, an event function below zero, the change of a sample's term in H.
	Roundoff = 0.01 * KKT
	// SumRounding is the rounding of a sum without cancelling terms, relative to these: a rate, a
	// rise of the objective, a violation of the hinge's conditions, the gradient of moments.
	SumRounding = 1e-3 * KKT
	// Tight is the relative residual at which a corrector stops: some tens of roundings. TightSum is
	// that of an equation that sums over up to n samples, and the accuracy of an event.
	Tight    = 1e-14
	TightSum = 10 * Tight
	// TermRounding is the rounding of a predictor, relative to its terms.
	TermRounding = 4 * Unit
	// Singular is the pivot of a singular Hessian, relative to the diagonal's positive terms.
	Singular = 1e-12
	Nudge    = KKT // of a landing beyond its jump, relative to the age
	// Dependent is the part of a sample outside the span of others that is rounding.
	Dependent = 64 * Unit
	// LargestDeviation of a feature, in units of the distance of its quartiles, by which it is far
	// from 0 or not.
	LargestDeviation = 16
)

// The corrector.
const (
	// CorrectorSteps with a factor each: quadratic convergence takes five, halved steps more.
	CorrectorSteps = 15
	ChordSteps     = 40   // the same with one factor
	Entry          = 4    // ratio of the residuals of two solutions
	Diverged       = 100  // growth of the residual in a step
	LocateSlow     = 1e-3 // fraction of the residual after a step of a location, if no factor is held
)

// The samples' part of the optimality condition.
const (
	// PassedOn is the part of a predictor's relative change, as the weight passes it on, that
	// counts as a term of the condition. With 1 the corrector stops too early where weights are
	// small but change fast.
	PassedOn   = 1e-3
	SizeChange = 1e-3 // of the terms' total size, before it is summed again: scales need three digits
)

// The search for the end of a gap, see gaga.Gap, and for the first age of a path.
const (
	GapRatio     = 1.1  // of the ages tried
	GapPrecision = 1e-4 // of the end, relative
	FirstAge     = 1e-6 // of the bisection, relative
)

// Checks of the audit, wider than the engine's, to raise no false alarm.
const (
	AuditRounding  = 1e3 * Unit // of a predictor, relative to its terms
	AuditDirection = 1e-6       // of an event function's rate: rates are less exact than points
	AuditUnknowns  = 60         // for which eigenvalues are computed
	AuditSteepest  = 1e6        // of a kernel's diagonal: other eigenvalues keep their digits
)

// Windows.
const (
	// WindowFew and WindowMany bound the number of watched samples. With a WindowFew of 16,
	// landings of the hard regularizer on delta_elevators take three times as long.
	WindowFew  = 32
	WindowMany = 512
	// WindowLeast is the number of samples up to which there is no window, WindowRows the minimum
	// ratio of samples to columns: below, the Hessian costs more than all predictors.
	WindowLeast = 256
	WindowRows  = 8
	WindowAmple = 1.25 // ratio of valid to intended length
	WindowStray = 0.25 // off the tangent, relative to the way along it
	WindowLeft  = 0.02 // fraction left for reuse
	WindowFirst = 1e-3 // relative to the age
	// WindowBrief is the relative length below which a window, or a neighbourhood, does not pay: it
	// watches a crowd of samples at a threshold. A doubled window may watch WindowAmple times as
	// many.
	WindowBrief = 1e-5
	WindowLook  = 8  // lengths within which samples are first looked for
	WindowJumps = 16 // jumps in the running mean of their length; the longest decays as fast
	WindowMoves = 16 // sizes are recomputed after moves of n/16 samples
)

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
	Steeper              = 1e-6  // distance from a threshold, relative, whose digits give a weight's power

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

// The branch. Steps are relative to the age.
const (
	// StepLongest limits steps because event functions depend on the age even if θ does not move.
	StepLongest  = 0.5
	StepBefore   = 0.5  // fraction of the way to a crossing that could not be located
	StepStanding = 1e-3 // first step after a change where θ stands while weights change
	// StepAnew limits the first step of a piece, relative to that of the piece before, and the part
	// of a step that is kept if event functions are too curved for interpolants.
	StepAnew = 0.25
	// StepPatience is the number of steps without progress, or of successively earlier crossings in
	// a step, beyond two for each sample and eight for each coordinate, that a tie of all of them
	// does not explain.
	StepPatience = 128
	// StepsAlone is the number of steps between critical points beyond which a branch stalls, and
	// StepCrowd that of all steps in units of the patience, unless the age grows by StepGrowth.
	StepsAlone = 512
	StepCrowd  = 8
	StepGrowth = 0.1

	// Near is the largest distance of a correction from the prediction, relative to the way along
	// the tangent.
	Near = 0.3
	// Agreement is the difference of two predictions of one way that agree, relative to it: by the
	// rates at both ends, of a fold, by the first step of a correction.
	Agreement = 0.25
	// Still is the displacement of a branch that does not move, or of a landing that stays: relative
	// to the objective or to the largest coefficient. NearSize is relative to θ in its terms of H.
	Still    = 100 * KKT
	NearSize = 1e-8

	FoldGrowth = 1.5 // of squared speeds between two points on the way to a fold
	FoldSpeed  = 1e4 // growth of squared speeds at the fold
	FoldStep   = 0.9 // fraction of the distance to a fold, to see events on it
)

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

// Extrapolation, and escape from a point left.
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
	// EscapeLength is the farthest point tried, by the change of predictors relative to their size.
	EscapeLength = 0.02
	AlsoMost     = 0.6 // part of the largest change of a predictor that is one of the largest
)

// The active-set method for linear support vector machines.
const (
	// FewExchanges, plus one for each sample, is where a solver that examines all samples is
	// faster.
	FewExchanges      = 200
	PredictorRounding = 16 * Unit // relative to the norms of a predictor's factors
)
