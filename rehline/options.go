package rehline

import (
	"errors"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
)

// DefaultTol is the default relative duality gap.
const DefaultTol = 1e-6

// Options control a solve. The zero value has good defaults.
type Options struct {
	Tol       float64       // relative duality gap at which to stop, >= 0; 0 is DefaultTol.
	MaxPasses int           // limit on passes plus Newton steps, short ones included; 0 is 100,000.
	MaxTime   time.Duration // 0 is no limit.
	Seed      uint64        // for the order of coordinate descent.
	Method    Method
	Progress  func(Progress) // called after each pass and Newton step, if set; must not call the Solver.
	Warm      *Solution      // start from this earlier solution of the same shape; its Dual may be empty.
}

// Method says which of the two phases may run.
type Method uint8

// Automatic descends by coordinates while this pays and then takes Newton steps; the others are for
// comparison.
const (
	Automatic Method = iota
	DescentOnly
	NewtonOnly
)

// Progress is the state after a pass or a Newton step.
type Progress struct {
	Iterations          Iterations
	Objective           float64
	Gap                 float64 // relative duality gap of the current pair.
	PrimalInfeasibility float64
	Elapsed             time.Duration // since the solve began.
}

// Iterations counts the work of a solve. A pass may be short: shrinking leaves out samples that
// stay at a bound. Visits divided by the number of samples is the equivalent number of full passes.
// Options.MaxPasses limits Passes plus Newton.
type Iterations struct {
	Passes int // of coordinate descent, over the samples that were not left out.
	Visits int // of samples in these passes.
	Newton int
	Outer  int // updates of the multipliers between Newton steps.
}

// Status says how a solve ended.
type Status uint8

// Only Solved reached the tolerance. The others return the best feasible coefficients met with the
// better of the last dual points, and their Gap is still true.
const (
	Solved Status = iota + 1
	PassLimit
	TimeLimit
	Stalled // rounding prevents a smaller gap.
)

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

// Dual is a dual feasible point, in the units of the objective: for sample i 0 <= λ_li <= C w_i, 0
// <= γ_hi <= C w_i τ_hi, and ξ_k >= 0 for every inequality. At the optimum
//
//	Ridge β_j = soft((Aᵀξ - Σ λ_li u_li x_i - Σ γ_hi s_hi x_i)_j, L1_j)
//
// with soft thresholding; without a ridge the argument of soft is at most L1_j in size.
type Dual struct {
	Lambda blas64.General // L x n.
	Gamma  blas64.General // H x n.
	Xi     []float64      // K.
}

// Solution is the result of a solve with its certificate. The Solver owns its slices and overwrites
// them in the next solve.
type Solution struct {
	Beta      []float64 // d.
	Intercept float64
	Dual      Dual

	Objective     float64 // at Beta and Intercept, with the loss's offsets.
	DualObjective float64 // at Dual: a lower bound on the optimum.

	// Gap is the relative duality gap, (Objective - DualObjective + δ) / max(|Objective|,
	// |DualObjective|) without the loss's offsets, where δ = 2 Σ ξ_k max(0, -(Aβ+b)_k) compensates
	// for an infeasible β. At a feasible β it bounds the relative error of Objective. A gap counts
	// as 0 below 2⁻⁴⁸ of the objective, or of the objective at zero if the optimum may be zero or
	// no method reduces the gap further.
	Gap float64

	// PrimalInfeasibility is the largest violation of a constraint, in the units of A β + b.
	PrimalInfeasibility float64

	Iterations Iterations
	Status     Status
}

// ErrOptions reports an option that is out of range.
var ErrOptions = errors.New("rehline: option out of range")
