package tolerance

// The corrector. A change alters results.
const (
	// CorrectorSteps is how many steps a correction has where each has a factor of its
	// own: quadratic convergence takes five, halved steps near a fold some more.
	CorrectorSteps = 15
	ChordSteps     = 40    // where one factor serves many steps
	Diverged       = 100   // ratio of residuals before and behind a step beyond which no solution is near
	LocateSlow     = 1e-3  // part of the residual that a step of a location may leave, where no factor is held over
	EventValue     = 1e-13 // event function, relative to its terms, that is zero: ten roundings of a sum of some hundred
	EventEnd       = 1e-12 // how far beyond its end
	RoundingGuard  = 4     // bounds of the rounding of predictors that a residual of rounding alone may reach
)
