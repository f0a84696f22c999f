package tolerance

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
)
