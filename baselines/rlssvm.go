package baselines

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

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
// with h the coverage's share of the samples. The search starts from the plain fit, the median of
// the targets, fits to random subsets, and the best set so far with a quarter of the trimmed
// samples exchanged at random. It makes concentration steps of FAST-LTS (Rousseeuw and Van
// Driessen, 2006), which fit to the h samples with the smallest residuals, and then exchanges of
// two samples (Hawkins, Computational Statistics & Data Analysis 17, 1994), while either lowers the
// objective. Exchanges count the error that each sample would have if left out. The second stage is
// one fit with the weights of Suykens, De Brabanter, Lukas and Vandewalle (Neurocomputing 48,
// 2002),
//
//	v_i = 1 to |e_i/σ̂| = 2.5, falling linearly to 1e-4 at 3,
//
// with σ̂ = 1.4826 median |e| of the first stage's residuals. [Fit.Objective] is this stage's,
// ½‖w‖² + (C/2) Σ v_i e_i².
//
// Chosen here: coverage, starts, subsets of one row more than columns (with a kernel √n) and of
// half of the rows; σ̂ is at least 1e-10 of the largest target. For labels ±1, trimming takes the
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
	search := newTrimming(m, p, o)
	best, err := search.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("baselines: least trimmed squares: %w", err)
	}
	if _, err := m.solve(ctx, best.weights); err != nil {
		return nil, err
	}
	median := math.Abs(m.residual[search.middle(search.ranked(search.all))])
	scale := max(normalScale*median, smallestScale*largest(m.y))
	weights := make([]float64, len(m.y))
	for i, e := range m.residual {
		weights[i] = m.multiplicity[i] * influence(math.Abs(e), scale)
	}
	kkt, err := m.solve(ctx, weights)
	if err == nil {
		err = resolved(kkt)
	}
	if err != nil {
		return nil, err
	}
	return &Fit{
		Theta: m.theta(), Weights: m.shares(weights), Objective: m.weighted(weights), KKT: kkt,
		Trimmed: best.objective, Scale: scale,
	}, nil
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

func (t *trimming) middle(order []int) int {
	m := t.machine
	seen := 0.0
	for _, i := range order {
		if seen += m.multiplicity[i]; seen >= m.total/2 {
			return i
		}
	}
	return order[len(order)-1]
}

type trimming struct {
	machine   *machine
	options   TrimOptions
	subsets   [2]int // sizes of random subsets, in rows
	groups    []group
	all       []int
	weights   []float64
	order     []int
	exchanged *exchange
}

type group struct {
	rows []int
	kept float64 // samples that are not trimmed
}

type trimmed struct {
	weights   []float64
	objective float64
}

func newTrimming(m *machine, p *gaga.Problem, o TrimOptions) *trimming {
	n := len(m.y)
	f := func(k int) []float64 { return make([]float64, k) }
	t := &trimming{
		machine: m, options: o, all: make([]int, n), weights: f(n), order: make([]int, n),
		exchanged: &exchange{leverages: m.newLeverages(), weights: f(n), residual: f(n), own: f(n)},
	}
	few := p.X.Cols + 1
	if p.Kernel != nil {
		few = int(math.Ceil(math.Sqrt(float64(n))))
	}
	half := (n + 1) / 2
	t.subsets = [2]int{min(few, half), half}
	labels := !slices.ContainsFunc(m.y, func(y float64) bool { return math.Abs(y) != 1 })
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

func (t *trimming) run(ctx context.Context) (trimmed, error) {
	m := t.machine
	var best trimmed
	subsets := 2 + 2*t.options.Starts
	for k := range subsets + t.options.Starts {
		weights := m.multiplicity
		switch {
		case k >= subsets:
			weights = t.kicked(best.weights)
		case k > 1:
			weights = t.draw(t.subsets[k%2])
		}
		if _, err := m.solve(ctx, weights); err != nil {
			return best, err
		}
		if k == 1 {
			t.constant()
		}
		s, err := t.concentrate(ctx)
		if err == nil {
			err = t.exchange(ctx, &s)
		}
		if err != nil {
			return best, err
		}
		if k == 0 || s.objective < best.objective {
			best = s
		}
	}
	return best, nil
}

func (t *trimming) kicked(weights []float64) []float64 {
	m, to := t.machine, slices.Clone(weights)
	for _, g := range t.groups {
		out := 0.0
		for _, i := range g.rows {
			out += m.multiplicity[i] - to[i]
		}
		order := t.options.Random.Perm(len(g.rows))
		come := 0.0
		for _, k := range order {
			by := min(math.Ceil(out/4)-come, to[g.rows[k]])
			to[g.rows[k]] -= by
			come += by
		}
		for _, k := range slices.Backward(order) { // rows that were removed come first
			by := min(come, m.multiplicity[g.rows[k]]-to[g.rows[k]])
			to[g.rows[k]] += by
			come -= by
		}
	}
	return to
}

func (t *trimming) constant() {
	m := t.machine
	order := slices.Clone(t.all)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.y[a], m.y[b]) })
	median := m.y[t.middle(order)]
	for i, y := range m.y {
		m.residual[i] = y - median
	}
}

// draw returns a random subset with at least one row of every group.
func (t *trimming) draw(size int) []float64 {
	clear(t.weights)
	size = (size + len(t.groups) - 1) / len(t.groups)
	for _, g := range t.groups {
		for _, k := range t.options.Random.Perm(len(g.rows))[:min(size, len(g.rows))] {
			i := g.rows[k]
			t.weights[i] = t.machine.multiplicity[i]
		}
	}
	return t.weights
}

func (t *trimming) concentrate(ctx context.Context) (s trimmed, err error) {
	for {
		t.choose()
		if _, err := t.machine.solve(ctx, t.weights); err != nil {
			return s, err
		}
		objective := t.machine.weighted(t.weights)
		if s.weights != nil && !(objective < s.objective) { // the same samples, or equal up to rounding
			return s, nil
		}
		s.objective = objective
		s.weights = append(s.weights[:0], t.weights...)
	}
}

func (t *trimming) choose() {
	clear(t.weights)
	for _, g := range t.groups {
		keep(t.weights, t.machine.multiplicity, t.ranked(g.rows), g.kept)
	}
}

func keep(weights, multiplicity []float64, order []int, room float64) {
	for _, i := range order {
		weights[i] = min(room, multiplicity[i])
		if room -= weights[i]; room <= 0 {
			break
		}
	}
}

// ranked returns the rows by residual, then by number; valid until the next call.
func (t *trimming) ranked(rows []int) []int {
	order := t.order[:copy(t.order, rows)]
	rank(order, t.machine.residual)
	return order
}

func rank(rows []int, e []float64) {
	slices.SortFunc(rows, func(a, b int) int {
		if c := cmp.Compare(math.Abs(e[a]), math.Abs(e[b])); c != 0 {
			return c
		}
		return a - b
	})
}
