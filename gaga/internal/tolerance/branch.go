package tolerance

// The branch. Steps are relative to the age. A change alters results.
const (
	// StepLongest bounds steps as event functions depend on the age also where θ stands
	// still, and their interpolants must be good.
	StepLongest = 0.5
	StepBefore  = 0.5   // part of the way to a crossing that could not be located: the branch may end before
	StepDoubt   = 0.125 // part of a step that failed which an estimate of where the branch ends leaves at least
	// StepAnew is the part of the first step of a piece with which the next one begins at
	// least, and that of a step which is kept where event functions are too curved for
	// interpolants.
	StepAnew  = 0.25
	StepSlow  = 2   // iterations beyond an easy correction from which the next step is halved
	Locations = 100 // earlier and earlier crossings that a step may find
	// StepPatience is the number of steps without progress, beyond two for each sample and
	// eight for each coordinate: more than a tie of all these accounts for.
	StepPatience = 128

	// Near is how far, relative to the way along the tangent, a correction may lead from
	// the prediction: farther, it may have left the branch. NearObjective and NearSize are
	// how far it may lead in any case, relative to the size of the objective and of θ:
	// where the branch stands still there is only rounding.
	Near          = 0.3
	Steady        = 0.25 // the same from what the mean of the rates at both ends says, relative to the way
	NearObjective = 1e-7
	NearSize      = 1e-8
	SamePoint     = 1e-10 // how far it may lead behind a change of the partition, relative to the objective

	// RateNoise is the rate, relative to the terms over the age, up to which the rate of an
	// event function at zero is rounding: tied coordinates, say, keep their gradients at the
	// L1 weight while one of them moves.
	RateNoise   = 0.1 * Roundoff
	Instant     = 1e-13 // how soon, relative to the age, an event function within roundoff of zero is there
	ScreenGuard = 10    // roundoffs of an event function beyond which a sample need not be looked at
	// CollinearSchur is the Schur complement of a coordinate, relative to its terms, up to
	// which it may be a combination of the active ones.
	CollinearSchur = 0.1 * KKT
)
