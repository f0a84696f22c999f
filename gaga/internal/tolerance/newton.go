package tolerance

// The corrector. A change alters results.
const (
	// Steps of a correction in which each has its own factor: quadratic convergence takes five,
	// halved steps near a fold some more.
	CorrectorSteps = 15
	ChordSteps     = 40    // the same if one factor is used for many steps
	Diverged       = 100   // growth of the residual in a step above which no solution is near
	LocateSlow     = 1e-3  // part of the residual that a step of a location may leave, if no factor is held over
	EventValue     = 1e-13 // event function, relative to its terms, that is zero: ten roundings of a sum of some hundred
	EventEnd       = 1e-12 // age of a location beyond its end, relative
	RoundingGuard  = 4     // multiple of the bound of the predictors' rounding that still counts as rounding
)
