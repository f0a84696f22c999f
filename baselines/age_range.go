package baselines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
)

const (
	// startShare is the share of the rows with a loss, of each class, that is in at the first age.
	startShare = 0.5
	// spanRoom is the ratio of the last age to that at which a search has all rows in. The search
	// makes few and large steps, so paths admit rows later.
	spanRoom = 4
	// spanGrowth is the ratio of ages where shares of the rows give none, at most spanBeyond times.
	spanGrowth = 1.5
	spanBeyond = 100
	// boundGrowth is the growth of a threshold per age below which it counts as bounded.
	boundGrowth = 0.01
	// shareRoom is the margin of the threshold that admits all samples against rounding of a fit.
	shareRoom = 1e-6
	// lossRounding is the share of the largest loss below which a loss counts as 0.
	lossRounding = 1e-10
)

// FindAges returns at most n >= 3 ascending ages that fit a problem, in the unit in which the
// regularizer compares them with losses. They begin where half of the rows that have a loss are in at
// the fit with the given weights, nil for the plain fit, half of each class; where alternation from there leaves one class only, at the first
// of n equal parts of the others from which it keeps both. Each further age lets in an equal part of
// the rows that are still out at the current fit of a search upwards, which makes one alternation an
// age. The last is [spanRoom] times the age at which all are in.
//
// With fewer rows in, a model fits a separable subset and its branch stays there; half of all rows can
// leave one class only, where the other is rare.
//
// The ages depend on the problem alone. A problem without a regularizer gets one that compares ages
// with the losses. If the regularizer has no age for a row, the search ends when its threshold
// stops growing; if no row has a loss, the ages are 1 and 4.
func FindAges(ctx context.Context, p *gaga.Problem, weights []float64, n int) ([]float64, error) {
	p = unpaced(p)
	a, err := gaga.NewAlternation(p)
	if err != nil {
		return nil, err
	}
	err = a.FitAll(ctx)
	if err == nil && weights != nil {
		err = a.Fit(ctx, weights)
	}
	if err != nil {
		return nil, err
	}
	q := newQueue(p)
	q.sort(a)
	least := roundingLoss(p, q.losses)
	if q.within(least) == len(q.order) { // all ages give the plain fit
		return []float64{1, spanRoom}, nil
	}
	first := q.keeping(ctx, a, q.beginning(least), n)
	ages, in, err := q.climb(ctx, a, q.level(first), least, n)
	if err != nil {
		return nil, err
	}
	ages = halveSteps(ages, in, n-1)
	return append(ages, spanRoom*ages[len(ages)-1]), nil
}

// climb returns the ages of the search upwards from a level of the losses, until all rows are in, and
// the rows that are in after the alternation at each.
func (q *queue) climb(ctx context.Context, a *gaga.Alternation, level, least float64, n int) (ages, in []float64, err error) {
	before, last := 0.0, len(q.p.Regularizer.Zones())-2
	for range n + spanBeyond {
		age := entryAge(q.p.Regularizer, max(level, least))
		unreachable := math.IsInf(age, 1)
		switch k := len(ages); {
		case k > 0 && (unreachable || !(age > ages[k-1])):
			age = spanGrowth * ages[k-1]
		case unreachable: // for all losses
			age = 1
		}
		_, err := a.Step(ctx, age)
		if err != nil && !errors.Is(err, gaga.ErrDiscarded) && !errors.Is(err, gaga.ErrOneClass) {
			return nil, nil, fmt.Errorf("baselines: ages: age %v: %w", age, err)
		}
		q.sort(a)
		threshold, _ := q.p.Regularizer.Threshold(last, age)
		rows, kept := q.rows(q.within(threshold)), min(len(ages), n-2)
		ages, in = append(ages[:kept], age), append(in[:kept], rows)
		left := n - 1 - len(ages)
		if q.within(threshold) == len(q.order) || unreachable && threshold < before*(1+boundGrowth) {
			break
		}
		before = threshold
		level = q.level(q.first(rows + (q.total-rows)/float64(max(left, 1))))
	}
	return ages, in, nil
}

// halveSteps adds ages, up to n, in the middle of the steps at which most rows come in.
func halveSteps(ages, in []float64, n int) []float64 {
	for len(ages) > 1 && len(ages) < n {
		most := 1
		for k := range in {
			if k > 0 && in[k]-in[k-1] > in[most]-in[most-1] {
				most = k
			}
		}
		ages = slices.Insert(ages, most, math.Sqrt(ages[most-1]*ages[most]))
		in = slices.Insert(in, most, (in[most-1]+in[most])/2)
	}
	return ages
}

// queue has the rows in ascending order of their losses, that of their entry.
type queue struct {
	p      *gaga.Problem
	losses []float64 // by row
	counts []float64 // by row: multiplicities
	order  []int
	total  float64
}

func newQueue(p *gaga.Problem) *queue {
	q := &queue{p: p, losses: make([]float64, p.X.Rows), counts: multiplicities(p), order: make([]int, p.X.Rows)}
	for i := range q.order {
		q.order[i] = i
	}
	q.total = floats.Sum(q.counts)
	return q
}

func (q *queue) sort(a *gaga.Alternation) {
	a.Losses(q.losses)
	slices.SortFunc(q.order, func(i, j int) int { return cmp.Compare(q.losses[i], q.losses[j]) })
}

// within is the length of the part of the queue with losses up to a level.
func (q *queue) within(level float64) int {
	k, _ := slices.BinarySearchFunc(q.order, level, func(i int, level float64) int {
		if q.losses[i] <= level {
			return -1
		}
		return 1
	})
	return k
}

// rows counts the first k with multiplicities.
func (q *queue) rows(k int) (n float64) {
	for _, i := range q.order[:k] {
		n += q.counts[i]
	}
	return n
}

// first is the length of the shortest part that has so many rows.
func (q *queue) first(rows float64) int {
	for k, i := range q.order {
		if rows -= q.counts[i]; rows <= 1e-12*q.total {
			return k + 1
		}
	}
	return len(q.order)
}

// level is half-way between the losses of the k-th row and the next, after those equal to it but for
// rounding.
func (q *queue) level(k int) float64 {
	loss := q.losses[q.order[k-1]]
	for k < len(q.order) && q.losses[q.order[k]] <= loss*(1+shareRoom) {
		k++
	}
	if k == len(q.order) {
		return loss * (1 + shareRoom)
	}
	return (loss + q.losses[q.order[k]]) / 2
}

// beginning returns how many rows are in at the first age.
func (q *queue) beginning(least float64) int {
	class := func(int) float64 { return 0 }
	if _, classes := q.p.Loss.(gaga.ClassificationLoss); classes {
		class = func(i int) float64 { return q.p.Y[i] }
	}
	out := map[float64]float64{} // rows that have to come in, by class
	with := q.order[q.within(least):]
	for _, i := range with {
		out[class(i)] += startShare * q.counts[i]
	}
	for k, i := range with {
		if out[class(i)] -= q.counts[i]; out[class(i)] <= 1e-12*q.total {
			if delete(out, class(i)); len(out) == 0 {
				return len(q.order) - len(with) + k + 1
			}
		}
	}
	return len(q.order)
}

// keeping returns how many rows are in at the first age, from so many or as many as the regularizer lets
// in, at which alternation keeps the classes that the fit needs, by bisection of n equal parts. The
// current solution stays; other errors come again in the first step.
func (q *queue) keeping(ctx context.Context, a *gaga.Alternation, first, n int) int {
	for first > 1 && math.IsInf(entryAge(q.p.Regularizer, q.level(first)), 1) {
		first--
	}
	if _, classes := q.p.Loss.(gaga.ClassificationLoss); !classes || q.p.Loss.Kinked() {
		return first // one class has a fit
	}
	plain, start := a.Theta(), q.rows(first)
	at := func(part int) int { return q.first(start + (q.total-start)*float64(part)/float64(n)) }
	lo, hi := -1, n
	for part := 0; hi-lo > 1; part = (lo + hi) / 2 {
		_, err := a.Converge(ctx, min(entryAge(q.p.Regularizer, q.level(at(part))), mostAge), 1e-6, 1000)
		if errors.Is(err, gaga.ErrOneClass) || errors.Is(err, gaga.ErrDiscarded) {
			lo = part
		} else {
			hi = part
		}
		a.SetTheta(plain)
	}
	return at(hi)
}

// roundingLoss includes the losses without features in the largest.
func roundingLoss(p *gaga.Problem, losses []float64) float64 {
	largest := slices.Max(losses)
	for _, y := range p.Y {
		loss, _, _ := p.Loss.Eval(0, y)
		largest = math.Max(largest, loss)
	}
	return lossRounding * largest
}

const leastAge, mostAge = 1e-150, 1e150

// entryAge is +Inf if the last threshold, which rises with the age, does not reach the loss.
func entryAge(r gaga.Regularizer, loss float64) float64 {
	last := len(r.Zones()) - 2
	threshold := func(age float64) float64 {
		level, _ := r.Threshold(last, age)
		return level
	}
	lo, hi := leastAge, mostAge
	if threshold(hi) < loss {
		return math.Inf(1)
	}
	for hi > lo*(1+1e-14) {
		mid := math.Sqrt(lo) * math.Sqrt(hi)
		if mid <= lo || mid >= hi {
			break
		}
		if threshold(mid) < loss {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
