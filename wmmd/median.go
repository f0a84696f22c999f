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
	*s = selection{pair: p, scale: (1<<keyBits - 1) / (4.0001 * furthest), workers: o.Workers}
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
	for _, d := range p.distances(&p.parts[0], 0) {
		largest = max(largest, d)
	}
	return largest
}

type selection struct {
	pair    *pair
	scale   float64
	workers int

	// Distances between lo and hi were gathered from the parts; under is the weight of those below
	// lo, upTo of those below hi. hi is 0 for none.
	lo, hi, under, upTo float64
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
		histogram := s.histogram(prefix, shift)
		bucket := 0
		for bucket < buckets-1 && below+histogram[bucket] <= rank {
			below += histogram[bucket]
			bucket++
		}
		prefix = prefix<<levelBits | uint64(bucket)
		if s.collect(prefix, shift) {
			p := s.pair
			p.values = p.values[:0]
			for i := range p.parts {
				p.values = append(p.values, p.parts[i].values...)
			}
			return among(p.values, below, rank)
		}
	}
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
	p := s.pair
	s.lo, s.hi = lo, hi
	p.run(work{do: (*pair).gatherPart}, s.workers)
	for i := range p.parts {
		s.under += p.parts[i].under
	}
	s.upTo = s.under
	for i := range p.parts {
		for _, v := range p.parts[i].gathered {
			s.upTo += v.weight
		}
	}
}

func (p *pair) gatherPart(t *part) {
	lo, hi := p.selection.lo, p.selection.hi
	t.gathered, t.index, t.under = t.gathered[:0], resize(t.index, p.n+8), 0
	if t == &p.parts[0] {
		t.under = p.selfWeight()
	}
	p.eachRow(t, func(d, weights []float64, by float64) {
		count, under := kernel.Between(t.index, d, weights, lo, hi)
		t.under += by * under
		for _, k := range t.index[:count] {
			t.gathered = append(t.gathered, weighted{d[k], by * weights[k]})
		}
	})
}

func (s *selection) amongGathered(rank float64) ranked {
	p := s.pair
	h := (*[buckets]float64)(p.parts[0].clearHistogram())
	scale := (buckets - 1) / (s.hi - s.lo)
	for i := range p.parts {
		for _, v := range p.parts[i].gathered {
			h[uint64(int64((v.value-s.lo)*scale))%buckets] += v.weight
		}
	}
	below, bucket := s.under, 0
	for bucket < buckets-1 && below+h[bucket] <= rank {
		below += h[bucket]
		bucket++
	}
	p.values = p.values[:0]
	for i := range p.parts {
		for _, v := range p.parts[i].gathered {
			if int((v.value-s.lo)*scale) == bucket {
				p.values = append(p.values, v)
			}
		}
	}
	return among(p.values, below, rank)
}

func (t *part) clearHistogram() []float64 {
	t.histogram = resize(t.histogram, buckets)
	clear(t.histogram)
	return t.histogram
}

// histogram returns the weights by the bits of keys from shift on, for keys whose higher bits are
// prefix.
func (s *selection) histogram(prefix uint64, shift int) []float64 {
	p := s.pair
	p.run(work{do: (*pair).histogramPart, prefix: prefix, shift: shift}, s.workers)
	first := p.parts[0].histogram
	for _, t := range p.parts[1:] {
		kernel.Axpy(1, t.histogram, first)
	}
	if prefix == 0 {
		first[0] += p.selfWeight()
	}
	return first
}

func (p *pair) histogramPart(t *part) {
	s, prefix, shift := &p.selection, p.work.prefix, p.work.shift
	h := (*[buckets]float64)(t.clearHistogram())
	p.eachRow(t, func(d, weights []float64, by float64) {
		for j, w := range weights[:len(d)] {
			key := s.key(d[j])
			if key>>(shift+levelBits) == prefix {
				h[key>>shift%buckets] += by * w
			}
		}
	})
}

// collect gathers the distances whose key has the bits prefix from shift on; false if too many to
// sort.
func (s *selection) collect(prefix uint64, shift int) bool {
	p := s.pair
	limit := fewValues
	if shift == 0 {
		limit = math.MaxInt
	}
	p.run(work{do: (*pair).collectPart, prefix: prefix, shift: shift, limit: limit}, s.workers)
	count := 0
	for i := range p.parts {
		count += len(p.parts[i].values)
	}
	return count <= limit
}

func (p *pair) collectPart(t *part) {
	s, prefix, shift, limit := &p.selection, p.work.prefix, p.work.shift, p.work.limit
	t.values = t.values[:0]
	if t == &p.parts[0] && prefix == 0 {
		t.values = append(t.values, weighted{0, p.selfWeight()})
	}
	p.eachRow(t, func(d, weights []float64, by float64) {
		if len(t.values) > limit {
			return
		}
		for j, v := range d {
			if s.key(v)>>shift == prefix {
				t.values = append(t.values, weighted{v, by * weights[j]})
			}
		}
	})
}

// selfWeight is the weight of words with themselves, at distance 0.
func (p *pair) selfWeight() float64 {
	total := kernel.Dot(p.both, p.both)
	for _, e := range p.entries {
		total -= e.count * e.count
	}
	return total
}

// eachRow calls visit with the squared distances of each word of a part from the later ones, for
// all words and then for the words of each text. The weight of a distance is that of the other word
// times by, for both orders of the two.
func (p *pair) eachRow(t *part, visit func(d, weights []float64, by float64)) {
	for i := t.words[0]; i < t.words[1]; i++ {
		visit(p.distances(t, i), p.both[i+1:], 2*p.both[i])
	}
	for _, text := range p.texts[t.texts[0]:t.texts[1]] {
		t.text.load(p, text.entries)
		for i, count := range t.text.count {
			visit(t.text.distances(t.point, i), t.text.count[i+1:], -2*count)
		}
	}
}
