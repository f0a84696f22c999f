package sums

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// Mixed sums the terms of the squared loss: from moments in zones of constant weight, and sample by
// sample in the others, all of whose samples are watched.
type Mixed struct {
	*direct
	Moments *Moments
}

// NewMixed reports false if Mixed does not apply or costs more than sums over the samples.
func NewMixed(s *Scope) (*Mixed, bool) {
	if !s.Squared || s.N <= max(tolerance.WindowLeast, tolerance.WindowRows*s.P) {
		return nil, false
	}
	varies, constants := make([]bool, len(s.Zones)), make([]bool, len(s.Zones))
	for k := range varies {
		varies[k] = s.Varies(k)
		constants[k] = !varies[k]
	}
	if !slices.Contains(constants, true) {
		return nil, false
	}
	moments, ok := newMoments(s, func(zone int, age float64) model.Series { return constant(s, varies, zone, age) }, varies)
	if !ok {
		return nil, false
	}
	return &Mixed{newDirect(s, constants), moments}, true
}

func constant(s *Scope, varies []bool, zone int, age float64) (terms model.Series) {
	if varies[zone] {
		return terms
	}
	loss := s.Inside(zone, age)
	terms.F[2], _, terms.Rate[2] = s.Regularizer.Weight(zone, loss, age)
	terms.F[0] = s.Regularizer.Integral(loss, age) - terms.F[2]*loss
	return terms
}

// Direct reports for each zone whether its samples are summed one by one.
func (t *Mixed) Direct() []bool { return t.Moments.apart }

func (t *Mixed) Assemble(pt *model.Point) {
	t.direct.Assemble(pt)
	t.Moments.Assemble(pt)
}

func (t *Mixed) Curve(pt *model.Point) {
	t.direct.Curve(pt)
	t.Moments.Curve(pt)
}

func (t *Mixed) Gradient(pt *model.Point) {
	t.direct.Gradient(pt)
	t.Moments.slope(t.s, pt)
}

func (t *Mixed) Coordinate(j int) (gradient, dage, size float64) {
	gradient, dage, size = t.direct.Coordinate(j)
	g, dg, s := t.Moments.Coordinate(j)
	return gradient + g, dage + dg, size + s
}

func (t *Mixed) Border(dst []float64, j int) (diagonal, magnitude float64) {
	diagonal, magnitude = t.direct.Border(dst, j)
	d, m := t.Moments.border(t.s, dst, j)
	return diagonal + d, magnitude + m
}

func (t *Mixed) Gradients(gradient, size []float64) {
	t.direct.Gradients(gradient, size)
	blas64.Axpy(1, dense.Vector(t.Moments.grad[:t.s.P]), dense.Vector(gradient))
	blas64.Axpy(1, dense.Vector(t.Moments.sizes), dense.Vector(size))
}

func (t *Mixed) Place(zones []uint8, u []float64) {
	t.Moments.Place(zones, u)
	t.direct.Place(zones, u)
}

func (t *Mixed) Move(i int, from uint8, theta []float64) {
	t.Moments.Move(i, from, theta)
	t.direct.Move(i, from, theta)
}

func (t *Mixed) Objective() float64 { return t.direct.Objective() + t.Moments.Objective() }
