package rehline

import (
	"errors"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
)

// DefaultTol is the relative duality gap that Solve stops at unless told.
const DefaultTol = 1e-6

// Options control a solve. The zero value is a good choice.
type Options struct {
	Tol       float64        // relative duality gap to stop at, >= 0; 0 is DefaultTol.
	MaxPasses int            // limit on passes plus Newton steps, short ones included; 0 is 100,000.
	MaxTime   time.Duration  // limit on the time; 0 is none.
	Seed      uint64         // of the order of coordinate descent.
	Method    Method         // Automatic unless told.
	Progress  func(Progress) // called after each pass and Newton step, if set; it must not call the Solver.
	Warm      *Solution      // start from here: an earlier solution of the same shape. Its Dual may be empty.
}

// Method says which of the two phases may run.
type Method uint8

// The methods. Automatic descends by coordinates while this pays and then
// takes Newton steps; the others are for comparison.
const (
	Automatic Method = iota
	DescentOnly
	NewtonOnly
)

// Progress is the state after a pass or a Newton step.
type Progress struct {
	Iterations          Iterations
	Objective           float64
	Gap                 float64 // relative duality gap of the present pair.
	PrimalInfeasibility float64
	Elapsed             time.Duration // since the solve began.
}

// Iterations counts the work of a solve. A pass may be short: shrinking leaves out
// samples that rest at a bound. Visits over the number of samples are the passes over
// all of them that would have been as much work. Passes and Newton are what
// Options.MaxPasses limits.
type Iterations struct {
	Passes int // of coordinate descent, over the samples that were not left out.
	Visits int // of samples in these passes.
	Newton int // Newton steps.
	Outer  int // updates of the multipliers between Newton steps.
}

// Status says how a solve ended.
type Status uint8

// The ends of a solve. Only Solved reached the tolerance. With the others the
// solution is the best feasible coefficients met with the better of the last dual
// points, and its Gap is still true.
const (
	Solved Status = iota + 1
	PassLimit
	TimeLimit
	Stalled // rounding errors prevent a smaller gap.
)

// String returns the status in words.
func (s Status) String() string {
	switch s {
	case Solved:
		return "solved"
	case PassLimit:
		return "pass limit"
	case TimeLimit:
		return "time limit"
	case Stalled:
		return "stalled"
	}
	return "unknown"
}

// Dual is a dual feasible point. In the units of the objective, for the term l
// of sample i, 0 <= λ_li <= C w_i, 0 <= γ_hi <= C w_i τ_hi, and ξ_k >= 0 for
// every inequality. With them
//
//	Ridge β_j = soft((Aᵀξ - Σ λ_li u_li x_i - Σ γ_hi s_hi x_i)_j, L1_j)
//
// at the optimum, where soft is soft thresholding; without a ridge what soft
// takes is at most L1_j in size.
type Dual struct {
	Lambda blas64.General // L x n.
	Gamma  blas64.General // H x n.
	Xi     []float64      // K.
}

// Solution is the answer of a solve, with its certificate. Its slices belong to
// the Solver and are overwritten by its next solve.
type Solution struct {
	Beta      []float64 // d.
	Intercept float64
	Dual      Dual

	Objective     float64 // of Beta and Intercept, offsets of the loss included.
	DualObjective float64 // of Dual: a lower bound on the optimum.

	// Gap is the relative duality gap, (Objective - DualObjective + δ) / max(|Objective|, |DualObjective|)
	// with the loss's offsets left out, where δ = 2 Σ ξ_k max(0, -(Aβ+b)_k)
	// makes up for what an infeasible β gains. At a feasible β it bounds the
	// relative error of Objective. A gap below 2⁻⁴⁸ of the objective, or of the
	// objective at zero where the optimum may be zero or no method makes the gap smaller,
	// counts as none.
	Gap float64

	// PrimalInfeasibility is the largest violation of a constraint, in the
	// units of A β + b.
	PrimalInfeasibility float64

	Iterations Iterations
	Status     Status
}

// ErrOptions says that an option is out of range.
var ErrOptions = errors.New("rehline: option out of range")
