package tolerance

// The prediction of folds.
const (
	// FoldGrowth is the ratio of squared speeds between two points from which on they are
	// taken for the way to a fold.
	FoldGrowth = 1.5
	// FoldAgreement is how far two estimates may differ, relative to the way to the first.
	FoldAgreement = 0.25
	// FoldSpeed is the ratio of squared speeds above which a point counts as at the fold:
	// elsewhere, as behind the threshold of a weight of infinite slope, the speed may
	// grow by some of that.
	FoldSpeed = 1e4
	// FoldStep is the part of the way to a fold that a step goes at most: events on it
	// are still seen on cubic interpolants.
	FoldStep = 0.9
)
