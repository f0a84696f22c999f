package tolerance

// The search for the end of a gap, see gaga.Gap.
const (
	// GapRatio is the ratio of the ages tried.
	GapRatio = 1.1
	// GapPrecision is the relative precision of the end.
	GapPrecision = 1e-4
)
