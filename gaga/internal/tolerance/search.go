package tolerance

const (
	// LostClass is the weight of a class, relative to the other's, below which it counts
	// as lost: a fit may then be beyond the solver's precision.
	LostClass = 1e-9
	// FirstAge is the relative precision of the first age at which a condition holds.
	FirstAge = 1e-6
	// FirstAgeHalvings bounds the halvings that look for it.
	FirstAgeHalvings = 200
)
