package tolerance

// What the samples add to the optimality condition. A change alters results.
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
