package baselines

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
)

// shareRoom is the margin of the threshold that admits all samples against rounding of a fit.
const shareRoom = 1e-6

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
// A share that earlier ages have already admitted has no knot and counts as Passed. A regularizer
// that excludes samples of a share at every age is an error.
func ACSShares(ctx context.Context, p *gaga.Problem, shares []float64, o ACSOptions) (*ACSPath, error) {
	for k, share := range shares {
		if !(share > 0 && share <= 1) || k > 0 && !(share > shares[k-1]) {
			return &ACSPath{}, fmt.Errorf("baselines: shares %v; ascending ones > 0 and at most 1 are allowed", shares)
		}
	}
	losses, order := make([]float64, p.X.Rows), make([]int, p.X.Rows)
	for i := range order {
		order[i] = i
	}
	return alternate(ctx, p, len(shares), o, func(a *gaga.Alternation, path *ACSPath) (float64, error) {
		share := shares[path.Ages+path.Passed]
		a.Losses(losses)
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(losses[i], losses[j]) })
		level := max(shareLevel(p, losses, order, share), roundingLoss(p, losses))
		age := entryAge(p.Regularizer, level)
		if math.IsInf(age, 1) {
			return 0, fmt.Errorf("baselines: at no age does the regularizer %s let a share of %g of the samples in", p.Regularizer.Name(), share)
		}
		return age, nil
	})
}

func shareLevel(p *gaga.Problem, losses []float64, order []int, share float64) float64 {
	counts, in := multiplicities(p), 0.0
	total := floats.Sum(counts)
	for k, i := range order[:len(order)-1] {
		if in += counts[i]; in >= share*total*(1-1e-12) {
			return (losses[i] + losses[order[k+1]]) / 2
		}
	}
	return losses[order[len(order)-1]] * (1 + shareRoom)
}

func multiplicities(p *gaga.Problem) []float64 {
	if p.Multiplicity == nil {
		return slices.Repeat([]float64{1}, p.X.Rows)
	}
	return p.Multiplicity
}
