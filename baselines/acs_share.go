package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/gaga"
)

// Shares returns start, start + growth, ... below 1, and 1.
func Shares(start, growth float64) []float64 {
	if start == 1 {
		return []float64{1}
	}
	return Ages(start, 1, growth)
}

// ACSShares is [ACS] at ages given by ascending shares of the samples in (0, 1], as in Kumar,
// Packer and Koller (2010). The last threshold of a share is half-way between its largest loss and
// the next loss of the current solution.
//
// A share that earlier ages have already admitted, or whose losses are rounding, has no knot and
// counts as Passed. A regularizer
// that excludes samples of a share at every age is an error.
func ACSShares(ctx context.Context, p *gaga.Problem, shares []float64, o ACSOptions) (*ACSPath, error) {
	for k, share := range shares {
		if !(share > 0 && share <= 1) || k > 0 && !(share > shares[k-1]) {
			return &ACSPath{}, fmt.Errorf("baselines: shares %v; ascending ones > 0 and at most 1 are allowed", shares)
		}
	}
	q, last := newQueue(p), 0.0
	return alternate(ctx, p, len(shares), o, func(a *gaga.Alternation, path *ACSPath) (float64, error) {
		share := shares[path.Ages+path.Passed]
		q.sort(a)
		level, age := q.level(q.first(share*q.total)), 1.0 // where no row has a loss
		if level > roundingLoss(p, q.losses) {
			age = entryAge(p.Regularizer, level)
		} else if path.Ages > 0 || share < shares[len(shares)-1] {
			return 0, nil
		}
		if math.IsInf(age, 1) {
			return 0, fmt.Errorf("baselines: at no age does the regularizer %s let a share of %g of the samples in", p.Regularizer.Name(), share)
		}
		if !(age > last) {
			return 0, nil
		}
		last = age
		return age, nil
	})
}

func multiplicities(p *gaga.Problem) []float64 {
	if p.Multiplicity == nil {
		return slices.Repeat([]float64{1}, p.X.Rows)
	}
	return p.Multiplicity
}
