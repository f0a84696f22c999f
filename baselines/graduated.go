package baselines

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
)

const (
	graduation  = 1.4 // of μ in each step: the paper's
	mostControl = 1e6 // of μ, where nearly all weights are 0 or 1
)

// Graduated minimizes the truncated loss, Σ min(l_i, λ) + R, at each of ascending ages λ by graduated
// non-convexity (GNC-TLS; Yang, Antonante, Tzoumas and Carlone, IEEE Robotics and Automation Letters 5,
// 2020). For l = r² and λ = c² it is their algorithm: from the plain fit, fits with, for μ from λ/(2 max l - λ), growing
// by 1.4 each time, the weights
//
//	v = 1 for l <= μλ/(μ+1),   0 for l >= (μ+1)λ/μ,   √(μ(μ+1)λ/l) - μ between,
//
// until they are 0 or 1 and stay. These are the weights of [gaga.Mixture] at ages that fall to
// λ, with γ that rises. An age without samples, or with those of one class, has no fit.
func Graduated(ctx context.Context, p *gaga.Problem, ages []float64) ([]*Fit, error) {
	d, err := newDescent(ctx, p)
	if err != nil {
		return nil, err
	}
	plain, most := slices.Clone(d.losses), slices.Max(d.losses)
	var age, control float64
	d.weigh = func(weights []float64) {
		for i, loss := range d.losses {
			weights[i] = 1
			if v := control * (math.Sqrt((1+1/control)*age/loss) - 1); v < 1 { // not a number at the age itself
				weights[i] = max(0, v)
			}
		}
	}
	d.objective = func() float64 { return d.sum(func(loss float64) float64 { return min(loss, age) }) }
	var fits []*Fit
	for _, age = range ages {
		// Weights become 0 or 1 step by step, and then settle. μ is not positive if all samples are in.
		copy(d.losses, plain)
		for control = age / (2*most - age); err == nil && control > 0 && control < mostControl; control *= graduation {
			d.weigh(d.weights)
			err = d.fit(ctx)
		}
		var fit *Fit
		if control = math.Inf(1); err == nil {
			fit, err = d.descend(ctx)
		}
		switch {
		case err == nil:
			fit.Age = age
			fits = append(fits, fit)
		case !errors.Is(err, gaga.ErrOneClass) && !errors.Is(err, gaga.ErrDiscarded):
			return nil, fmt.Errorf("baselines: graduated non-convexity at age %v: %w", age, err)
		}
		err = nil
	}
	return fits, nil
}

// Diverse is self-paced learning with diversity (SPLD; Jiang, Meng, Yu, Lan, Shan and Hauptmann,
// NeurIPS 2014): alternate convex search with the regularizer -λ Σ v_i - γ Σ_j ‖v^(j)‖₂ over groups j,
// whose weights are 1 for the sample with the k-th smallest loss of its group if that is below
// λ + γ/(√k + √(k-1)). Groups has a number >= 0 for each row, diversity is γ/λ >= 0. Ascending shares of
// the samples give the ages, as in [ACSShares], by the losses of the solution so far. A share that is in
// has no fit, nor one that leaves one class, after which the next starts from the plain fit. A row of
// multiplicity m counts as m samples that come in together.
func Diverse(ctx context.Context, p *gaga.Problem, shares []float64, groups []int, diversity float64) ([]*Fit, error) {
	if len(groups) != p.X.Rows || slices.Min(groups) < 0 || !(diversity >= 0) {
		return nil, fmt.Errorf("baselines: %d groups for %d rows and the diversity %v, need a group >= 0 for each row and a number >= 0", len(groups), p.X.Rows, diversity)
	}
	d, err := newDescent(ctx, p)
	if err != nil {
		return nil, err
	}
	q, age := newQueue(d.problem), 0.0
	within := make([]float64, p.X.Rows) // the age from which on each row is in
	seen := make([]float64, slices.Max(groups)+1)
	d.weigh = func(weights []float64) {
		rank(q.order, d.losses)
		clear(seen)
		for _, i := range q.order {
			before := seen[groups[i]]
			seen[groups[i]] += d.samples[i]
			within[i] = d.losses[i] / (1 + diversity/(math.Sqrt(before)+math.Sqrt(before+d.samples[i])))
			weights[i] = 0
			if within[i] < age {
				weights[i] = 1
			}
		}
	}
	d.objective = func() float64 {
		sum := d.Penalty()
		clear(seen)
		for i, v := range d.weights {
			sum += v * d.samples[i] * (d.losses[i] - age)
			seen[groups[i]] += v * d.samples[i]
		}
		for _, count := range seen {
			sum -= diversity * age * math.Sqrt(count)
		}
		return sum
	}
	var fits []*Fit
	for k, share := range shares {
		d.weigh(d.weights)
		copy(q.losses, within)
		rank(q.order, q.losses)
		level := q.level(q.first(share * q.total))
		if lossless := level <= roundingLoss(d.problem, d.losses); lossless && k == len(shares)-1 && len(fits) == 0 {
			level = 1
		} else if lossless || !(level > age) {
			continue
		}
		age = level
		fit, err := d.descend(ctx)
		switch {
		case errors.Is(err, gaga.ErrOneClass):
			if err := d.plain(ctx); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, fmt.Errorf("baselines: diversity: %w", err)
		default:
			fit.Age = age
			fits = append(fits, fit)
		}
	}
	return fits, nil
}

// Clusters groups the rows of x by k-means (Lloyd, 1982) from random rows as centers. It returns a cluster
// for each row.
func Clusters(x blas64.General, k int, random *rand.Rand) []int {
	row := func(i int) []float64 { return x.Data[i*x.Stride : i*x.Stride+x.Cols] }
	group, centers := make([]int, x.Rows), make([][]float64, min(k, x.Rows))
	for j, i := range random.Perm(x.Rows)[:len(centers)] {
		centers[j] = slices.Clone(row(i))
	}
	for changed := true; changed; {
		// Rows to the nearest center.
		changed = false
		counts := make([]float64, len(centers))
		for i := range group {
			at, least := 0, math.Inf(1)
			for j, c := range centers {
				if distance := floats.Distance(row(i), c, 2); distance < least {
					at, least = j, distance
				}
			}
			changed = changed || at != group[i]
			group[i] = at
			counts[at]++
		}
		// Centers to the means of their rows.
		for j, count := range counts {
			if count > 0 {
				clear(centers[j])
			}
		}
		for i, j := range group {
			floats.AddScaled(centers[j], 1/counts[j], row(i))
		}
	}
	return group
}
