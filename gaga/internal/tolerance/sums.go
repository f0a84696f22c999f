package tolerance

// What the samples add to the optimality condition.
const (
	// SlopeChange is the change of a sample's slope ∂φ/∂u, relative to it, up to which the
	// sample stays in H as it is: ten times the pivot at which H counts as singular.
	SlopeChange = 10 * Singular
	// PassedOn is the part of a predictor's relative change, as the weight passes it on,
	// that counts as a term of the condition. The residual cannot fall below its rounding,
	// some 1e-13 of this. A part of one lets the corrector stop too early where weights
	// are small but change fast.
	PassedOn   = 1e-3
	SizeChange = 1e-3 // change of the terms' total size from which sizes are summed anew: scales need three digits
)

// Expansions of the sums in a window.
const (
	// ExpansionError is the error of an expansion's gradient, relative to its terms, that
	// windows are made for: a thousandth of what is promised. It may be ExpansionExcess
	// times that, as cutting the window costs another sum over all samples.
	ExpansionError  = 1e-3 * KKT
	ExpansionExcess = 4
	ExpansionEntry  = 1e-2 * ExpansionError // the last coefficient of a sample that comes in, relative to all terms
	ExpansionMargin = 0.9                   // part of the length that the last error allows
	ExpansionGrowth = 2                     // length of the next window over the last one's
	ExpansionReuse  = 1.3                   // the same where less than half of the last one served
	ExpansionCuts   = 40                    // of a window, at most
	// ExpansionLeft is the part of a window's length, and of how far off its tangent it goes,
	// that the last expansion must serve to be used on.
	ExpansionLeft = 0.25
	// ExpansionLongest is the length at most, relative to the age, of one that serves many windows.
	ExpansionLongest = 0.5
	// ExpansionGuard is the guard factor: within how many lengths of the window the samples
	// that can reach a boundary are summed as they are. Near a boundary their terms are not
	// smooth enough.
	ExpansionGuard   = 2.5
	ExpansionColumns = 16   // at most: third moments then cost about as much as a few sums over all samples
	ExpansionSamples = 2000 // at least, where weights are not smooth
)
