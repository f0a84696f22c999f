package tolerance

// Alternate convex search. A change alters results.
const (
	FirstAge = 1e-6 // relative precision of the bisection
)
