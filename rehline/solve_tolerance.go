package rehline

// The numbers by which a solve decides, unless Options say otherwise. They were chosen on
// the problems of BenchmarkPeers.

// When a solve ends. A change alters results.
const (
	defaultPasses = 100_000  // passes and Newton steps allowed
	feasibleTol   = 1e-6     // largest violation allowed, relative to 1 + max |b_k|
	noGap         = 0x1p-48  // gap, relative to the objective at zero, that rounding alone leaves
	exactPart     = 1e-14    // of the objective: a step expected to gain less ends an inner problem
	exactOrigin   = 1e-17    // the same, of the objective at zero
	gapFall       = 0.9      // factor that the least gap has to fall by for a step to count as progress
	stuckSteps    = 400      // Newton steps without progress until nothing more is expected
	leftSteps     = 10       // the same where rounding alone leaves the gap
	shortStep     = 1e-6     // step length below which rounding errors of the slopes make a step useless
	relaxSteps    = 4        // useless steps until the smoothing is made wider
	stuckRelax    = 6        // times that the smoothing is made wider
	relax         = 100      // factor that it is made wider by
	zeroMargin    = 1 - 1e-6 // share of its penalty below which a multiplier makes a coefficient zero
	polishSteps   = 3        // steps that make the dual meet L1 penalties without a ridge
	balanced      = 1e-16    // sum of the slopes, relative to that of their sizes, that counts as zero
	balanceTries  = 8        // shifts of slopes that a free intercept's dual is balanced by
	balanceReach  = 100      // factor of the room of unbounded slopes from one shift to the next
)

// The interior-point method. A change alters results.
const (
	interiorGap   = 1e-10 // relative, of the method of multipliers: above it, this one follows
	interiorSteps = 100   // without progress until nothing more is expected
	interiorPart  = 0.1   // of the wanted gap that all products together come to
	interiorReach = 0.995 // of the way to the first bound that a step takes
	interiorEase  = 2e-15 // of the Hessian's diagonal, added to it: more than the pivots' rounding errors
	interiorSoft  = 1e-14 // softness of constraints in a step
)

// How the smoothing begins and narrows. A change alters results.
const (
	shrink       = 0.5  // factor from one inner problem to the next
	startShare   = 0.5  // of the samples are within the first width of their kinks
	leastWidth   = 1e-3 // least first width, relative to the mean size of scores and kinks
	warmSamples  = 8    // times the coefficients are within the width of a warm start
	warmLeast    = 1e-4 // least width of a warm start, relative to the first one from zero
	warmSoft     = 1e-6 // first softness of constraints of a warm start
	warmNarrow   = 1e-3 // first width of L1 penalties of a warm start
	coldSoft     = 1e-3 // first softness of constraints from zero
	fastest      = 0.1  // least factor of constraints and L1 penalties
	explained    = 0.5  // share of the wanted gap that smoothing may explain
	solvedInner  = 1e-3 // decrement, relative to what smoothing explains, that solves an inner problem
	loosest      = 1e-8 // least curvature of the proximal term: below, the Hessian may be singular
	softenAfter  = 40   // updates without a ridge until constraints may get stiffer still
	softenFactor = 0.8  // and by how much from one to the next
)

// narrowest are the least widths: below them, rounding errors of scores and slacks,
// divided by the smoothing, matter. The width is relative to the first one, the others to
// the stiffness of the Hessian.
type narrowest struct{ width, soft, narrow float64 }

// Without a ridge the forces have to meet the L1 penalties themselves.
var (
	leastRidge    = narrowest{width: 1e-8, soft: 1e-9, narrow: 1e-9}
	leastProximal = narrowest{width: 1e-4, soft: 1e-3, narrow: 1e-4}
)

// The Newton system and the line search. A change alters results.
const (
	denseDim      = 1500  // coefficients beyond which conjugate gradients solve it
	conjugateTol  = 1e-10 // squared residual that they end at, relative to the first one
	pivotPart     = 1e-15 // of its diagonal entry: a pivot below counts as lost
	groundPart    = 1e-13 // of a free intercept's second derivative, added to it
	groundAlone   = 1e-6  // of all curvature, in its place where it is zero
	slopePart     = 0.1   // of the slope at zero that a line search leaves
	searchSteps   = 60    // of a line search
	panelRows     = 64    // rows of X that are added to the Gram matrix together
	anewAfter     = 50    // changes of a sum until it is computed anew, lest rounding errors add up
	sameCurvature = 1e-14 // relative change of a second derivative that is none
	cancelled     = 1e-4  // fall of a squared norm after which what led to it is summed anew
)

// Coordinate descent. A Newton phase costs about as much as patience passes over all
// samples: descent ends when it has made as many, or expects to. A change alters results.
const (
	patience     = 25     // passes' worth of visits
	memory       = 6      // passes whose fall of the estimated gap tells how many are to come
	latest       = 2      // the same, of the latest ones
	hopeless     = 500    // passes expected where the estimate does not fall
	testCost     = 0.4    // passes that a certificate costs
	testEvery    = 50     // passes between certificates that the estimate does not ask for
	restrictPart = 0.4    // of the distance that scores may have from the solution's, in which they are likely to be
	leastExtent  = 1e-300 // what the extent of a row of zeros counts as
)

// The search for feasible coefficients. A change alters results.
const (
	searchLimit = 300   // Newton steps
	noViolation = 1e-12 // violation, relative to the largest |b_k|, that is none
	stationary  = 1e-4  // residual, relative to the violation, from which on a proof is tried
	proofMargin = 1e6   // times the residual that a proof exceeds it, relative to the size of β
	searchRidge = 1e-12 // of the trace, added to the system
	searchPart  = 1e-12 // of the slope at zero that its line search leaves
)
