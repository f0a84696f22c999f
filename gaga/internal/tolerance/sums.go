package tolerance

// The samples' part of the optimality condition. A change alters results.
const (
	// SlopeChange is the relative change of a sample's slope ∂φ/∂u up to which its term in H is
	// kept: ten times the pivot of a singular H.
	SlopeChange = 10 * Singular
	// PassedOn is the part of a predictor's relative change, as the weight passes it on, that
	// counts as a term of the condition. With 1 the corrector stops too early where weights are
	// small but change fast.
	PassedOn   = 1e-3
	SizeChange = 1e-3 // of the terms' total size, before it is summed again: scales need three digits
)
