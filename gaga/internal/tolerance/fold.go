package tolerance

// The prediction of folds. A change alters results.
const (
	FoldGrowth    = 1.5  // ratio of squared speeds between two points on the way to a fold
	FoldAgreement = 0.25 // difference of two estimates, relative to the way to the first
	FoldSpeed     = 1e4  // ratio of squared speeds above which a point counts as at the fold
	FoldStep      = 0.9  // part of the way to a fold that a step goes at most, so that events on it are seen
)
