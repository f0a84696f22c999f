package gaga

import (
	"slices"

	"github.com/agepath/agepath/gaga/internal/model"
)

// engine returns a problem in its frame in the engine's form; X is shared.
func (p *Problem) engine() *model.Problem {
	n, d := p.X.Rows, p.X.Cols
	s := model.Samples{N: n, P: d, X: p.X, Y: slices.Clone(p.Y), M: make([]float64, n), Total: p.total(), Kernel: p.Kernel, Intercept: p.Intercept}
	for i := range s.M {
		s.M[i] = p.multiplicity(i)
	}
	criterion := model.Criterion{Loss: p.Loss, OneSided: p.oneSided()}
	_, criterion.Squared = p.Loss.(SquaredLoss)
	if hinge, ok := p.Loss.(HingeLoss); ok {
		criterion.Cost = hinge.Cost()
	}
	free := p.Intercept // the last unknown has no penalty
	switch {
	case p.Kernel != nil:
		s.P = n + 1
	case p.Intercept:
		s.P = d + 1
	}
	penalty := model.Penalty{L1: make([]float64, s.P), L2: make([]float64, s.P)}
	for j := range s.P {
		if j < s.P-1 || !free {
			penalty.L1[j], penalty.L2[j] = p.Penalty.L1, p.Penalty.L2
		}
	}
	if p.Kernel == nil {
		s.Rows = p.X.Data
	}
	zoning := model.NewZoning(p.Regularizer, engineZones(p.Regularizer), engineSeries(p.Regularizer), criterion.Kinked())
	return &model.Problem{Samples: s, Penalty: penalty, Criterion: criterion, Zoning: zoning}
}

func engineZones(r Regularizer) []model.Zone {
	var zones []model.Zone
	for _, z := range r.Zones() {
		zones = append(zones, model.Zone{Name: z.Kind.String(), Closed: z.Closed, Break: z.Break})
	}
	return zones
}

func engineSeries(r Regularizer) func(zone int, age float64) model.Series {
	s, ok := r.(SeriesRegularizer)
	if !ok {
		return nil
	}
	return func(zone int, age float64) model.Series { return model.Series(s.Series(zone, age)) }
}

func (p *Problem) zoneKinds() []ZoneKind {
	var kinds []ZoneKind
	if _, kinked := p.Loss.(HingeLoss); kinked {
		kinds = append(kinds, Satisfied, Pinned)
	}
	for _, z := range p.Regularizer.Zones() {
		kinds = append(kinds, z.Kind)
	}
	return kinds
}
