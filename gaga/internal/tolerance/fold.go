package tolerance

// The prediction of folds.
const (
	FoldGrowth = 1.5 // of squared speeds between two points on the way to a fold
	FoldSpeed  = 1e4 // growth of squared speeds at the fold
	FoldStep   = 0.9 // fraction of the distance to a fold, to see events on it
)
