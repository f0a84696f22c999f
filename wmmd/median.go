package wmmd

import (
	"cmp"
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

type weighted struct{ value, weight float64 }

// Squared distances become fixed-point numbers of keyBits bits; a histogram covers levelBits.
const (
	keyBits   = 48
	levelBits = 12
	buckets   = 1 << levelBits
	fewValues = 1 << 12
)

// bandwidth returns σ²; 0 means that all words have the same row, NaN that rows are not finite.
func (p *pair) bandwidth() float64 {
	furthest := p.furthest()
	if furthest == 0 {
		return 0
	}
	// Twice the distance from one word bounds all distances.
	s := &p.selection
	s.pair, s.scale = p, (1<<keyBits-1)/(4.0001*furthest)
	if !(s.scale > 0) {
		return math.NaN()
	}
	words := p.class[0].words + p.class[1].words
	total := words*words - p.class[0].within - p.class[1].within
	for zeros := 0.0; ; {
		low := s.at(zeros + math.Floor((total-zeros-1)/2))
		high := low
		if rank := zeros + math.Floor((total-zeros)/2); low.through <= rank {
			high = s.at(rank)
		}
		if high.value > 0 || low.through == total {
			return (low.value + high.value) / 2
		}
		zeros = low.through
	}
}

func (p *pair) furthest() float64 {
	largest := 0.0
	for _, d := range p.distances(0) {
		largest = max(largest, d)
	}
	return largest
}

type selection struct {
	pair      *pair
	scale     float64
	values    []weighted
	histogram [buckets]float64
}

// ranked is a distance, and the weight of all distances up to it.
type ranked struct{ value, through float64 }

func (s *selection) key(d float64) uint64 { return uint64(int64(d * s.scale)) }

func (s *selection) at(rank float64) ranked {
	prefix, below := uint64(0), 0.0
	for shift := keyBits - levelBits; ; shift -= levelBits {
		s.count(prefix, shift)
		bucket := s.bucket(&below, rank)
		prefix = prefix<<levelBits | uint64(bucket)
		if s.collect(prefix, shift) {
			return among(s.values, below, rank)
		}
	}
}

// bucket returns that of a rank, and adds the weights before it to below.
func (s *selection) bucket(below *float64, rank float64) int {
	bucket := 0
	for bucket < buckets-1 && *below+s.histogram[bucket] <= rank {
		*below += s.histogram[bucket]
		bucket++
	}
	return bucket
}

// among sorts the values; below is the weight below them.
func among(values []weighted, below, rank float64) ranked {
	slices.SortFunc(values, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	for i := 0; ; {
		value := values[i].value
		for i < len(values) && values[i].value == value {
			below += values[i].weight
			i++
		}
		if below > rank || i == len(values) {
			return ranked{value, below}
		}
	}
}

// count sets the histogram of the weights by the bits of keys from shift on, for keys whose higher
// bits are prefix.
func (s *selection) count(prefix uint64, shift int) {
	clear(s.histogram[:])
	if prefix == 0 {
		s.histogram[0] = s.pair.selfWeight()
	}
	s.pair.eachRow(func(d, weights []float64, by float64) {
		for j, w := range weights[:len(d)] {
			key := s.key(d[j])
			if key>>(shift+levelBits) == prefix {
				s.histogram[key>>shift%buckets] += by * w
			}
		}
	})
}

// collect sets values to the distances whose key has the bits prefix from shift on; false if too
// many to sort.
func (s *selection) collect(prefix uint64, shift int) bool {
	limit := fewValues
	if shift == 0 {
		limit = math.MaxInt
	}
	s.values = s.values[:0]
	if prefix == 0 {
		s.values = append(s.values, weighted{0, s.pair.selfWeight()})
	}
	s.pair.eachRow(func(d, weights []float64, by float64) {
		if len(s.values) > limit {
			return
		}
		for j, v := range d {
			if s.key(v)>>shift == prefix {
				s.values = append(s.values, weighted{v, by * weights[j]})
			}
		}
	})
	return len(s.values) <= limit
}

// selfWeight is the weight of words with themselves, at distance 0.
func (p *pair) selfWeight() float64 {
	total := kernel.Dot(p.both, p.both)
	for _, e := range p.entries {
		total -= e.count * e.count
	}
	return total
}

// eachRow calls visit with the squared distances of each word from the later ones, for all words
// and then for the words of each text. The weight of a distance is that of the other word times by,
// for both orders of the two. Weights are whole numbers, whose sums are exact in any order.
func (p *pair) eachRow(visit func(d, weights []float64, by float64)) {
	for i, weight := range p.both {
		visit(p.distances(i), p.both[i+1:], 2*weight)
	}
	for _, text := range p.texts {
		p.text.load(p, text.entries)
		for i, count := range p.text.count {
			visit(p.text.distances(i), p.text.count[i+1:], -2*count)
		}
	}
}
