package tolerance

// Coarse continuation.
const (
	// CoarseStep is the first step tried, relative to the age.
	CoarseStep = 0.01
	// CoarseTight is the relative residual at which the semismooth method stops: between
	// knots a hundred times the corrector's will do.
	CoarseTight = 100 * Tight
	// CoarseBend is how much the rates may differ between a step's ends, and θ's
	// displacement from what their mean says, relative to the larger rate. Before a fold
	// the rate grows without bound.
	CoarseBend = 0.5
	// CoarseStraight is the same difference below which H, whose inverse the rates have as
	// a factor, counts as changing steadily, so that half-way needs no look.
	CoarseStraight = 0.1
	// CoarseStill is how far, squared and relative to the size of the objective, θ moves
	// that stands still: twice what a corrector may be off.
	CoarseStill = 4 * NearObjective * NearObjective
	// SlopeMargin is by how much a sample's least slope over a step is taken lower, relative
	// to it, as the sample may go beyond the losses at the step's ends.
	SlopeMargin = 0.1
)
