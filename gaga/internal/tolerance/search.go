package tolerance

const (
	// LostClass is the weight of a class, relative to the other's, below which it counts
	// as lost: a fit may then be beyond the solver's precision.
	LostClass        = 1e-9
	FirstAge         = 1e-6 // relative precision of the first age at which a condition holds
	FirstAgeHalvings = 200  // that look for it, at most
)
