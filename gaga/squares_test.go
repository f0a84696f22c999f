package gaga

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/internal/kernel"
)

// Products with a sum of squares must be those with the samples one by one, with any
// number of them in the panel, samples taken out again, and after a reset.
func TestSquares(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 3))
	for _, q := range []int{1, 2, 3, 5, 11, 14} {
		pairs := q * (q + 1) / 2
		s := newSquares(pairs)
		x, got, v := make([]float64, s.ld), make([]float64, s.ld), make([]float64, pairs)
		for range 2 {
			want, size := make([]float64, pairs), make([]float64, pairs)
			for i := range pairs {
				x[i] = rng.NormFloat64()
			}
			var last []float64
			for k := range 3*productRows + 2 {
				z, c := last, -1.0
				if k%5 > 0 || last == nil { // every fifth takes the one before out
					z, c = make([]float64, q), float64(1+rng.IntN(3))
					for j := range z {
						z[j] = rng.NormFloat64()
					}
					last = z
				}
				s.add(c, z)
				at := 0
				for a := range q {
					for b := a; b < q; b++ {
						v[at] = z[a] * z[b]
						at++
					}
				}
				along := kernel.Dot(v, x[:pairs])
				for i := range v {
					want[i] += c * along * v[i]
					size[i] += math.Abs(c * along * v[i])
				}
				s.mul(got, x)
				for i := range want {
					if off := math.Abs(got[i] - want[i]); !(off <= 1e-12*(1+size[i])) {
						t.Fatalf("%d columns, %d samples: entry %d is %v, want %v", q, k+1, i, got[i], want[i])
					}
				}
			}
			s.reset()
		}
	}
}
