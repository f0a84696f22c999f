package baselines

import (
	"cmp"
	"math"
	"slices"

	"github.com/agepath/agepath/gaga"

	"github.com/agepath/agepath/internal/kernel"
)

type ageFree struct {
	order        float64 // t of v^t/t - v; 0 for -v
	multiplicity []float64
}

func newAgeFree(p *gaga.Problem) ageFree {
	f := ageFree{multiplicity: p.Multiplicity}
	switch r := p.Regularizer.(type) {
	case gaga.Linear:
		f.order = 2
	case gaga.Polynomial:
		f.order = r.Order
	}
	return f
}

func (f *ageFree) sum(v []float64) float64 {
	var sum float64
	for i, w := range v {
		part := -w
		switch f.order {
		case 0:
		case 2:
			part = w * (0.5*w - 1)
		default:
			part = kernel.Exp(f.order*math.Log(w))/f.order - w // faster than math.Pow
		}
		if f.multiplicity != nil {
			part *= f.multiplicity[i]
		}
		sum += part
	}
	return sum
}

func (f *ageFree) weight(loss, age float64) float64 {
	switch {
	case !(loss < age):
		return 0
	case f.order == 0:
		return 1
	case f.order == 2:
		return 1 - loss/age
	}
	return kernel.Pow(1-loss/age, 1/(f.order-1))
}

// Ages of the first population: a share of spreadInside are quantiles of the losses, the others
// continue from the largest loss in geometric progression to spreadReach times it.
const (
	spreadInside = 0.7
	spreadReach  = 30
)

func spread(sorted []float64, share float64) float64 {
	last := len(sorted) - 1
	if share <= spreadInside {
		return sorted[int(share/spreadInside*float64(last))]
	}
	return sorted[last] * kernel.Pow(spreadReach, (share-spreadInside)/(1-spreadInside))
}

// Implied ages are sought from the smallest positive loss to impliedReach times the largest: at up
// to impliedScan quantiles of the losses and as many ages in geometric progression, then to a
// relative impliedPrecision around each of the impliedBest nearest.
const (
	impliedReach     = 1e3
	impliedScan      = 120
	impliedBest      = 8
	impliedPrecision = 1e-4
)

// impliedAge returns the age whose weights at the losses are nearest to v; 1 if all losses are 0.
func (f *ageFree) impliedAge(v, losses []float64) float64 {
	order := make([]int, len(losses))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(losses[a], losses[b]) })
	first := 0 // with a positive loss
	for first < len(order) && losses[order[first]] == 0 {
		first++
	}
	if first == len(order) {
		return 1
	}
	high := losses[order[len(order)-1]]
	if f.order == 0 {
		return f.impliedHard(v, losses, order, first)
	}
	positive := order[first:]
	low, reach := math.Log(losses[positive[0]]), math.Log(impliedReach*high)
	type age struct{ log, miss float64 }
	var scan []age
	for k := range impliedScan + 1 {
		scan = append(scan, age{log: low + float64(k)/impliedScan*(reach-low)})
	}
	quantiles := min(impliedScan, len(positive))
	for k := range quantiles {
		scan = append(scan, age{log: math.Log(losses[positive[k*len(positive)/quantiles]])})
	}
	slices.SortFunc(scan, func(a, b age) int { return cmp.Compare(a.log, b.log) })
	ranks := make([]int, len(scan))
	for k := range scan {
		scan[k].miss, ranks[k] = f.miss(v, losses, scan[k].log), k
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(scan[a].miss, scan[b].miss) })
	best := scan[ranks[0]]
	for _, k := range ranks[:min(impliedBest, len(ranks))] {
		for _, side := range []int{max(k-1, 0), min(k, len(scan)-2)} {
			at := f.nearest(v, losses, scan[side].log, scan[side+1].log)
			if miss := f.miss(v, losses, at); miss < best.miss {
				best = age{at, miss}
			}
		}
	}
	return kernel.Exp(best.log)
}

// impliedHard is impliedAge for the hard regularizer: the middle of the interval between two losses
// that gives the nearest weights. order sorts the losses; positive ones begin at first.
func (f *ageFree) impliedHard(v, losses []float64, order []int, first int) float64 {
	age := losses[order[first]]
	best, sum := 0.0, 0.0 // Σ m_i (v_i - v*)² minus its value at the smallest positive loss
	for k, i := range order[first:] {
		gain := 1 - 2*v[i]
		if f.multiplicity != nil {
			gain *= f.multiplicity[i]
		}
		sum += gain
		next := impliedReach * losses[i]
		if later := first + k + 1; later < len(order) {
			next = losses[order[later]]
		}
		if sum < best && next > losses[i] {
			best, age = sum, math.Max(math.Sqrt(losses[i])*math.Sqrt(next), math.Nextafter(losses[i], next))
		}
	}
	return age
}

// nearest returns the logarithm of the age between a and b that is nearest to v.
func (f *ageFree) nearest(v, losses []float64, a, b float64) float64 {
	golden := (math.Sqrt(5) - 1) / 2
	c, d := b-golden*(b-a), a+golden*(b-a)
	missC, missD := f.miss(v, losses, c), f.miss(v, losses, d)
	for b-a > impliedPrecision {
		if missC <= missD {
			b, d, missD = d, c, missC
			c = b - golden*(b-a)
			missC = f.miss(v, losses, c)
		} else {
			a, c, missC = c, d, missD
			d = a + golden*(b-a)
			missD = f.miss(v, losses, d)
		}
	}
	return 0.5 * (a + b)
}

func (f *ageFree) miss(v, losses []float64, logAge float64) float64 {
	age := kernel.Exp(logAge)
	var sum float64
	for i, loss := range losses {
		off := v[i] - f.weight(loss, age)
		off *= off
		if f.multiplicity != nil {
			off *= f.multiplicity[i]
		}
		sum += off
	}
	return sum
}

// ascend is isotonic regression in the logarithms.
func ascend(ages []float64) {
	type block struct {
		sum   float64
		count int
	}
	mean := func(b block) float64 { return b.sum / float64(b.count) }
	var blocks []block
	for _, age := range ages {
		blocks = append(blocks, block{math.Log(age), 1})
		for k := len(blocks) - 1; k > 0 && mean(blocks[k-1]) > mean(blocks[k]); k-- {
			blocks[k-1].sum += blocks[k].sum
			blocks[k-1].count += blocks[k].count
			blocks = blocks[:k]
		}
	}
	k := 0
	for _, b := range blocks {
		for range b.count {
			ages[k] = kernel.Exp(mean(b))
			k++
		}
	}
}
