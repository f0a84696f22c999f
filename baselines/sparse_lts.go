package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/convex"
)

const (
	subsetRows  = 3
	firstSteps  = 2
	keptStarts  = 10    // best starts that are followed to the end
	tailOutside = 0.025 // normal residuals, in both tails, that the second stage leaves out
)

// SparseLTS fits a problem of [gaga.Lasso] by sparse least trimmed squares (Alfons, Croux and
// Gelper, Annals of Applied Statistics 7, 2013). The first stage is
//
//	min over w, b of (1/2h) Σ_{i <= h} (r²)_(i) + α ‖w‖₁,
//
// with the h smallest of n squared residuals, h = ⌊(n+1) Coverage⌋; the paper's λ is 2α. It is
// searched by FAST-LTS: from the Lasso of random subsets of three rows, two concentration steps
// each, which fit to the h samples with the smallest residuals; the ten best continue while the
// objective falls. The second stage is the Lasso of the same α on the samples whose residuals are
// within the 97.5 % of a normal distribution with the center and the consistent scale of the first
// stage's residuals. [Fit.Objective] is the last stage's. [Fit.Weights] are 0 or 1, except for a partly
// trimmed row.
//
// A row of multiplicity m counts as m samples, of which trimming can take a part. Features are not
// scaled; the paper's program scales them robustly.
func SparseLTS(ctx context.Context, p *gaga.Problem, o TrimOptions) (*Fit, error) {
	if err := o.complete(0.75, 500); err != nil {
		return nil, err
	}
	if err := checkLasso(p); err != nil {
		return nil, err
	}
	s := newSparseTrimming(p, o.Coverage)
	best, err := s.search(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("baselines: sparse least trimmed squares: %w", err)
	}
	if err := s.solve(ctx, best.weights); err != nil {
		return nil, err
	}
	weights := best.weights
	center, scale := s.spread(weights)
	if !o.Raw {
		weights = s.within(center, scale)
		if err := s.solve(ctx, weights); err != nil {
			return nil, err
		}
	}
	fit := &Fit{
		Theta: slices.Clone(s.lasso.Theta()), Weights: make([]float64, len(weights)),
		Objective: s.objective(weights), KKT: s.certificate.KKT,
		Trimmed: best.objective, Center: center, Scale: scale,
	}
	floats.DivTo(fit.Weights, weights, s.multiplicity)
	return fit, nil
}

type sparseTrimming struct {
	lasso        *convex.Lasso
	alpha, total float64
	kept         float64 // h
	y            []float64
	multiplicity []float64
	residual     []float64 // of the last fit
	weights      []float64
	scaled       []float64
	order        []int
	certificate  convex.Certificate
}

func newSparseTrimming(p *gaga.Problem, coverage float64) *sparseTrimming {
	n := p.X.Rows
	f := func() []float64 { return make([]float64, n) }
	s := &sparseTrimming{y: p.Y, multiplicity: multiplicities(p), residual: f(), weights: f(), scaled: f(), order: make([]int, n)}
	for i := range n {
		s.order[i] = i
	}
	s.total = floats.Sum(s.multiplicity)
	s.kept = min(s.total, math.Floor((s.total+1)*coverage))
	s.alpha = p.Penalty.L1 / (2 * s.total)
	s.lasso = convex.NewLasso(p.X, p.Y, s.alpha, s.kept, p.Intercept)
	return s
}

func (s *sparseTrimming) search(ctx context.Context, o TrimOptions) (trimmed, error) {
	var leading []trimmed
	for range o.Starts {
		clear(s.weights)
		for range min(subsetRows, len(s.y)) {
			i := o.Random.IntN(len(s.y))
			for s.weights[i] > 0 {
				i = o.Random.IntN(len(s.y))
			}
			s.weights[i] = s.multiplicity[i]
		}
		if err := s.solve(ctx, s.weights); err != nil {
			return trimmed{}, err
		}
		set, err := s.concentrate(ctx, firstSteps)
		if err != nil {
			return trimmed{}, err
		}
		at, _ := slices.BinarySearchFunc(leading, set.objective, func(t trimmed, objective float64) int {
			if t.objective <= objective {
				return -1
			}
			return 1
		})
		if at < keptStarts && (at == 0 || !slices.Equal(leading[at-1].weights, set.weights)) {
			leading = slices.Insert(leading, at, set)[:min(len(leading)+1, keptStarts)]
		}
	}
	best := leading[0]
	for _, start := range leading {
		if err := s.solve(ctx, start.weights); err != nil {
			return best, err
		}
		set, err := s.concentrate(ctx, math.MaxInt)
		if err != nil {
			return best, err
		}
		if set.objective < best.objective {
			best = set
		}
	}
	return best, nil
}

func (s *sparseTrimming) concentrate(ctx context.Context, steps int) (set trimmed, err error) {
	for range steps {
		clear(s.weights)
		rank(s.order, s.residual)
		keep(s.weights, s.multiplicity, s.order, s.kept)
		if err := s.solve(ctx, s.weights); err != nil {
			return set, err
		}
		objective := s.objective(s.weights)
		if set.weights != nil && !(objective < set.objective) { // the same samples, or equal up to rounding
			break
		}
		set.objective = objective
		set.weights = append(set.weights[:0], s.weights...)
	}
	return set, nil
}

func (s *sparseTrimming) solve(ctx context.Context, weights []float64) (err error) {
	// The solver's penalty is for h samples.
	floats.ScaleTo(s.scaled, s.kept/floats.Sum(weights), weights)
	if s.certificate, err = s.lasso.Solve(ctx, s.scaled); err != nil {
		return err
	}
	s.lasso.Scores(s.residual)
	floats.SubTo(s.residual, s.y, s.residual)
	return nil
}

func (s *sparseTrimming) objective(weights []float64) float64 {
	sum, norm := 0.0, 0.0
	for i, v := range weights {
		sum += v * s.residual[i] * s.residual[i]
	}
	for _, w := range s.lasso.Theta()[:len(s.lasso.Theta())-1] {
		norm += math.Abs(w)
	}
	return sum/(2*floats.Sum(weights)) + s.alpha*norm
}

// spread returns the center of the residuals of the trimmed samples, and the scale of the h
// residuals nearest to it, consistent for the normal distribution.
func (s *sparseTrimming) spread(weights []float64) (center, scale float64) {
	center = floats.Dot(weights, s.residual) / s.kept
	floats.AddConst(-center, s.residual)
	nearest := s.weights
	clear(nearest)
	rank(s.order, s.residual)
	keep(nearest, s.multiplicity, s.order, s.kept)
	sum := 0.0
	for i, v := range nearest {
		sum += v * s.residual[i] * s.residual[i]
	}
	floats.AddConst(center, s.residual)
	scale = math.Sqrt(sum / s.kept)
	if share := s.kept / s.total; share < 1 {
		q := math.Sqrt2 * math.Erfinv(share)
		density := math.Exp(-q*q/2) / math.Sqrt(2*math.Pi)
		scale /= math.Sqrt(1 - 2*q*density/share)
	}
	return center, max(scale, smallestScale*largest(s.y))
}

func (s *sparseTrimming) within(center, scale float64) []float64 {
	weights := make([]float64, len(s.y))
	for i, r := range s.residual {
		if math.Abs(r-center) <= math.Sqrt2*math.Erfinv(1-tailOutside)*scale {
			weights[i] = s.multiplicity[i]
		}
	}
	return weights
}
