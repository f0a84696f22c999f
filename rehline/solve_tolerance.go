package rehline

// The numbers by which a solve decides, unless Options override them, chosen on the problems of
// BenchmarkPeers.

// The end of a solve. A change alters results.
const (
	defaultPasses = 100_000  // limit on passes and Newton steps
	feasibleTol   = 1e-6     // largest violation allowed, relative to 1 + max |b_k|
	noGap         = 0x1p-48  // gap, relative to the objective at zero, that is rounding
	exactPart     = 1e-14    // of the objective: a step with a smaller predicted gain ends an inner problem
	exactOrigin   = 1e-17    // the same, relative to the objective at zero
	gapFall       = 0.9      // decrease of the smallest gap that counts as progress
	stuckSteps    = 400      // Newton steps without progress before giving up
	leftSteps     = 10       // the same if the gap is within rounding
	shortStep     = 1e-6     // step length below which rounding of the slopes makes a step useless
	relaxSteps    = 4        // useless steps before the smoothing is widened
	stuckRelax    = 6        // number of times that it is widened
	relax         = 100      // factor of widening
	zeroMargin    = 1 - 1e-6 // share of its penalty below which a multiplier zeroes a coefficient
	polishSteps   = 3        // steps to meet the L1 penalties without a ridge
	balanced      = 1e-16    // sum of the slopes, relative to that of their sizes, that counts as zero
	balanceTries  = 8        // shifts of slopes to balance a free intercept's dual
	balanceReach  = 100      // growth of the room of unbounded slopes per shift
)

// The interior-point method. A change alters results.
const (
	interiorGap   = 1e-10 // relative gap of the method of multipliers above which this method follows
	interiorSteps = 100   // steps without progress before giving up
	interiorPart  = 0.1   // sum of all products at the end, relative to the wanted gap
	interiorReach = 0.995 // part of the way to the first bound
	interiorEase  = 2e-15 // of the Hessian's diagonal, added to it: more than rounding of the pivots
	interiorSoft  = 1e-14 // softness of constraints in a step
)

// The smoothing. A change alters results.
const (
	shrink       = 0.5  // factor from one inner problem to the next
	startShare   = 0.5  // of the samples within the first width of their kinks
	leastWidth   = 1e-3 // minimum first width, relative to the mean size of scores and kinks
	warmSamples  = 8    // samples within the width of a warm start, per coefficient
	warmLeast    = 1e-4 // minimum width of a warm start, relative to the first width from zero
	warmSoft     = 1e-6 // first softness of constraints of a warm start
	warmNarrow   = 1e-3 // first width of L1 penalties of a warm start
	coldSoft     = 1e-3 // first softness of constraints from zero
	fastest      = 0.1  // minimum factor of constraints and L1 penalties
	explained    = 0.5  // share of the wanted gap that smoothing may explain
	solvedInner  = 1e-3 // decrement, relative to what smoothing explains, that solves an inner problem
	loosest      = 1e-8 // minimum curvature of the proximal term: below, the Hessian may be singular
	softenAfter  = 40   // updates without a ridge before constraints may get stiffer still
	softenFactor = 0.8  // factor of their softness per update
)

// narrowest are the minimum widths: below them rounding errors of scores and slacks, divided by the
// smoothing, matter. The width is relative to the first one, the others to the stiffness of the
// Hessian.
type narrowest struct{ width, soft, narrow float64 }

// Without a ridge the forces must meet the L1 penalties themselves.
var (
	leastRidge    = narrowest{width: 1e-8, soft: 1e-9, narrow: 1e-9}
	leastProximal = narrowest{width: 1e-4, soft: 1e-3, narrow: 1e-4}
)

// The Newton system and the line search. A change alters results.
const (
	denseDim      = 1500  // coefficients beyond which conjugate gradients are used
	conjugateTol  = 1e-10 // squared residual at the end, relative to the first
	pivotPart     = 1e-15 // of its diagonal entry: a smaller pivot counts as lost
	groundPart    = 1e-13 // of a free intercept's second derivative, added to it
	groundAlone   = 1e-6  // of all curvature, instead of groundPart if the second derivative is zero
	slopePart     = 0.1   // of the slope at zero: the slope that a line search may leave
	searchSteps   = 60    // of a line search
	panelRows     = 64    // rows of X per update of the Gram matrix
	anewAfter     = 50    // changes of a sum before it is recomputed, which limits rounding errors
	sameCurvature = 1e-14 // relative change of a second derivative that is ignored
	cancelled     = 1e-4  // decrease of a squared norm after which its sums are recomputed
)

// Coordinate descent. A Newton phase costs about patience passes over all samples: descent ends
// after as many, or when it expects to need more. A change alters results.
const (
	patience     = 25     // passes' worth of visits
	memory       = 6      // passes whose decrease of the estimated gap predicts the remaining number
	latest       = 2      // the same for the recent decrease
	hopeless     = 500    // passes expected if the estimate does not fall
	testCost     = 0.4    // cost of a certificate in passes
	testEvery    = 50     // passes between unrequested certificates
	restrictPart = 0.4    // part of the largest possible distance of scores from the solution's that is likely
	leastExtent  = 1e-300 // extent of a row of zeros
)

// The search for feasible coefficients. A change alters results.
const (
	searchLimit = 300   // Newton steps
	noViolation = 1e-12 // violation, relative to the largest |b_k|, that counts as zero
	stationary  = 1e-4  // residual, relative to the violation, below which a proof is tried
	proofMargin = 1e6   // factor by which a proof must exceed its residual, relative to the size of β
	searchRidge = 1e-12 // of the trace, added to the system
	searchPart  = 1e-12 // of the slope at zero: the slope that its line search may leave
)
