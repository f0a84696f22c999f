package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Interval is a confidence interval.
type Interval struct{ Low, High float64 }

// Effect is the size of the deviation of paired differences from 0.
type Effect struct {
	// Shift is the Hodges-Lehmann estimate of the centre, the median of all means of two
	// differences, in their unit.
	Shift      float64
	ShiftRange Interval
	// RankBiserial drops zeros, see [SignedRankTest.RankBiserial].
	RankBiserial      float64
	RankBiserialRange Interval
}

// Resamples is the number of bootstrap samples of an interval.
const Resamples = 2000

const bootstrapSeed = 20221128

// NewEffect estimates the effect in a sample of paired differences, with percentile bootstrap
// intervals (Efron 1979) of the given level, such as 0.95, from [Resamples] samples with
// replacement. Memory and the time for each resample are O(n²). A single pair has intervals of NaN.
// NewEffect panics for an empty sample and for a level outside (0, 1).
func NewEffect(differences []float64, level float64) Effect {
	mustBeFinite(differences)
	if len(differences) == 0 {
		panic("stats: the effect of no differences")
	}
	if !(level > 0 && level < 1) {
		panic("stats: the level of an interval must be in (0, 1)")
	}
	sample := newPairSample(differences)
	counts := make([]int, len(differences))
	for i := range counts {
		counts[i] = 1
	}
	e := Effect{Shift: sample.shift(counts), RankBiserial: sample.rankBiserial(counts)}
	nan := Interval{math.NaN(), math.NaN()}
	if e.ShiftRange, e.RankBiserialRange = nan, nan; len(counts) == 1 {
		return e
	}
	source := rand.New(rand.NewPCG(bootstrapSeed, uint64(len(counts))))
	shifts, biserials := make([]float64, Resamples), make([]float64, Resamples)
	for r := range Resamples {
		clear(counts)
		for range counts {
			counts[source.IntN(len(counts))]++
		}
		shifts[r], biserials[r] = sample.shift(counts), sample.rankBiserial(counts)
	}
	e.ShiftRange, e.RankBiserialRange = percentiles(shifts, level), percentiles(biserials, level)
	return e
}

// percentiles sorts xs.
func percentiles(xs []float64, level float64) Interval {
	slices.Sort(xs)
	tail := (1 - level) / 2
	return Interval{Quantile(xs, tail), Quantile(xs, 1-tail)}
}

// Quantile returns the quantile p, in [0, 1], of an ascending sample: linear between order
// statistics, type 7 of Hyndman and Fan (1996). It panics for an empty sample.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 1 {
		return sorted[0]
	}
	position := p * float64(len(sorted)-1)
	i := min(int(position), len(sorted)-2)
	return sorted[i] + (position-float64(i))*(sorted[i+1]-sorted[i])
}

// pairSample is prepared for resampling.
type pairSample struct {
	walsh  []walshMean // ascending
	bySize []int       // differences by ascending size
	values []float64
}

type walshMean struct {
	mean float64
	i, j int32 // i <= j
}

func newPairSample(differences []float64) *pairSample {
	n := len(differences)
	s := &pairSample{values: differences, walsh: make([]walshMean, 0, n*(n+1)/2)}
	for i, a := range differences {
		for j := i; j < n; j++ {
			s.walsh = append(s.walsh, walshMean{(a + differences[j]) / 2, int32(i), int32(j)})
		}
	}
	slices.SortFunc(s.walsh, func(a, b walshMean) int { return cmp.Compare(a.mean, b.mean) })
	s.bySize = Order(n, func(a, b int) int { return cmp.Compare(math.Abs(differences[a]), math.Abs(differences[b])) })
	return s
}

// shift returns the median of a resample's Walsh means, each weighted by the number of pairs of
// draws that have it.
func (s *pairSample) shift(counts []int) float64 {
	n := len(counts)
	total := n * (n + 1) / 2
	lower, upper := (total-1)/2, total/2 // the middle one or two
	seen := 0
	low, found := 0.0, false
	for _, w := range s.walsh {
		weight := counts[w.i] * counts[w.j]
		if w.i == w.j {
			weight = counts[w.i] * (counts[w.i] + 1) / 2
		}
		seen += weight
		if !found && seen > lower {
			low, found = w.mean, true
		}
		if seen > upper {
			return (low + w.mean) / 2
		}
	}
	panic("stats: the draws of a resample are not as many as the sample")
}

// rankBiserial drops zeros.
func (s *pairSample) rankBiserial(counts []int) float64 {
	var plus, minus, ranked float64
	for begin := 0; begin < len(s.bySize); {
		size := math.Abs(s.values[s.bySize[begin]])
		end, up, down := begin, 0, 0
		for ; end < len(s.bySize) && math.Abs(s.values[s.bySize[end]]) == size; end++ {
			if i := s.bySize[end]; s.values[i] > 0 {
				up += counts[i]
			} else {
				down += counts[i]
			}
		}
		begin = end
		if size == 0 {
			continue
		}
		rank := ranked + float64(up+down+1)/2
		plus, minus = plus+rank*float64(up), minus+rank*float64(down)
		ranked += float64(up + down)
	}
	if ranked == 0 {
		return 0
	}
	return (plus - minus) / (plus + minus)
}
