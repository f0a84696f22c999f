package tolerance

// FirstAge is the relative precision of the bisection in alternate convex search. A change alters
// results.
const FirstAge = 1e-6
