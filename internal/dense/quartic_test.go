package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/internal/kernel"
)

// Contractions must be those with the samples one by one, with any number of them in the
// panel, samples taken out again, the vector of the contraction before or another, coordinates
// that it was zero in or that it gets, and after a reset.
func TestQuartic(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 3))
	for _, q := range []int{1, 2, 3, 5, 11, 14, 23, 25} {
		var samples [][]float64
		var factors []float64
		s := NewQuartic(q)
		for range 2 {
			samples, factors = nil, nil
			x, got := make([]float64, q), make([]float64, q*q)
			for k := range 3*panelRows + 2 {
				z, c := make([]float64, q), float64(1+rng.IntN(3))
				for j := range z {
					z[j] = rng.NormFloat64()
				}
				if last := len(samples) - 1; last >= 0 && k%5 == 0 { // the one before goes out
					z, c = samples[last], -factors[last]
				}
				s.Add(c, z)
				samples, factors = append(samples, z), append(factors, c)
				if k%3 == 0 {
					clear(x)
					for range 1 + k*q/(3*panelRows) {
						x[rng.IntN(q)] = rng.NormFloat64()
					}
				}
				want, size := make([]float64, q*q), make([]float64, q*q)
				for i, z := range samples {
					along := kernel.Dot(z, x)
					along *= factors[i] * along
					for a, v := range z {
						kernel.Axpy(along*v, z, want[a*q:][:q])
						for b := range q {
							size[a*q+b] += math.Abs(along * v * z[b])
						}
					}
				}
				for j, v := range x {
					if v != 0 && !s.Has(j) {
						s.Extend(j, func(add func(c float64, z []float64)) {
							for i, z := range samples {
								add(factors[i], z)
							}
						})
					}
				}
				s.Contract(got, x)
				for i, v := range got {
					if a, b := i/q, i%q; a != b && !s.Has(a) && !s.Has(b) {
						continue
					}
					if off := math.Abs(v - want[i]); !(off <= 1e-12*(1+size[i])) {
						t.Fatalf("%d columns, %d samples: entry %d is %v, want %v", q, k+1, i, v, want[i])
					}
				}
			}
			s.Reset()
		}
	}
}
