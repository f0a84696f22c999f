package activeset

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rbf is the matrix of a Gaussian kernel.
type rbf struct{ x [][]float64 }

func gaussian(rng *rand.Rand, n int) rbf {
	g := rbf{make([][]float64, n)}
	for i := range g.x {
		for range 4 {
			g.x[i] = append(g.x[i], rng.NormFloat64())
		}
	}
	return g
}

func (g rbf) entry(i, j int) float64 {
	square := 0.0
	for k, v := range g.x[i] {
		square += (v - g.x[j][k]) * (v - g.x[j][k])
	}
	return math.Exp(-0.5 * square)
}

func (g rbf) Diagonal(int) float64 { return 1 }

func (g rbf) Gather(dst []float64, i int, list []int) {
	for k, j := range list {
		dst[k] = g.entry(i, j)
	}
}

func (g rbf) Accumulate(f []float64, list []int, coefficient []float64) {
	for i := range f {
		for k, j := range list {
			f[i] += coefficient[k] * g.entry(i, j)
		}
	}
}

func (g rbf) Current([]float64, []int) {}

func (g rbf) Evaluate(f, beta []float64) {
	clear(f)
	for j, v := range beta {
		g.Accumulate(f, []int{j}, []float64{v})
	}
}

// The factor after any sequence of entries and exits must be that of its
// members' matrix.
func TestFactorFollowsMembers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 60
	g := gaussian(rng, n)
	copy(g.x[1], g.x[0])
	c := newFactor(g, n, Options{Shift: 0.7, Dependence: 1e-11})
	for range 400 {
		i := rng.IntN(n)
		if !c.has[i] {
			entered := c.extend(i)
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
		p := len(c.members)
		for a := range p {
			one := 0.0
			for b := range a + 1 {
				product := 0.0
				for k := range b + 1 {
					product += c.Row(a)[k] * c.Row(b)[k]
				}
				want := g.entry(c.members[a], c.members[b]) + c.shift
				if math.Abs(product-want) > 1e-12 {
					t.Fatalf("%d members: (LLᵀ)_%d,%d = %g, want %g", p, a, b, product, want)
				}
				one += c.Row(a)[b] * c.ones[b]
			}
			if math.Abs(one-1) > 1e-11 {
				t.Fatalf("%d members: (L·ones)_%d = %g, want 1", p, a, one)
			}
		}
	}
}

func TestFactorMemoryBound(t *testing.T) {
	t.Parallel()
	c := newFactor(gaussian(rand.New(rand.NewPCG(1, 1)), 30), 30, Options{Shift: 1, Dependence: 1e-11, Limit: 5})
	for i := range 5 {
		if !c.extend(i) {
			t.Fatalf("sample %d was refused", i)
		}
	}
	if c.extend(5) || !c.Full() || len(c.members) != 5 {
		t.Errorf("a sixth member was let in: %d members", len(c.members))
	}
}

// The solution of random problems, from random places, meets the optimality conditions.
func TestSolve(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 2 + rng.IntN(40)
		g := gaussian(rng, n)
		y, equality := make([]float64, n), seed%2 == 0
		for i := range y {
			y[i] = math.Copysign(1, g.x[i][0]+0.5*rng.NormFloat64())
		}
		y[0], y[1] = 1, -1
		copy(g.x[n/2], g.x[0])
		s := New(g, y, Options{Equality: equality, Shift: 1, Dependence: 1e-11})
		for range 3 {
			s.Begin()
			for i := range n {
				s.Place[i] = Place(rng.IntN(3))
				s.Bound(i, float64(rng.IntN(3))*rng.Float64())
				s.Settle(i)
			}
			s.Evaluate()
			s.Balance()
			_, arrived, err := s.Solve(t.Context(), Limits{Exchanges: 100 + 10*n, Bounded: 1e-12, Free: 1e-13})
			if err != nil || !arrived {
				t.Fatalf("seed %d: arrived %v, error %v", seed, arrived, err)
			}
			f := make([]float64, n)
			g.Evaluate(f, s.Beta)
			for i, v := range s.Beta {
				if v < s.Low[i] || v > s.High[i] || math.Abs(f[i]-s.F[i]) > 1e-11 {
					t.Errorf("seed %d: β_%d = %v in [%v, %v], f = %v, want %v", seed, i, v, s.Low[i], s.High[i], s.F[i], f[i])
				}
				if off := s.Violation(i); math.Abs(off) > 1e-11 {
					t.Errorf("seed %d: variable %d breaks its condition by %v", seed, i, off)
				}
			}
			if s.Unbalanced() > 1e-13 {
				t.Errorf("seed %d: unbalanced by %v", seed, s.Unbalanced())
			}
		}
	}
}
