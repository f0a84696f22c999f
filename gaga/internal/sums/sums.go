// Package sums has the samples' part of the optimality condition on a partition: the gradient Σ m
// φ(u) a, its derivatives in θ and in the age, and the objective Σ m F(l).
//
// [NewDirect] sums over the samples, for every loss and regularizer. [Moments] (squared loss) and
// [Margins] (hinge loss) contract sums over zones, for an implicit loss that is a short series: a
// change of zone moves one sample, and the cost of a step does not grow with n.
package sums

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// Scope is what terms are summed over and added to.
type Scope struct {
	*model.State
	Watched int
	Rows    []float64 // of Watch over Active; Samples.Rows has all
	Hess    []float64
	Floor   []float64 // minimum scale of each coordinate's terms
}

// Terms is the samples' part of the condition, without the penalty and the pinned samples.
type Terms interface {
	// Assemble adds the terms at pt to Residual, Scale and Dage, over the active coordinates.
	// Scales may be those of a nearby point.
	Assemble(pt *model.Point)
	// Curve adds the terms to Hess (upper triangle) and Diag at the point of the last Assemble.
	Curve(pt *model.Point)
	// Gradients writes the whole gradient and the sizes of its summands at that point.
	Gradients(gradient, size []float64)
	// Place sets the zones of all samples; the caller counts their members.
	Place(zones []uint8, u []float64)
	// Move records that sample i has left the zone from; Zone, Members and theta are those after.
	Move(i int, from uint8, theta []float64)
	// Objective returns Σ_i m_i F(l_i) at the point of the last Assemble.
	Objective() float64
	// Summed reports that Assemble needs no predictors.
	Summed() bool
	// Affine reports that at a fixed age J is constant.
	Affine() bool
}

// Activations are terms that can activate coordinates, at the point of the last Assemble.
type Activations interface {
	Terms
	// Gradient writes the gradient and its rate along the path into pt's Grad and DGrad. The
	// point's Rate is current.
	Gradient(pt *model.Point)
	// Coordinate returns the gradient in coordinate j, its derivative in the age at fixed θ, and
	// the size of its summands.
	Coordinate(j int) (gradient, dage, size float64)
	// Border writes row j of the full H over the active coordinates, and returns its diagonal entry
	// and the sum of that entry's positive parts.
	Border(dst []float64, j int) (diagonal, magnitude float64)
}

// New returns the terms that cost least along a path. Moments are of all columns, of which no more
// than the samples are active.
func New(s *Scope) Terms {
	if s.P <= s.N {
		if t, ok := NewMoments(s); ok {
			return t
		}
	}
	return NewPlain(s)
}

// NewPlain returns terms that work without a window.
func NewPlain(s *Scope) Terms {
	if t, ok := NewMargins(s); ok {
		return t
	}
	return NewDirect(s)
}

type kind struct{ summed, affine bool }

func (k kind) Summed() bool { return k.summed }

func (k kind) Affine() bool { return k.affine }

// GradientTerms returns the size of the terms of a loss's derivative. For the squared loss these are
// u and the target, whose rounding counts if the residual is small.
func GradientTerms(u, slope, curvature float64) float64 {
	return math.Abs(slope) + curvature*math.Abs(u)
}

func (s *Scope) weigh(i int, age, loss, slope, curvature float64) (phi, phiU, phiAge, v, dv float64) {
	v, dv, da := s.Weight(s.Zone[i], loss, age)
	m := s.M[i]
	return m * v * slope, m * (dv*slope*slope + v*curvature), m * da * slope, v, dv
}

// size returns the size of the terms of m φ. If weights start from zero, these include the rounding
// of u that a weight of slope dv passes on.
func (s *Scope) size(i int, u, loss, slope, curvature, v, dv float64) float64 {
	size := v * GradientTerms(u, slope, curvature)
	if dv != 0 {
		distance := math.Abs(u) + math.Abs(s.Y[i])
		if s.Kinked() {
			distance = 2 + loss/s.Cost
		}
		// A weight changes by at most 1, however steep it is.
		size += min(tolerance.PassedOn*math.Abs(dv*slope)*distance, 1) * math.Abs(slope)
	}
	return s.M[i] * size
}

func (s *Scope) differing(zones []uint8) (count int) {
	for i, z := range zones {
		if z != s.Zone[i] {
			count++
		}
	}
	return count
}

// whole has terms over all coordinates at the point of the last Assemble.
type whole struct {
	grad, dgrad []float64 // Σ m φ a and Σ m ∂φ/∂λ a
	sizes       []float64
	value       float64 // Σ m F
}

func (w *whole) reset() {
	clear(w.grad)
	clear(w.dgrad)
	w.value = 0
}

func (w *whole) addTo(s *Scope) {
	for r, j := range s.Active {
		s.Residual[r] += w.grad[j]
		s.Dage[r] += w.dgrad[j]
		s.Scale[r] += w.sizes[j]
	}
}

func (w *whole) Gradients(gradient, size []float64) {
	copy(gradient, w.grad)
	copy(size, w.sizes)
}

func (w *whole) Objective() float64 { return w.value }
