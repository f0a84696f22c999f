package convex

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestGramCache(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 5))
	const n = 50
	points := NewPoints(normalRows(rng, n, 3, 1, 0))
	whole := newGram(RBF{Gamma: 0.5}, points, nil, 1<<20)
	some := newGram(RBF{Gamma: 0.5}, points, nil, 20*n*8)
	for range 3000 {
		i := rng.IntN(n)
		if rng.Float64() < 0.7 {
			i /= 5
		}
		first := some.row(rng.IntN(n))[0]
		if distance(whole.row(i), some.row(i)) != 0 || math.IsNaN(first) {
			t.Fatalf("row %d differs", i)
		}
		if len(some.kept) > some.capacity || some.capacity != 20 {
			t.Fatalf("%d rows kept, capacity %d", len(some.kept), some.capacity)
		}
	}
	list, coefficient := []int{}, []float64{}
	for i := range n {
		list, coefficient = append(list, i), append(coefficient, rng.NormFloat64())
	}
	a, b := make([]float64, n), make([]float64, n)
	whole.Accumulate(a, list, coefficient)
	some.Accumulate(b, list, coefficient)
	if distance(a, b) > 1e-13 {
		t.Errorf("sums of rows differ by %g", distance(a, b))
	}
}
