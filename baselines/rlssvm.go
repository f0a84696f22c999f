package baselines

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agepath/agepath/gaga"
)

// RLSSVMOptions tune [RLSSVM]. The zero value stands for the defaults.
type RLSSVMOptions struct {
	// Coverage is the share of the samples that is not trimmed, in [0.5, 1]: half
	// of them withstands the most outliers, more fits better where there are
	// fewer. 0: 0.7.
	Coverage float64
	// Starts is the number of random subsets that the search starts from besides
	// the plain fit. 0: 20.
	Starts int
	// Random draws the subsets. nil: always the same ones.
	Random *rand.Rand
}

// RLSSVMFit is what [RLSSVM] found.
type RLSSVMFit struct {
	Fit
	Trimmed float64 // the first stage's objective
	Scale   float64 // σ̂ of its residuals
}

// LeastWeight is the smallest weight of the second stage of [RLSSVM].
const LeastWeight = 1e-4

const (
	quickSteps    = 2   // concentration steps of every start
	finalists     = 5   // starts that go on until they stand still
	fullUpTo      = 2.5 // residuals in units of σ̂ with weight 1
	leastFrom     = 3   // residuals in units of σ̂ with the least weight
	normalScale   = 1.4826
	smallestScale = 1e-10 // of σ̂, relative to the targets
)

// RLSSVM fits a problem of [LSSVM] by the robust weighted least squares support
// vector machine of Chen, Yan and Li (Neurocomputing 168, 2015) in two stages.
// The first, for robustness, is least trimmed squares,
//
//	min over w, b of ½‖w‖² + (C/2) Σ_{i <= h} (e²)_(i),
//
// the sum of the h smallest squared residuals, where h is the coverage's share
// of the samples. It is searched as by FAST-LTS (Rousseeuw and Van Driessen,
// 2006): from the plain fit and from fits to random subsets, two concentration
// steps each, which fit to the h samples with the smallest residuals; then the
// best five go on until their samples stand still. The second stage, for
// efficiency, is one fit with the weights of Suykens, De Brabanter, Lukas and
// Vandewalle (Neurocomputing 48, 2002),
//
//	v_i = 1 to |e_i/σ̂| = 2.5, falling linearly to 1e-4 at 3,
//
// with σ̂ = 1.4826 median |e| of the first stage's residuals. [Fit.Objective] is
// this stage's, ½‖w‖² + (C/2) Σ v_i e_i².
//
// Left open by the paper and chosen here: coverage, starts and the size of the
// subsets, one more than columns (with a kernel √n), as FAST-LTS has it without
// a penalty; the scale, which needs σ̂ > 0, is at least 1e-10 of the largest
// target. The paper does regression only. Where all targets are labels, -1 and
// +1, trimming takes the same share of both classes: else dropping a whole class
// would leave no error. A small coverage can still leave parts of the classes that
// are easy to tell apart and say little of the rest. A row of multiplicity m counts as m samples, of which
// trimming can take a part.
func RLSSVM(ctx context.Context, p *gaga.Problem, o RLSSVMOptions) (*RLSSVMFit, error) {
	if o.Coverage == 0 {
		o.Coverage = 0.7
	}
	if o.Starts == 0 {
		o.Starts = 20
	}
	switch {
	case !(o.Coverage >= 0.5 && o.Coverage <= 1):
		return nil, fmt.Errorf("baselines: coverage %v, allowed is 0.5 to 1", o.Coverage)
	case o.Starts < 0:
		return nil, fmt.Errorf("baselines: %d starts, need at least 1", o.Starts)
	}
	if o.Random == nil {
		o.Random = rand.New(rand.NewPCG(0, 0))
	}
	m, err := newMachine(ctx, p)
	if err != nil {
		return nil, err
	}
	search := newTrimming(m, p, o)
	best, err := search.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("baselines: least trimmed squares: %w", err)
	}
	return search.efficient(ctx, best)
}

// efficient is the second stage, from the best trimmed fit.
func (t *trimming) efficient(ctx context.Context, best trimmed) (*RLSSVMFit, error) {
	m := t.machine
	if _, err := m.solve(ctx, best.weights); err != nil {
		return nil, err
	}
	scale := max(normalScale*t.median(), smallestScale*largest(m.y))
	weights := make([]float64, len(m.y))
	for i, e := range m.residual {
		weights[i] = m.multiplicity[i] * influence(math.Abs(e), scale)
	}
	kkt, err := m.solve(ctx, weights)
	if err != nil {
		return nil, err
	}
	return &RLSSVMFit{
		Fit:     Fit{Theta: m.theta(), Weights: m.shares(weights), Objective: m.weighted(weights), KKT: kkt, Iterations: m.solved},
		Trimmed: best.objective, Scale: scale,
	}, nil
}

// influence is the second stage's weight of a residual e >= 0.
func influence(e, scale float64) float64 {
	switch {
	case e <= fullUpTo*scale:
		return 1
	case e <= leastFrom*scale:
		return max(LeastWeight, (leastFrom-e/scale)/(leastFrom-fullUpTo))
	}
	return LeastWeight
}

// median returns the median of |e| over the samples: the smallest that at least
// half of them do not exceed.
func (t *trimming) median() float64 {
	m := t.machine
	seen := 0.0
	for _, i := range t.ranked(t.all) {
		if seen += m.multiplicity[i]; seen >= m.total/2 {
			return math.Abs(m.residual[i])
		}
	}
	return 0
}

// trimming searches the least trimmed squares fit of a machine.
type trimming struct {
	machine *machine
	options RLSSVMOptions
	subset  int // size of a random subset, in rows
	groups  []group
	all     []int // rows
	weights []float64
	order   []int // n, work
}

// group is the rows that are trimmed together.
type group struct {
	rows []int
	kept float64 // samples that are not trimmed
}

// trimmed is a set of samples with the objective of the fit to it.
type trimmed struct {
	weights   []float64
	objective float64
	still     bool // a further step changes nothing
}

func newTrimming(m *machine, p *gaga.Problem, o RLSSVMOptions) *trimming {
	n := len(m.y)
	t := &trimming{machine: m, options: o, subset: p.X.Cols + 1, all: make([]int, n), weights: make([]float64, n), order: make([]int, n)}
	if p.Kernel != nil {
		t.subset = int(math.Ceil(math.Sqrt(float64(n))))
	}
	t.subset = min(t.subset, (n+1)/2)
	labels := m.labels()
	var negative, positive []int
	for i := range n {
		t.all[i] = i
		if labels && m.y[i] < 0 {
			negative = append(negative, i)
		} else {
			positive = append(positive, i)
		}
	}
	for _, rows := range [][]int{negative, positive} {
		total := 0.0
		for _, i := range rows {
			total += m.multiplicity[i]
		}
		if total > 0 {
			t.groups = append(t.groups, group{rows, min(total, math.Ceil(o.Coverage*total))})
		}
	}
	return t
}

// run returns the best of all starts.
func (t *trimming) run(ctx context.Context) (trimmed, error) {
	starts := make([]trimmed, 0, t.options.Starts+1)
	for k := range t.options.Starts + 1 {
		weights := t.machine.multiplicity
		if k > 0 {
			weights = t.draw()
		}
		if _, err := t.machine.solve(ctx, weights); err != nil {
			return trimmed{}, err
		}
		s := trimmed{weights: make([]float64, len(weights)), objective: math.Inf(1)}
		if err := t.concentrate(ctx, &s, quickSteps); err != nil {
			return trimmed{}, err
		}
		starts = append(starts, s)
	}
	slices.SortStableFunc(starts, func(a, b trimmed) int { return cmp.Compare(a.objective, b.objective) })
	starts = starts[:min(finalists, len(starts))]
	best := 0
	for k := range starts {
		if _, err := t.machine.solve(ctx, starts[k].weights); err != nil {
			return trimmed{}, err
		}
		if err := t.concentrate(ctx, &starts[k], math.MaxInt); err != nil {
			return trimmed{}, err
		}
		if starts[k].objective < starts[best].objective {
			best = k
		}
	}
	return starts[best], nil
}

// draw returns the weights of a random subset of the rows, of at least one of
// every group.
func (t *trimming) draw() []float64 {
	clear(t.weights)
	size := (t.subset + len(t.groups) - 1) / len(t.groups)
	for _, g := range t.groups {
		for _, k := range t.options.Random.Perm(len(g.rows))[:min(size, len(g.rows))] {
			i := g.rows[k]
			t.weights[i] = t.machine.multiplicity[i]
		}
	}
	return t.weights
}

// concentrate does at most limit concentration steps from the machine's fit.
// Each lowers the objective, and there are finitely many sets: it ends.
func (t *trimming) concentrate(ctx context.Context, s *trimmed, limit int) error {
	for range limit {
		if s.still {
			return nil
		}
		t.choose()
		if slices.Equal(t.weights, s.weights) {
			s.still = true
			return nil
		}
		if _, err := t.machine.solve(ctx, t.weights); err != nil {
			return err
		}
		objective := t.machine.weighted(t.weights)
		if !(objective < s.objective) { // equal but for rounding
			s.still = true
			return nil
		}
		s.objective = objective
		copy(s.weights, t.weights)
	}
	return nil
}

// choose writes the weights that keep the smallest residuals of each group.
func (t *trimming) choose() {
	clear(t.weights)
	for _, g := range t.groups {
		room := g.kept
		for _, i := range t.ranked(g.rows) {
			t.weights[i] = min(room, t.machine.multiplicity[i])
			if room -= t.weights[i]; room <= 0 {
				break
			}
		}
	}
}

// ranked returns the rows in the order of their residuals, equal ones in that of
// their numbers, until it is called again.
func (t *trimming) ranked(rows []int) []int {
	e := t.machine.residual
	order := t.order[:copy(t.order, rows)]
	slices.SortFunc(order, func(a, b int) int {
		if c := cmp.Compare(math.Abs(e[a]), math.Abs(e[b])); c != 0 {
			return c
		}
		return a - b
	})
	return order
}
