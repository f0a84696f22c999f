package baselines

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/gaga"
)

// Span is a range of ages that fits a problem: paths do not change before First, and at Last they
// have all samples and no event left. Ages are in the unit in which the regularizer compares them
// with losses.
type Span struct {
	First float64 // the first sample with a loss is admitted, by the losses of the plain fit
	Tenth float64 // a tenth of these samples are admitted
	Whole float64 // a search upwards from First has admitted all samples
	Last  float64 // [spanRoom] times Whole, [smoothRoom] times where weights still change there
}

const (
	// spanRoom and smoothRoom are the ratios of Last to Whole. The search makes few and large steps,
	// so paths admit samples later: up to 2.4 times on the settings of [Span.Ages]. Smooth weights
	// approach their limit as loss over age, and single events come late: the last at 3200 times
	// Whole in 150 settings of ten data sets with 400 rows. The weights then differ from the limit
	// by about 1e-9.
	spanRoom, smoothRoom = 4, 1e9
	// spanSteps is the number of ages of the search up to the largest loss of the plain fit: half
	// are quantiles of its losses, the others continue from the median in geometric progression.
	spanSteps  = 30
	spanGrowth = 1.5
	spanBeyond = 100
	// boundGrowth is the growth of a threshold per age below which it counts as bounded.
	boundGrowth = 0.01
	spanShare   = 0.1 // of the samples with a loss, at Tenth
	// lossRounding is the share of the largest loss below which a loss counts as 0.
	lossRounding = 1e-10
)

// FindSpan returns the range of ages of a problem. The plain fit's losses give its beginning but
// not its end: an excluded sample has a larger loss, up to a thousand times if there are few
// samples for the features. So alternate convex search continues upwards, one step an age, until
// every sample is within the last threshold.
//
// The span depends on the problem alone. A problem without a regularizer gets one that compares
// ages with the losses. If the regularizer has no age for a sample, the search ends when its
// threshold stops growing; if no sample has a loss, the span is 1 to 8.
func FindSpan(ctx context.Context, p *gaga.Problem) (Span, error) {
	p = unpaced(p)
	a, err := gaga.NewAlternation(p)
	if err != nil {
		return Span{}, err
	}
	if err := a.FitAll(ctx); err != nil {
		return Span{}, err
	}
	losses := make([]float64, p.X.Rows)
	a.Losses(losses)
	entries := entryAges(p, losses)
	if len(entries) == 0 { // all ages give the plain fit
		return Span{First: 1, Tenth: 1, Whole: 2, Last: 2 * spanRoom}, nil
	}
	at := func(share float64) float64 { return entries[max(1, int(math.Ceil(share*float64(len(entries)))))-1] }
	s := Span{First: entries[0], Tenth: at(spanShare)}
	var ages []float64
	for k := 1; k <= spanSteps/2; k++ {
		share := float64(k) / (spanSteps / 2)
		ages = append(ages, at(share), at(0.5)*math.Pow(at(1)/at(0.5), share))
	}
	slices.Sort(ages)
	for range spanBeyond {
		ages = append(ages, spanGrowth*ages[len(ages)-1])
	}
	last, before := len(p.Regularizer.Zones())-2, 0.0
	for k, age := range ages {
		s.Whole = age
		_, err := a.Step(ctx, age)
		if err != nil && !errors.Is(err, gaga.ErrDiscarded) && !errors.Is(err, gaga.ErrOneClass) {
			return Span{}, fmt.Errorf("baselines: range of ages: age %v: %w", age, err)
		}
		a.Losses(losses)
		threshold, _ := p.Regularizer.Threshold(last, age)
		if k+1 >= spanSteps && slices.Max(losses) <= threshold || k > spanSteps && threshold < before*(1+boundGrowth) {
			break
		}
		before = threshold
	}
	s.Last = spanRoom * s.Whole
	if far := smoothRoom * s.Whole; a.NextChange(s.Last, far, leastWeightChange) < far {
		s.Last = far
	}
	return s, nil
}

// entryAges returns, in ascending order, the ages at which losses come within the last threshold.
// It ignores losses that may be rounding.
func entryAges(p *gaga.Problem, losses []float64) []float64 {
	least := roundingLoss(p, losses)
	var ages []float64
	for _, loss := range slices.Sorted(slices.Values(losses)) {
		if !(loss > least) {
			continue
		}
		age := entryAge(p.Regularizer, loss)
		if math.IsInf(age, 1) {
			break
		}
		ages = append(ages, age)
	}
	return ages
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

// Ages returns n >= 4 ascending ages: First; n - 2 from Tenth to Whole in geometric progression;
// and Last.
func (s Span) Ages(n int) []float64 {
	ages := []float64{s.First}
	for k := range n - 2 {
		age := s.Tenth * math.Pow(s.Whole/s.Tenth, float64(k)/float64(n-3))
		if last := ages[len(ages)-1]; !(age > last) {
			age = math.Nextafter(last, math.Inf(1))
		}
		ages = append(ages, age)
	}
	return append(ages, math.Max(s.Last, math.Nextafter(ages[n-2], math.Inf(1))))
}
