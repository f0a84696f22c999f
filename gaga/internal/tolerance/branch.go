package tolerance

// The branch. Steps are relative to the age. A change alters results.
const (
	// StepLongest limits steps because event functions depend on the age even if θ does not move.
	StepLongest = 0.5
	StepBefore  = 0.5   // fraction of the way to a crossing that could not be located
	StepDoubt   = 0.125 // minimum fraction of a failed step to retry
	// StepAnew limits the first step of a piece, relative to that of the piece before, and the part
	// of a step that is kept if event functions are too curved for interpolants.
	StepAnew  = 0.25
	StepSlow  = 2   // iterations beyond an easy correction above which the next step is halved
	Locations = 100 // limit of successively earlier crossings in a step
	// StepPatience is the number of steps without progress, beyond two for each sample and eight
	// for each coordinate, that a tie of all of them does not explain.
	StepPatience = 128

	// Near is the largest distance of a correction from the prediction, relative to the way along
	// the tangent. NearObjective and NearSize are always allowed, relative to the objective and to
	// θ: a branch that does not move shows only rounding.
	Near          = 0.3
	Steady        = 0.25 // the same from the mean of the rates at both ends
	NearObjective = 1e-7
	NearSize      = 1e-8
	SamePoint     = 1e-10 // displacement after a change of partition, relative to the objective

	// RateNoise is the rounding of an event function's rate, relative to the terms over the age:
	// tied coordinates keep their gradients at the L1 weight while one of them moves.
	RateNoise   = 0.1 * Roundoff
	Instant     = 1e-13 // relative length within which an event function at roundoff counts as zero
	ScreenGuard = 10    // roundoffs beyond which a sample is not examined
	// CollinearSchur is the relative Schur complement of a coordinate that may be collinear.
	CollinearSchur = 0.1 * KKT
)
