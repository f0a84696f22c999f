package tolerance

// The samples' part of the optimality condition.
const (
	// PassedOn is the part of a predictor's relative change, as the weight passes it on, that
	// counts as a term of the condition. With 1 the corrector stops too early where weights are
	// small but change fast.
	PassedOn   = 1e-3
	SizeChange = 1e-3 // of the terms' total size, before it is summed again: scales need three digits
)
