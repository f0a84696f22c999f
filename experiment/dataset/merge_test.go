package dataset

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// mergeAll is the O(N²) way.
func mergeAll(p Part) Part {
	out := Part{D: p.D}
	for i := range p.N {
		x, y := p.X[i*p.D:][:p.D], p.Y[i]
		found := false
		for k := 0; k < out.N && !found; k++ {
			found = math.Float64bits(out.Y[k]) == math.Float64bits(y)
			for j := range p.D {
				found = found && math.Float64bits(out.X[k*p.D+j]) == math.Float64bits(x[j])
			}
			if found {
				out.Multiplicity[k]++
			}
		}
		if !found {
			out.append(Part{N: 1, X: x, Y: []float64{y}, Rows: p.Rows[i : i+1]})
			out.Multiplicity = append(out.Multiplicity, 1)
		}
	}
	if out.N == p.N {
		out.Multiplicity = nil
	}
	return out
}

func TestMergeAgainstBruteForce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 9))
	values := []float64{0, math.Copysign(0, -1), 1, math.Nextafter(1, 2), -1, 5e-324, math.MaxFloat64}
	for range 300 {
		n, d := 1+random.IntN(60), 1+random.IntN(3)
		kinds := 1 + random.IntN(len(values))
		p := Part{D: d}
		for i := range n {
			x := make([]float64, d)
			for j := range x {
				x[j] = values[random.IntN(kinds)]
			}
			p.append(Part{N: 1, X: x, Y: []float64{values[random.IntN(kinds)]}, Rows: []int{3 * i}})
		}
		want := mergeAll(p)
		got := Part{D: d}
		got.append(p)
		if merged := got.merge(); merged != n-want.N {
			t.Fatalf("%d rows merged, want %d", merged, n-want.N)
		}
		if !samePart(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}

// samePart compares bit by bit: -0 is not 0.
func samePart(a, b Part) bool {
	return a.N == b.N && a.D == b.D && len(a.X) == len(b.X) && len(a.Y) == len(b.Y) &&
		equalBits(a.X, b.X) && equalBits(a.Y, b.Y) &&
		reflect.DeepEqual(a.Rows, b.Rows) && reflect.DeepEqual(a.Multiplicity, b.Multiplicity)
}

func equalBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

func BenchmarkMerge(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 9))
	const n, d = 20000, 50
	whole := Part{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n), Rows: make([]int, n)}
	for i := range whole.X {
		whole.X[i] = random.NormFloat64()
	}
	b.SetBytes(n * d * 8)
	for b.Loop() {
		part := whole // nothing is merged, so nothing moves
		part.merge()
	}
}
