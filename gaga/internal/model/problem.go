// Package model is a self-paced learning problem in the engine's form, with a partition of the
// samples into zones and points of the path.
//
// Notation: θ are the unknown coefficients (with a kernel the multipliers α and the intercept), u_i
// = a_i·θ the predictor of sample i, λ the age, φ(u; λ) = v*(l(u), λ) l'(u) a sample's term in the
// optimality condition
//
//	0 ∈ ∂R(θ) + Σ_i m_i a_i φ(u_i; λ).
//
// A loss with a kink has two zones before the regularizer's: [Satisfied] beyond the kink, and
// [Pinned] at the kink, where φ is an interval and the sample's multiplier is unknown.
package model

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/convex"
)

// Loss is a convex loss of the predictor u for the target y, with two derivatives in u.
type Loss interface {
	Eval(u, y float64) (loss, slope, curvature float64)
}

// VectorLoss is a loss with a fast evaluation of many samples.
type VectorLoss interface {
	EvalAll(u, y, loss, slope, curvature []float64)
}

// Regularizer gives the weights of the zones, see gaga.Regularizer.
type Regularizer interface {
	Threshold(k int, age float64) (loss, slope float64)
	Weight(k int, loss, age float64) (v, dloss, dage float64)
	Integral(loss, age float64) float64
}

// Zone is an interval of losses, see gaga.Zone.
type Zone struct {
	Name   string
	Closed bool
	Break  bool // discontinuous at the upper threshold
}

// Series is the implicit loss in a zone, see gaga.Series.
type Series struct{ F, Rate [4]float64 }

// Problem is an immutable self-paced learning problem. Ages has the ends of its range, Support the
// number of coefficients that are not 0 with all weights 1: sums are chosen by them, if known.
type Problem struct {
	Samples
	Penalty
	Criterion
	Zoning
	Ages    []float64
	Support int
}

// Samples are the data. P is the number of features, plus one with an intercept; with a kernel N+1.
type Samples struct {
	N, P      int
	X         blas64.General
	Rows      []float64 // N x P: features and ones; nil with a kernel
	Y, M      []float64
	Total     float64 // Σ M
	Kernel    convex.Kernel
	Intercept bool
}

func (s *Samples) Row(i int) []float64 { return s.Rows[i*s.P : (i+1)*s.P] }

// Penalty is R(θ) = Σ_j L1_j |θ_j| + L2_j/2 θ_j² of a linear predictor; with a kernel L2 is the
// penalty of w in the kernel's space.
type Penalty struct{ L1, L2 []float64 }

func (p *Penalty) Value(theta []float64) (sum float64) {
	for j, l1 := range p.L1 {
		w := theta[j]
		sum += l1*math.Abs(w) + 0.5*p.L2[j]*w*w
	}
	return sum
}

// Sparse reports whether some coordinate has an L1 weight.
func (p *Penalty) Sparse() bool {
	for _, l1 := range p.L1 {
		if l1 > 0 {
			return true
		}
	}
	return false
}

// Strict reports whether every coordinate has a penalty.
func (p *Penalty) Strict() bool {
	for j, l1 := range p.L1 {
		if l1 == 0 && p.L2[j] == 0 {
			return false
		}
	}
	return true
}

// Criterion is the loss with its declared form.
type Criterion struct {
	Loss     Loss
	Squared  bool    // (u - y)²
	Cost     float64 // of the hinge loss, else 0
	OneSided bool    // two classes, and no finite minimum
}

func (c *Criterion) Kinked() bool { return c.Cost > 0 }

// NeedsBoth reports whether a fit needs samples of both classes.
func (p *Problem) NeedsBoth() bool { return p.OneSided && p.Intercept }
