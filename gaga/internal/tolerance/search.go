package tolerance

// Alternate convex search.
const (
	FirstAge = 1e-6 // relative precision of the bisection
)
