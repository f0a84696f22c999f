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
	// bracket is the relative distance from its last value within which the median is first sought.
	bracket = 0.06
)

// bandwidth returns σ²; 0 means that all words have the same row, NaN that rows are not finite. A
// positive guess only speeds up the search.
func (p *pair) bandwidth(o Options, guess float64) float64 {
	if o.Bandwidth > 0 {
		return o.Bandwidth
	}
	furthest := p.furthest()
	if furthest == 0 {
		return 0
	}
	// Twice the distance from one word bounds all distances.
	s := &p.selection
	s.pair, s.scale = p, (1<<keyBits-1)/(4.0001*furthest)
	s.lo, s.hi, s.under, s.upTo = 0, 0, 0, 0
	if !(s.scale > 0) {
		return math.NaN()
	}
	if guess > 0 && p.n*(p.n-1)/2 > fewValues {
		s.gather(guess*(1-bracket), guess*(1+bracket))
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

	// gathered are the distances between lo and hi; under is the weight of those below lo, upTo of
	// those below hi. hi is 0 for none.
	lo, hi, under, upTo float64
	gathered            []weighted
	index               []int32
}

// ranked is a distance, and the weight of all distances up to it.
type ranked struct{ value, through float64 }

func (s *selection) key(d float64) uint64 { return uint64(int64(d * s.scale)) }

func (s *selection) at(rank float64) ranked {
	if s.under <= rank && rank < s.upTo {
		return s.amongGathered(rank)
	}
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

func (s *selection) gather(lo, hi float64) {
	s.lo, s.hi, s.gathered, s.index = lo, hi, s.gathered[:0], resize(s.index, s.pair.n+8)
	s.under, s.upTo = s.pair.selfWeight(), 0
	s.pair.eachRow(func(d, weights []float64, by float64) {
		count, under := kernel.Between(s.index, d, weights, lo, hi)
		s.under += by * under
		for _, k := range s.index[:count] {
			s.gathered = append(s.gathered, weighted{d[k], by * weights[k]})
			s.upTo += by * weights[k]
		}
	})
	s.upTo += s.under
}

func (s *selection) amongGathered(rank float64) ranked {
	clear(s.histogram[:])
	scale := (buckets - 1) / (s.hi - s.lo)
	for _, v := range s.gathered {
		s.histogram[uint64(int64((v.value-s.lo)*scale))%buckets] += v.weight
	}
	below := s.under
	bucket := s.bucket(&below, rank)
	s.values = s.values[:0]
	for _, v := range s.gathered {
		if int((v.value-s.lo)*scale) == bucket {
			s.values = append(s.values, v)
		}
	}
	return among(s.values, below, rank)
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
			visit(p.text.distances(p.point, i), p.text.count[i+1:], -2*count)
		}
	}
}
