package dataset

import (
	"math"
	"math/bits"
	"slices"
)

// merge merges rows that are equal in every bit into the first and counts them in Multiplicity, nil
// if all differ. It returns the number of removed rows, in O(N D) expected time.
func (p *Part) merge(hash func(x []float64, y float64) uint64) int {
	d := p.D
	first := map[uint64]int32{} // last kept row by hash
	var chain []int32           // earlier kept row with the same hash, or -1
	var multiplicity []float64
	kept := 0
	for i := range p.N {
		x, y := p.X[i*d:][:d], p.Y[i]
		key := hash(x, y)
		last, found := first[key]
		if !found {
			last = -1
		}
		same := last
		for same >= 0 && !(equalBits(p.Y[same:same+1], p.Y[i:i+1]) && equalBits(p.X[int(same)*d:][:d], x)) {
			same = chain[same]
		}
		if same >= 0 {
			multiplicity[same]++
			continue
		}
		copy(p.X[kept*d:][:d], x)
		p.Y[kept], p.Rows[kept] = y, p.Rows[i]
		first[key] = int32(kept)
		chain = append(chain, last)
		multiplicity = append(multiplicity, 1)
		kept++
	}
	merged := p.N - kept
	if merged == 0 {
		return 0
	}
	p.N, p.X, p.Y, p.Rows = kept, slices.Clone(p.X[:kept*d]), slices.Clone(p.Y[:kept]), slices.Clone(p.Rows[:kept])
	p.Multiplicity = multiplicity
	return merged
}

func hashRow(x []float64, y float64) uint64 {
	mix := func(hash, value uint64) uint64 {
		high, low := bits.Mul64(hash^value, 0x9e3779b97f4a7c15)
		return high ^ low ^ bits.RotateLeft64(hash, 23)
	}
	hash := mix(0xa0761d6478bd642f, math.Float64bits(y))
	for _, value := range x {
		hash = mix(hash, math.Float64bits(value))
	}
	return hash
}

func equalBits(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}
