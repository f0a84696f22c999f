package tolerance

// The corrector.
const (
	// CorrectorSteps with a factor each: quadratic convergence takes five, halved steps more.
	CorrectorSteps = 15
	ChordSteps     = 40   // the same with one factor
	Entry          = 4    // ratio of the residuals of two solutions
	Diverged       = 100  // growth of the residual in a step
	LocateSlow     = 1e-3 // fraction of the residual after a step of a location, if no factor is held
)
