package baselines

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/lists"
)

// Defaults of [MOSPL]: population and generations are those of the GAGA paper.
const (
	MOSPLPopulation  = 150
	MOSPLGenerations = 800
	MOSPLRefit       = 50
	MOSPLOrder       = 1.35
)

// MOSPLOptions tune [MOSPL]; zero values are the defaults.
type MOSPLOptions struct {
	Population  int // at least 4
	Generations int
	Refit       int     // generations between refits
	Order       float64 // >= gaga.LeastOrder, of the polynomial that replaces [gaga.Mixture]
	Seed        uint64
}

// MOSPLMember is a point of a MOSPL front.
type MOSPLMember struct {
	Weights []float64 // v, from 0 to 1
	Loss    float64   // first objective
	Penalty float64   // second objective
	Age     float64   // implied
	// Knot is the model fitted to v. Its objective and zones are those of the searched regularizer
	// at the implied age, its KKT is the residual of the weighted fit. Its age is the implied age,
	// made nondecreasing along the front by isotonic regression of logarithms.
	Knot gaga.Knot
}

// MOSPLFront is the result of [MOSPL].
type MOSPLFront struct {
	Members   []MOSPLMember // by falling second objective
	Fits      int
	Dominated int // another individual, once fitted, dominates or equals them
	OneClass  int // weights on one class only
	Discarded int // all weights 0, or all samples discarded by the implied age
}

// Knots returns the knots of the members, which approximate an age path.
func (f *MOSPLFront) Knots() []gaga.Knot {
	return lists.Map(f.Members, func(m MOSPLMember) gaga.Knot { return m.Knot })
}

// MOSPL runs multi-objective self-paced learning (Li, Gong, Meng, Miao, AAAI 2016) as in the GAGA
// paper's comparison: NSGA-III searches the weights v in [0,1]^n for the front of two objectives to
// be minimized,
//
//	Σ m_i v_i l_i(θ)    and    Σ m_i f(v_i),
//
// where θ is the model fitted to v and f is the self-paced regularizer f(v, λ) without its age:
//
//	hard         -v
//	linear       v²/2 - v
//	polynomial   v^t/t - v
//	mixture      the polynomial of order Order (Gong et al. 2018)
//
// [gaga.LOG] is refused: its age does not multiply a function of the weights.
//
// The first population has closed-form weights v*(l, λ) at falling ages, each with the losses of
// the model before, so that outliers are found gradually, and a fifth random ones. Before the first
// generation, after every Refit generations and at the end, the model of each individual is fitted
// to its weights. In between, losses are fixed: a child takes those of the parent whose model is
// better for its weights, by R + Σ v_i l_i.
//
// The members of the fitted last population that no other dominates or equals approximate the age
// path. The implied age of a member is the λ whose closed-form weights at the member's losses are
// nearest to its weights.
//
// A generation of N individuals takes O(N n) for n samples. docs/grid.md lists the differences from
// the paper's geatpy. If no individual remains, the error is [gaga.ErrDiscarded].
func MOSPL(ctx context.Context, p *gaga.Problem, o MOSPLOptions) (*MOSPLFront, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	plain := *p
	var err error
	if plain.Regularizer, err = separable(p.Regularizer, o.Order); err != nil {
		return nil, err
	}
	s, err := newMOSPLSearch(ctx, &plain, &o)
	if err != nil {
		return nil, err
	}
	for g := 1; g <= o.Generations; g++ {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("baselines: MOSPL before generation %d of %d: %w", g, o.Generations, err)
		}
		s.engine.Step()
		if g%o.Refit == 0 && g < o.Generations {
			if err := s.refit(ctx, nil); err != nil {
				return nil, err
			}
		}
	}
	return s.finish(ctx)
}

func (o *MOSPLOptions) complete() error {
	o.Population, o.Generations = cmp.Or(o.Population, MOSPLPopulation), cmp.Or(o.Generations, MOSPLGenerations)
	o.Refit, o.Order = cmp.Or(o.Refit, MOSPLRefit), cmp.Or(o.Order, MOSPLOrder)
	if o.Population < 4 || o.Generations < 1 || o.Refit < 1 {
		return fmt.Errorf("baselines: MOSPL's Population is %d, Generations is %d, Refit is %d; need at least 4, 1 and 1", o.Population, o.Generations, o.Refit)
	}
	if err := (gaga.Polynomial{Order: o.Order}).CheckParameters(); err != nil {
		return fmt.Errorf("baselines: MOSPL: %w", err)
	}
	return nil
}

func separable(r gaga.Regularizer, order float64) (gaga.Regularizer, error) {
	switch r.(type) {
	case gaga.Hard, gaga.Linear, gaga.Polynomial:
		return r, nil
	case gaga.Mixture:
		return gaga.Polynomial{Order: order}, nil
	case nil:
		return nil, errors.New("baselines: MOSPL needs a regularizer")
	}
	return nil, fmt.Errorf("baselines: MOSPL needs a regularizer of the form λ f(v), which %s has not", r.Name())
}
