package tolerance

// Windows. A change alters results.
const (
	// WindowFew and WindowMany bound the number of watched samples if there are more samples. With
	// a WindowFew of 16, landings of the hard regularizer on delta_elevators take three times as
	// long, as they leave the window.
	WindowFew  = 32
	WindowMany = 512
	WindowPart = 32 // at most n/32 samples are watched if n is large
	// WindowLeast is the number of samples up to which there is no window. WindowRows is the
	// minimum ratio of samples to columns for one: below it the Hessian costs more than the
	// predictors of all samples.
	WindowLeast = 256
	WindowRows  = 8
	WindowAmple = 1.25 // ratio of the length over which a window is valid to its intended length, for curvature and rounding
	WindowStray = 0.25 // allowed displacement off the tangent, relative to the way along it
	WindowLeft  = 0.02 // part that must be left for the window to be reused: beyond it a step to its end is needed
	WindowFirst = 1e-3 // length of the first window tried, relative to the age
	// WindowBrief is the length, relative to the age, below which a window does not pay: it then
	// watches a crowd of samples that are at a threshold together. A window that is doubled may
	// watch WindowAmple times as many.
	WindowBrief = 1e-5
	WindowLook  = 8 // lengths within which the samples that can reach a threshold are listed
	// WindowListed bounds the list for several windows, to n/WindowListed samples; beyond, each
	// window examines all samples.
	WindowListed = 8
	WindowLeap   = 0.9         // decay of the longest jump with each further jump
	WindowJumps  = 16          // jumps in the running mean of their displacement
	WindowMoves  = 16          // after moves of n/16 samples the sizes are recomputed
	WindowDrift  = 0.1 * Loose // error of the moments' gradient, relative to its terms, above which the moments are recomputed
)
