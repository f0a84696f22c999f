package tolerance

// The samples' part of the optimality condition. A change alters results.
const (
	// SlopeChange is the change of a sample's slope ∂φ/∂u, relative to it, up to which the sample's
	// term in H is kept: ten times the pivot at which H counts as singular.
	SlopeChange = 10 * Singular
	// PassedOn is the part of a predictor's relative change, as the weight passes it on, that
	// counts as a term of the condition. The residual cannot fall below the rounding of this term,
	// some 1e-13 of it. A part of one lets the corrector stop too early where weights are small but
	// change fast.
	PassedOn   = 1e-3
	SizeChange = 1e-3 // change of the terms' total size above which sizes are summed again: scales need three digits
)
