package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
)

// LeastWeight is the smallest weight of the second stage.
const LeastWeight = 1e-4

const (
	fullUpTo      = 2.5 // residuals in units of σ̂ with weight 1
	leastFrom     = 3   // residuals in units of σ̂ with the minimum weight
	normalScale   = 1.4826
	smallestScale = 1e-10 // of σ̂, relative to the targets
)

// RLSSVM fits a problem of [LSSVM] by the robust weighted least squares support vector machine of
// Chen, Yan and Li (Neurocomputing 168, 2015) in two stages. The first is least trimmed squares,
//
//	min over w, b of ½‖w‖² + (C/2) Σ_{i <= h} (e²)_(i),
//
// with h the coverage's share of the samples, by FAST-LTS as in [SparseLTS], and from the plain fit.
// The second stage is one fit with the weights of Suykens, De Brabanter, Lukas and Vandewalle
// (Neurocomputing 48, 2002),
//
//	v_i = 1 to |e_i/σ̂| = 2.5, falling linearly to 1e-4 at 3,
//
// with σ̂ = 1.4826 median |e| of the first stage's residuals. [Fit.Objective] is this stage's,
// ½‖w‖² + (C/2) Σ v_i e_i².
//
// Chosen here: coverage, starts, subsets of one row more than columns, with a kernel √n; σ̂ is at
// least 1e-10 of the largest target. For labels ±1, trimming takes the
// same share of both classes: otherwise dropping a whole class would leave no error. A row of
// multiplicity m counts as m samples, of which trimming can take a part.
func RLSSVM(ctx context.Context, p *gaga.Problem, o TrimOptions) (*Fit, error) {
	if err := o.complete(0.7, 20); err != nil {
		return nil, err
	}
	m, err := newMachine(ctx, p)
	if err != nil {
		return nil, err
	}
	n, subset := len(m.y), p.X.Cols+1
	if p.Kernel != nil {
		subset = int(math.Ceil(math.Sqrt(float64(n))))
	}
	d, err := descentOf(ctx, p, m, min(subset, (n+1)/2))
	if err != nil {
		return nil, err
	}
	labels := !slices.ContainsFunc(m.y, func(y float64) bool { return math.Abs(y) != 1 })
	d.trimming(labels, func(total float64) float64 { return math.Ceil(o.Coverage * total) })
	d.objective = m.objective
	best, err := d.run(ctx, math.MaxInt)
	if err == nil {
		var other candidate
		if other, err = d.search(ctx, o); other.objective < best.objective {
			best = other
		}
	}
	if err != nil {
		return nil, fmt.Errorf("baselines: least trimmed squares: %w", err)
	}
	if err := m.Fit(ctx, best.weights); err != nil {
		return nil, err
	}
	scale := max(normalScale*m.median(), smallestScale*largest(m.y))
	weights := make([]float64, n)
	for i, e := range m.residual {
		weights[i] = influence(math.Abs(e), scale)
	}
	if err = m.Fit(ctx, weights); err == nil {
		err = m.resolved()
	}
	if err != nil {
		return nil, err
	}
	return &Fit{Theta: m.theta(), Weights: weights, Objective: m.objective(), KKT: m.kkt, Trimmed: best.objective, Scale: scale}, nil
}

func influence(e, scale float64) float64 {
	switch {
	case e <= fullUpTo*scale:
		return 1
	case e <= leastFrom*scale:
		return max(LeastWeight, (leastFrom-e/scale)/(leastFrom-fullUpTo))
	}
	return LeastWeight
}

// median is that of |e|.
func (m *machine) median() float64 {
	order := make([]int, len(m.y))
	for i := range order {
		order[i] = i
	}
	rank(order, m.residual)
	half := floats.Sum(m.multiplicity) / 2
	for _, i := range order {
		if half -= m.multiplicity[i]; half <= 0 {
			return math.Abs(m.residual[i])
		}
	}
	return math.Abs(m.residual[order[len(order)-1]])
}
