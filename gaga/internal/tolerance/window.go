package tolerance

// Windows.
const (
	// WindowFew and WindowMany bound the number of watched samples. With a WindowFew of 16,
	// landings of the hard regularizer on delta_elevators take three times as long.
	WindowFew  = 32
	WindowMany = 512
	// WindowLeast is the number of samples up to which there is no window, WindowRows the minimum
	// ratio of samples to columns: below, the Hessian costs more than all predictors.
	WindowLeast = 256
	WindowRows  = 8
	WindowAmple = 1.25 // ratio of valid to intended length
	WindowStray = 0.25 // off the tangent, relative to the way along it
	WindowLeft  = 0.02 // fraction left for reuse
	WindowFirst = 1e-3 // relative to the age
	// WindowBrief is the relative length below which a window, or a neighbourhood, does not pay: it
	// watches a crowd of samples at a threshold. A doubled window may watch WindowAmple times as
	// many.
	WindowBrief = 1e-5
	WindowLook  = 8  // lengths within which samples are first looked for
	WindowJumps = 16 // jumps in the running mean of their length; the longest decays as fast
	WindowMoves = 16 // sizes are recomputed after moves of n/16 samples
)
