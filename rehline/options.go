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
	Tol       float64       // relative duality gap; 0 is DefaultTol.
	MaxPasses int           // limit on passes plus Newton steps; 0 is 100,000.
	MaxTime   time.Duration // 0 is no limit.
	Seed      uint64        // for the order of coordinate descent.
	Method    Method
	Progress  func(Progress) // called after each pass and Newton step; must not call the Solver.
	Warm      *Solution      // earlier solution of the same shape; its Dual may be empty.
}

// Method selects phases.
type Method uint8

// Automatic descends by coordinates while this pays and then takes Newton steps.
const (
	Automatic Method = iota
	DescentOnly
	NewtonOnly
)

// Progress is the state after a pass or a Newton step.
type Progress struct {
	Iterations          Iterations
	Objective           float64
	Gap                 float64
	PrimalInfeasibility float64
	Elapsed             time.Duration
}

// Iterations counts the work of a solve. Visits divided by the number of samples is the equivalent
// number of full passes.
type Iterations struct {
	Passes int
	Visits int // of samples in these passes.
	Newton int
	Outer  int // updates of the multipliers.
}

// Status says how a solve ended.
type Status uint8

// Only Solved reached the tolerance. The others return the best feasible coefficients met with the
// better of the last dual points; their Gap is still true.
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

// Dual is a dual feasible point, in the units of the objective. At the optimum, with soft
// thresholding,
//
//	Ridge β_j = soft((Aᵀξ - Σ λ_li u_li x_i - Σ γ_hi s_hi x_i)_j, L1_j)
type Dual struct {
	Lambda blas64.General // L x n.
	Gamma  blas64.General // H x n.
	Xi     []float64      // K.
}

// Solution is a certified result. The Solver owns its slices and overwrites them in the next solve.
type Solution struct {
	Beta      []float64
	Intercept float64
	Dual      Dual

	Objective     float64 // with the loss's offsets.
	DualObjective float64 // a lower bound on the optimum.

	// Gap is the relative duality gap, (Objective - DualObjective + δ) / max(|Objective|,
	// |DualObjective|) without the loss's offsets, where δ = 2 Σ ξ_k max(0, -(Aβ+b)_k) compensates
	// for an infeasible β. At a feasible β it bounds the relative error of Objective. It is 0 below
	// 2⁻⁴⁸ of the objective, or of the objective at zero if the optimum may be zero or no method
	// reduces the gap further.
	Gap float64

	// PrimalInfeasibility is the largest violation of a constraint.
	PrimalInfeasibility float64

	Iterations Iterations
	Status     Status
}

// ErrOptions reports an option that is out of range.
var ErrOptions = errors.New("rehline: option out of range")
