package tolerance

// The corrector.
const (
	// CorrectorSteps is how many steps a correction has where each has a factor of its
	// own: quadratic convergence takes five, halved steps near a fold some more.
	CorrectorSteps = 15
	// ChordSteps is how many it has where one factor serves many steps.
	ChordSteps = 40
	// Diverged is how many times as large as before a step a residual may be: more and
	// there is no solution near.
	Diverged = 100
	// LocateSlow is the part of the residual that a step of a location may leave before
	// it takes a new factor, where none is held over from other points.
	LocateSlow = 1e-3
	// EventValue is the event function's value, relative to its terms, at which it counts
	// as zero: ten roundings of a sum of some hundred terms.
	EventValue = 1e-13
	// EventAge is how far before the segment, relative to the age, a step may lead in between.
	EventAge = KKT
	// EventEnd is how far beyond its end, relative to the age, it may.
	EventEnd = 1e-12
)
