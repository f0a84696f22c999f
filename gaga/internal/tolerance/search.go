package tolerance

// Alternate convex search. A change alters results.
const (
	FirstAge         = 1e-6 // relative precision of the first age at which a condition holds
	FirstAgeHalvings = 200  // of the bisection
)
