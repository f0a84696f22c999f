package baselines

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

const tailOutside = 0.025 // normal residuals, in both tails, that the second stage leaves out

// SparseLTS fits a problem with the squared loss by sparse least trimmed squares (Alfons, Croux and
// Gelper, Annals of Applied Statistics 7, 2013; for the elastic net Kurnaz, Hoffmann and Filzmoser,
// 2018; without a penalty the LTS of Rousseeuw, 1984). The first stage is, for the Lasso,
//
//	min over w, b of (1/2h) Σ_{i <= h} (r²)_(i) + α ‖w‖₁,
//
// with the h smallest of n squared residuals, h = ⌊(n+1) Coverage⌋; the paper's λ is 2α, and another
// penalty R is R/2n. It is searched by FAST-LTS: from the fits to random subsets of three rows, two
// concentration steps each, which fit to the h samples with the smallest residuals; the ten best
// continue while the objective falls. The second stage is the fit with the same penalty to the samples
// whose residuals are within the 97.5 % of a normal distribution with the center and the consistent scale
// of the first stage's residuals. [Fit.Objective] is the last stage's.
//
// A row of multiplicity m counts as m samples, of which trimming can take a part: its weight is then
// between 0 and 1. Features are not scaled; the paper's program scales them robustly.
func SparseLTS(ctx context.Context, p *gaga.Problem, o TrimOptions) (*Fit, error) {
	if err := cmp.Or(o.complete(0.75, 500), checkSquared(p)); err != nil {
		return nil, err
	}
	t, err := newLossTrimming(ctx, p, func(n float64) float64 { return math.Floor((n + 1) * o.Coverage) })
	if err != nil {
		return nil, err
	}
	best, err := t.search(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("baselines: least trimmed squares: %w", err)
	}
	fit, err := t.result(ctx, best)
	if err != nil {
		return nil, err
	}
	center, scale, residual, err := t.spread(fit)
	if err != nil {
		return nil, err
	}
	if !o.Raw {
		within := make([]float64, len(residual))
		for i, r := range residual {
			if math.Abs(r) <= math.Sqrt2*math.Erfinv(1-tailOutside)*scale {
				within[i] = 1
			}
		}
		if fit, err = t.result(ctx, candidate{weights: within}); err != nil {
			return nil, err
		}
		fit.Objective = t.objective()
	}
	fit.Objective, fit.Trimmed, fit.Center, fit.Scale = fit.Objective/2, best.objective/2, center, scale
	return fit, nil
}

// TrimmedLoss fits a problem to the samples with the smallest losses, a share of Coverage: iterative
// trimmed loss minimization (Shen and Sanghavi, ICML 2019), for least squares TORRENT-FC (Bhatia, Jain
// and Kar, NeurIPS 2015). From the plain fit it alternates between the ⌊Coverage n⌋ samples of the
// smallest losses and the fit to them, with a penalty R/n for the mean loss, until they are the same;
// [Fit.Objective] is that sum. The papers know the share; chosen here are the default of 0.75, as of
// [SparseLTS], and that each class keeps the share, since a rare class could be trimmed.
func TrimmedLoss(ctx context.Context, p *gaga.Problem, o TrimOptions) (*Fit, error) {
	if err := o.complete(0.75, 0); err != nil {
		return nil, err
	}
	t, err := newLossTrimming(ctx, p, func(n float64) float64 { return max(1, math.Floor(n*o.Coverage+1e-9)) })
	if err != nil {
		return nil, err
	}
	return t.descend(ctx)
}

// lossTrimming is the descent with weights 1 for the smallest losses of each group.
type lossTrimming struct {
	*descent
	groups []group
	kept   float64
}

func newLossTrimming(ctx context.Context, p *gaga.Problem, kept func(n float64) float64) (*lossTrimming, error) {
	d, err := newDescent(ctx, p)
	if err != nil {
		return nil, err
	}
	_, classes := p.Loss.(gaga.ClassificationLoss)
	t := d.trimming(classes, kept)
	d.proportional = true
	d.objective = func() float64 {
		return dense.Dot(t.losses, floats.MulTo(t.scaled, t.weights, t.samples))/kernel.Sum(t.scaled) + t.Penalty()/t.total
	}
	return t, nil
}

func (d *descent) trimming(classes bool, kept func(total float64) float64) *lossTrimming {
	t := &lossTrimming{descent: d, groups: groupsOf(d.problem.Y, d.samples, classes, kept)}
	for _, g := range t.groups {
		t.kept += g.kept
	}
	d.weigh = t.choose
	return t
}

type group struct {
	rows []int
	kept float64 // samples that are not trimmed
}

// groupsOf returns the rows of each class, of all for other targets.
func groupsOf(y, multiplicity []float64, labels bool, kept func(total float64) float64) (groups []group) {
	for _, class := range []float64{-1, 1} {
		var g group
		total := 0.0
		for i := range y {
			if labels && y[i] == class || !labels && class > 0 {
				g.rows = append(g.rows, i)
				total += multiplicity[i]
			}
		}
		if g.kept = min(total, kept(total)); total > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

func keep(weights, multiplicity []float64, order []int, room float64) {
	for _, i := range order {
		weights[i] = min(room, multiplicity[i])
		if room -= weights[i]; room <= 0 {
			break
		}
	}
}

// rank sorts rows by the sizes of their values, then by number.
func rank(rows []int, e []float64) {
	slices.SortFunc(rows, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Abs(e[a]), math.Abs(e[b])), a-b)
	})
}

func (t *lossTrimming) choose(weights []float64) {
	clear(weights)
	for _, g := range t.groups {
		rank(g.rows, t.losses)
		keep(weights, t.samples, g.rows, g.kept)
	}
	floats.Div(weights, t.samples)
}

// spread returns the center of the residuals of the trimmed samples, the scale of the h residuals nearest
// to it, consistent for the normal distribution, and all residuals minus the center.
func (t *lossTrimming) spread(fit *Fit) (center, scale float64, residual []float64, err error) {
	predictor, err := gaga.NewPredictor(t.problem, t.problem.X)
	if err != nil {
		return 0, 0, nil, err
	}
	residual = make([]float64, len(t.losses))
	predictor.Predict(residual, fit.Theta)
	floats.SubTo(residual, t.problem.Y, residual)
	center = dense.Dot(residual, floats.MulTo(t.scaled, fit.Weights, t.samples)) / t.kept
	floats.AddConst(-center, residual)
	floats.MulTo(t.losses, residual, residual)
	t.choose(t.weights)
	scale = math.Sqrt(dense.Dot(t.losses, floats.MulTo(t.scaled, t.weights, t.samples)) / t.kept)
	if share := t.kept / t.total; share < 1 {
		q := math.Sqrt2 * math.Erfinv(share)
		density := kernel.Exp(-q*q/2) / math.Sqrt(2*math.Pi)
		scale /= math.Sqrt(1 - 2*q*density/share)
	}
	return center, max(scale, smallestScale*largest(t.problem.Y)), residual, nil
}
