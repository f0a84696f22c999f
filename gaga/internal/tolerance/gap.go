package tolerance

// The search for the end of a gap, see gaga.Gap.
const (
	GapRatio     = 1.1  // of the ages tried
	GapPrecision = 1e-4 // of the end, relative
)
