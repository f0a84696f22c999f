package tolerance

// Windows.
const (
	// WindowFew and WindowMany bound the number of watched samples where there are more
	// samples: opening a window costs some dozens of steps with that many watched.
	WindowFew  = 64
	WindowMany = 512
	// WindowPart is one over the part of very many samples that a window watches at most.
	WindowPart = 32
	// WindowRows is how many times as many samples as columns there must be for a window:
	// with fewer the Hessian costs more than the predictors of all samples.
	WindowRows = 8
	// WindowAmple is how many times as far as it is meant to reach a window is good, for
	// the path's curvature and the rounding of θ.
	WindowAmple = 1.25
	// WindowStray is how far off the tangent, relative to the way along it, a window goes.
	WindowStray = 0.25
	// WindowLeft is the part of a window that must be left for it to be used on.
	WindowLeft = 0.25
	// WindowFirst is the length of the first window that is tried, relative to the age.
	WindowFirst = 1e-3
	// WindowBrief is the length, relative to the age, below which a window does not pay:
	// it then watches a crowd of samples that are at a threshold together.
	WindowBrief = 1e-5
	// WindowCrowd is how many times the crowd a window may watch that is doubled.
	WindowCrowd = 1.25
	// WindowSize is the least radius of a neighbourhood, relative to the solution.
	WindowSize = KKT
	// WindowLeap is the part of the longest jump that the next jump leaves of it.
	WindowLeap = 0.9
	// WindowJumps is over how many jumps their running mean goes.
	WindowJumps = 16
	// WindowReached is the number of samples that reach a threshold while an expansion is
	// good below which an expansion does not pay: a step that sums all samples costs a
	// few times less than an expansion.
	WindowReached = 4
	// WindowFarther is how many times as long all samples are then summed.
	WindowFarther = 4
	// WindowMoves is one over the part of the samples after whose changes of zone the
	// sizes of the terms are taken anew.
	WindowMoves = 16
	// WindowDrift is the error of the moments' gradient, relative to its terms, above
	// which they are summed anew.
	WindowDrift = 0.1 * Loose
)
