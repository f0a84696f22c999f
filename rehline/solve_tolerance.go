package rehline

// All chosen on the problems of BenchmarkPeers.

// The end of a solve.
const (
	defaultPasses = 100_000
	feasibleTol   = 1e-6    // largest violation, relative to 1 + max |b_k|
	noGap         = 0x1p-48 // rounding of an objective, relative to it and to that at zero
	gapFall       = 0.9     // decrease of the smallest gap that counts as progress
	stuckSteps    = 400     // Newton steps without progress
	leftSteps     = 10      // the same if the gap is within rounding
	shortStep     = 1e-6    // step length that rounding of the slopes makes useless
	relaxSteps    = 4       // useless steps before the smoothing is widened
	stuckRelax    = 6
	relax         = 100
	polishSteps   = 3
)

// The interior-point method.
const (
	interiorGap   = 1e-10 // relative gap of the method of multipliers above which this method follows
	interiorSteps = 100   // steps without progress
	interiorReach = 0.995 // part of the way to the first bound
	interiorSoft  = 1e-14
)

// The smoothing.
const (
	startSoft   = 1e-6 // of constraints
	shrink      = 0.5  // factor from one inner problem to the next
	startShare  = 0.5  // of the samples within the first width
	leastWidth  = 1e-3 // minimum first width, relative to the mean size of scores and kinks; warm, to the cold one
	warmSamples = 8    // samples within the width, per coefficient
	explained   = 0.5  // share of the wanted gap that smoothing or barriers may have
	// The smoothing ends where rounding errors, divided by it, matter: that of scores relative to the
	// first width, that of constraints and coefficients to the stiffness of the Hessian. Without a
	// ridge the forces must meet the L1 penalties themselves.
	leastRidge    = 1e-8
	leastProximal = 1e-4
	loosest       = 1e-8 // minimum curvature of the proximal term: below, the Hessian may be singular
)

// The Newton system and the line search.
const (
	denseDim      = 1500  // coefficients beyond which conjugate gradients are used
	conjugateTol  = 1e-10 // squared residual, relative to the first
	pivotPart     = 1e-15 // lost pivot, relative to its diagonal entry
	groundPart    = 1e-13 // of a free intercept's second derivative, added to it
	groundAlone   = 1e-6  // of all curvature, if the second derivative is zero
	slopePart     = 0.1   // part of the slope at zero that a line search may leave
	searchSteps   = 60
	panelRows     = 64
	anewAfter     = 50    // changes of a sum before it is recomputed
	sameCurvature = 1e-14 // ignored relative change of a second derivative
	cancelled     = 1e-4  // decrease of a squared norm after which its sums are recomputed
)

// Coordinate descent. A Newton phase costs about patience passes over all samples.
const (
	patience = 25
	memory   = 6 // passes whose decrease predicts the remaining number
	latest   = 2
	hopeless = 500 // passes expected if the estimate does not fall
	testCost = 0.4 // cost of a certificate in passes
)
