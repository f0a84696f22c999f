package tolerance

// Windows. A change alters results.
const (
	// WindowFew and WindowMany bound the number of watched samples where there are more
	// samples. With 16 most paths take 0.97 of the time, but landings of the hard regularizer on
	// delta_elevators three times as long, as they leave the window.
	WindowFew  = 32
	WindowMany = 512
	WindowPart = 32 // one over the part of very many samples that is watched at most
	// WindowLeast is the number of samples up to which there is no window. WindowRows is how many
	// times as many as columns there must be for one: with fewer the Hessian costs more than the
	// predictors of all samples.
	WindowLeast = 256
	WindowRows  = 8
	WindowAmple = 1.25 // how far a window is good over how far it is meant to reach, for curvature and rounding
	WindowStray = 0.25 // how far off the tangent it goes, relative to the way along it
	WindowLeft  = 0.02 // part that must be left for it to be used on: behind it a step is needed to its end
	WindowFirst = 1e-3 // length of the first one tried, relative to the age
	// WindowBrief is the length, relative to the age, below which a window does not pay:
	// it then watches a crowd of samples that are at a threshold together. One that is
	// doubled may watch WindowAmple times as many.
	WindowBrief = 1e-5
	WindowLook  = 8 // lengths within which the samples that can reach a threshold are listed
	// WindowListed is one over the part of the samples that are listed for more than one window at
	// most: beyond, all samples are looked at for each.
	WindowListed = 8
	WindowLeap   = 0.9         // part of the longest jump that the next jump leaves of it
	WindowJumps  = 16          // over which their running mean goes
	WindowMoves  = 16          // one over the part of the samples after whose moves the sizes are taken anew
	WindowDrift  = 0.1 * Loose // error of the moments' gradient, relative to its terms, above which they are
)
