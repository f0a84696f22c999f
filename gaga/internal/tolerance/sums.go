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
	PassedOn = 1e-3
	// SizeChange is the change of the total size of the terms, relative to it, from which
	// the sizes are summed anew: scales need three digits.
	SizeChange = 1e-3
)

// Expansions of the sums in a window.
const (
	// ExpansionError is the error of an expansion's gradient, relative to its terms, that
	// windows are made for: a thousandth of what is promised.
	ExpansionError = 1e-3 * KKT
	// ExpansionExcess is how many times that error may be found: cutting the window
	// further costs another sum over all samples.
	ExpansionExcess = 4
	// ExpansionMargin is the part of the length that the last error allows that the next
	// window takes.
	ExpansionMargin = 0.9
	// ExpansionGrowth is how many times as long as the last window the next one may be.
	ExpansionGrowth = 2
	// ExpansionReuse is the same where less than half of the last one served.
	ExpansionReuse = 1.3
	// ExpansionCuts is how often a window is cut at most.
	ExpansionCuts = 40
	// ExpansionGuard is the guard factor: within how many lengths of the window the samples
	// that can reach a boundary are summed as they are. Near a boundary their terms are not
	// smooth enough.
	ExpansionGuard = 2.5
	// ExpansionColumns is the largest number of columns: third moments then cost about as
	// much as a few sums over all samples.
	ExpansionColumns = 16
	// ExpansionSamples is the least number of samples.
	ExpansionSamples = 2000
	// DifferenceLeast and DifferenceMost bound the distance of the points whose difference
	// is a third derivative: below rounding tells, above the next derivative does.
	DifferenceLeast = 1e-7
	DifferenceMost  = 1e-4
)
