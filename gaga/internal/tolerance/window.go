package tolerance

// Windows. A change alters results.
const (
	// Bounds of the number of watched samples. With a WindowFew of 16, landings of the hard
	// regularizer on delta_elevators take three times as long, as they leave the window.
	WindowFew  = 32
	WindowMany = 512
	WindowPart = 32 // at most n/32 samples are watched if n is large
	// WindowLeast is the number of samples up to which there is no window, WindowRows the minimum
	// ratio of samples to columns: below, the Hessian costs more than all predictors.
	WindowLeast = 256
	WindowRows  = 8
	WindowAmple = 1.25 // valid length of a window over its intended length, for curvature and rounding
	WindowStray = 0.25 // displacement off the tangent, relative to the way along it
	WindowLeft  = 0.02 // part that must be left for the window to be reused
	WindowFirst = 1e-3 // of the first window tried, relative to the age
	// Length, relative to the age, below which a window does not pay: it watches a crowd of samples
	// at a threshold together. A doubled window may watch WindowAmple times as many.
	WindowBrief = 1e-5
	WindowLook  = 8 // lengths within which the samples that can reach a threshold are listed
	// A list for several windows has at most n/WindowListed samples; beyond, each window examines
	// all.
	WindowListed = 8
	WindowLeap   = 0.9         // decay of the longest jump with each further jump
	WindowJumps  = 16          // jumps in the running mean of their displacement
	WindowMoves  = 16          // after moves of n/16 samples the sizes are recomputed
	WindowDrift  = 0.1 * Loose // relative error of the moments' gradient above which the moments are recomputed
)
