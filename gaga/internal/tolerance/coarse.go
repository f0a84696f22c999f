package tolerance

// Coarse continuation.
const (
	CoarseStep  = 0.01        // first step tried, relative to the age
	CoarseTight = 100 * Tight // relative residual at which the semismooth method stops
	// CoarseBend is how much the rates may differ between a step's ends, and θ's
	// displacement from what their mean says, relative to the larger rate: before a fold
	// the rate grows without bound. Below CoarseStraight H, whose inverse the rates have
	// as a factor, counts as changing steadily, so that half-way needs no look.
	CoarseBend     = 0.5
	CoarseStraight = 0.1
	// CoarseStill is how far, squared and relative to the size of the objective, θ moves
	// that stands still: twice what a corrector may be off.
	CoarseStill = 4 * NearObjective * NearObjective
	// SlopeMargin is by how much a sample's least slope over a step is taken lower, relative
	// to it, as the sample may go beyond the losses at the step's ends.
	SlopeMargin = 0.1
)
