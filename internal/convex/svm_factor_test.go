package convex

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The factor after any sequence of entries and exits must be that of its
// members' matrix.
func TestFactorFollowsMembers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 60
	x := normalRows(rng, n, 4, 1, 0)
	copy(x.Data[4:8], x.Data[:4]) // rows 0 and 1 are equal
	g := newGram(RBF{Gamma: 0.5}, NewPoints(x), nil, 1<<20)
	c := newFactor(n, 0.7, 1<<20)
	column := make([]float64, n)
	for range 400 {
		i := rng.IntN(n)
		if !c.has[i] {
			entered := c.extend(g, i, column)
			if twin := i < 2 && c.has[1-i]; entered == twin {
				t.Fatalf("sample %d entered: %v, its twin is a member: %v", i, entered, twin)
			}
		} else {
			for k, member := range c.members {
				if member == i {
					c.remove(k)
					break
				}
			}
		}
		p := c.size()
		for a := range p {
			one := 0.0
			for b := range a + 1 {
				product := 0.0
				for k := range b + 1 {
					product += c.row(a)[k] * c.row(b)[k]
				}
				want := g.row(c.members[a])[c.members[b]] + c.shift
				if math.Abs(product-want) > 1e-12 {
					t.Fatalf("%d members: (LLᵀ)_%d,%d = %g, want %g", p, a, b, product, want)
				}
				one += c.row(a)[b] * c.ones[b]
			}
			if math.Abs(one-1) > 1e-11 {
				t.Fatalf("%d members: (L·ones)_%d = %g, want 1", p, a, one)
			}
		}
	}
}

func TestFactorMemoryBound(t *testing.T) {
	t.Parallel()
	x := normalRows(rand.New(rand.NewPCG(1, 1)), 30, 4, 1, 0)
	g := newGram(RBF{Gamma: 0.5}, NewPoints(x), nil, 1<<20)
	c := newFactor(30, 1, 5*5*8)
	column := make([]float64, 30)
	for i := range 5 {
		if !c.extend(g, i, column) {
			t.Fatalf("sample %d was refused", i)
		}
	}
	if c.extend(g, 5, column) || !c.full() || c.size() != 5 {
		t.Errorf("a sixth member was let in: %d members", c.size())
	}
}

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
		if some.kept > some.capacity || some.capacity != 20 {
			t.Fatalf("%d rows kept, capacity %d", some.kept, some.capacity)
		}
	}
	list, coefficient := []int{}, []float64{}
	for i := range n {
		list, coefficient = append(list, i), append(coefficient, rng.NormFloat64())
	}
	a, b := make([]float64, n), make([]float64, n)
	whole.accumulate(a, list, coefficient)
	some.accumulate(b, list, coefficient)
	if distance(a, b) > 1e-13 {
		t.Errorf("sums of rows differ by %g", distance(a, b))
	}
}
