package baselines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/nsga3"
)

// mosplSearch is the problem that NSGA-III minimizes. An individual has one of the models of the
// last refit.
type mosplSearch struct {
	problem     *gaga.Problem
	alternation *gaga.Alternation
	free        ageFree
	engine      *nsga3.Engine
	models      mosplModels
	spare       mosplModels
	model       []int // of each slot
	order       []int // slots by falling second objective, at the last refit
	fits        int
}

type mosplModels struct {
	n         int
	losses    []float64 // a row per model, times multiplicities
	penalties []float64
}

func newMOSPLModels(count, n int) mosplModels {
	return mosplModels{n, make([]float64, count*n), make([]float64, count)}
}

func (m *mosplModels) row(k int) []float64 { return m.losses[k*m.n : (k+1)*m.n] }

func newMOSPLSearch(ctx context.Context, p *gaga.Problem, o *MOSPLOptions) (*mosplSearch, error) {
	a, err := gaga.NewAlternation(p)
	if err != nil {
		return nil, err
	}
	n, size := p.X.Rows, o.Population
	s := &mosplSearch{
		problem: p, alternation: a, free: newAgeFree(p),
		models: newMOSPLModels(size, n), spare: newMOSPLModels(size, n),
		model: make([]int, 2*size), order: make([]int, size),
	}
	if err := a.FitAll(ctx); err != nil {
		return nil, fmt.Errorf("baselines: MOSPL: %w", err)
	}
	s.fits++
	s.store(&s.models, 0) // the model of all individuals until the first refit
	initial, err := s.descend(ctx, size-size/5)
	if err != nil {
		return nil, err
	}
	s.engine = nsga3.New(s, nsga3.Settings{Variables: n, Population: size, Initial: initial, Seed: o.Seed})
	return s, s.refit(ctx, nil)
}

func (s *mosplSearch) descend(ctx context.Context, count int) ([][]float64, error) {
	losses, sorted := make([]float64, s.models.n), make([]float64, s.models.n)
	rows := make([][]float64, count)
	for k := range rows {
		s.alternation.Losses(losses)
		copy(sorted, losses)
		slices.Sort(sorted)
		age := spread(sorted, float64(count-k)/float64(count))
		rows[k] = make([]float64, len(losses))
		for i, loss := range losses {
			rows[k][i] = s.free.weight(loss, age)
		}
		s.fits++
		if err := s.alternation.Fit(ctx, rows[k]); err != nil && !errors.Is(err, gaga.ErrOneClass) {
			return nil, fmt.Errorf("baselines: MOSPL at age %v of the first population: %w", age, err)
		}
	}
	return rows, nil
}

func (s *mosplSearch) store(models *mosplModels, k int) {
	row := models.row(k)
	s.alternation.Losses(row)
	if s.problem.Multiplicity != nil {
		floats.Mul(row, s.problem.Multiplicity)
	}
	models.penalties[k] = s.alternation.Penalty()
}

func (s *mosplSearch) Evaluate(f, v []float64, slot, mother, father int) {
	if mother >= 0 {
		s.model[slot] = s.model[mother]
	}
	own := s.model[slot]
	f[0] = dense.Dot(v, s.models.row(own))
	if mother >= 0 && s.model[father] != own {
		other := s.model[father]
		loss := dense.Dot(v, s.models.row(other))
		if loss+s.models.penalties[other] < f[0]+s.models.penalties[own] {
			s.model[slot], f[0] = other, loss
		}
	}
	f[1] = s.free.sum(v)
}

// refit fits the models along the front so that each fit starts near its solution. fitted, if not
// nil, is called while the slot's model is the alternation's current solution. An individual with
// weights on one class only keeps its model.
func (s *mosplSearch) refit(ctx context.Context, fitted func(slot int)) error {
	copy(s.order, s.engine.Living())
	slices.SortFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.engine.F(b)[1], s.engine.F(a)[1]), cmp.Compare(a, b))
	})
	for k, slot := range s.order {
		err := s.alternation.Fit(ctx, s.engine.X(slot))
		s.fits++
		switch {
		case errors.Is(err, gaga.ErrOneClass):
			copy(s.spare.row(k), s.models.row(s.model[slot]))
			s.spare.penalties[k] = s.models.penalties[s.model[slot]]
		case err != nil:
			return fmt.Errorf("baselines: MOSPL: %w", err)
		default:
			s.store(&s.spare, k)
			if fitted != nil {
				fitted(slot)
			}
		}
		s.model[slot] = k
	}
	s.models, s.spare = s.spare, s.models
	s.engine.Refresh()
	return nil
}

func (s *mosplSearch) finish(ctx context.Context) (*MOSPLFront, error) {
	front := &MOSPLFront{}
	members := make([]*MOSPLMember, len(s.model)) // by slot; nil without a fit or a sample
	losses := make([]float64, s.models.n)
	err := s.refit(ctx, func(slot int) {
		v := slices.Clone(s.engine.X(slot))
		s.alternation.Losses(losses)
		age := s.free.impliedAge(v, losses)
		if slices.Max(v) == 0 || s.alternation.Discards(age) {
			front.Discarded++
			return
		}
		members[slot] = &MOSPLMember{Weights: v, Age: age, Knot: s.alternation.Knot(age, gaga.Grid)}
	})
	if err != nil {
		return nil, err
	}
	front.Fits = s.fits
	fitted := slices.DeleteFunc(slices.Clone(s.order), func(slot int) bool { return members[slot] == nil })
	if front.Discarded == len(s.order) {
		return nil, fmt.Errorf("baselines: MOSPL: at every implied age %w", gaga.ErrDiscarded)
	}
	front.OneClass = len(s.order) - len(fitted) - front.Discarded
	var ages []float64
	for k, slot := range fitted { // in order of the second objective
		f, dominated := s.engine.F(slot), false
		for l, other := range fitted {
			g := s.engine.F(other)
			dominated = dominated || g[0] <= f[0] && g[1] <= f[1] && (l < k || g[0] < f[0] || g[1] < f[1])
		}
		if dominated {
			front.Dominated++
			continue
		}
		member := members[slot]
		member.Loss, member.Penalty = f[0], f[1]
		front.Members = append(front.Members, *member)
		ages = append(ages, member.Age)
	}
	ascend(ages)
	for k, age := range ages {
		front.Members[k].Knot.Age = age
	}
	if last := len(ages) - 1; last >= 0 {
		front.Members[0].Knot.Kind, front.Members[last].Knot.Kind = gaga.Start, gaga.End
	}
	return front, nil
}
