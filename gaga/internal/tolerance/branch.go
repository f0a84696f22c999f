package tolerance

// The branch. Steps are relative to the age. A change alters results.
const (
	// StepLongest bounds steps even if θ does not move: event functions depend on the age, and
	// their interpolants must be good.
	StepLongest = 0.5
	StepBefore  = 0.5   // part of the way to a crossing that could not be located: the branch may end earlier
	StepDoubt   = 0.125 // smallest part of a failed step that an estimate of the branch's end may leave
	// StepAnew is the minimum first step of a piece, relative to the first step of the piece
	// before; and the minimum part of a step that is kept if event functions are too curved for
	// interpolants.
	StepAnew  = 0.25
	StepSlow  = 2   // iterations beyond an easy correction above which the next step is halved
	Locations = 100 // ever earlier crossings that a step may find
	// StepPatience is the number of steps without progress, beyond two for each sample and eight
	// for each coordinate: more than a tie of all of them explains.
	StepPatience = 128

	// Near is the largest distance of a correction from the prediction, relative to the way along
	// the tangent; a larger one may have left the branch. NearObjective and NearSize are distances
	// that are always allowed, relative to the size of the objective and of θ: a branch that does
	// not move shows only rounding.
	Near          = 0.3
	Steady        = 0.25 // the same from the mean of the rates at both ends, relative to the way
	NearObjective = 1e-7
	NearSize      = 1e-8
	SamePoint     = 1e-10 // allowed distance after a change of the partition, relative to the objective

	// RateNoise is the rate, relative to the terms over the age, up to which the rate of an event
	// function at zero is rounding: tied coordinates, for example, keep their gradients at the L1
	// weight while one of them moves.
	RateNoise   = 0.1 * Roundoff
	Instant     = 1e-13 // length, relative to the age, within which an event function within roundoff of zero counts as zero
	ScreenGuard = 10    // roundoffs of an event function beyond which a sample need not be examined
	// CollinearSchur is the Schur complement of a coordinate, relative to its terms, up to which
	// the coordinate may be a combination of the active ones.
	CollinearSchur = 0.1 * KKT
)
