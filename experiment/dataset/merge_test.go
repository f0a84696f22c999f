package dataset

import (
	"math"
	"math/rand/v2"
	"reflect"
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
	hashes := map[string]func([]float64, float64) uint64{
		"hashRow":  hashRow,
		"constant": func([]float64, float64) uint64 { return 7 }, // every row collides
	}
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
		for name, hash := range hashes {
			var got Part
			got.D = d
			got.append(p)
			merged := got.merge(hash)
			if merged != n-want.N {
				t.Fatalf("%s: %d rows merged, want %d", name, merged, n-want.N)
			}
			if !samePart(got, want) {
				t.Fatalf("%s: got %+v, want %+v", name, got, want)
			}
		}
	}
}

// samePart compares bit by bit: -0 is not 0.
func samePart(a, b Part) bool {
	return a.N == b.N && a.D == b.D && len(a.X) == len(b.X) && len(a.Y) == len(b.Y) &&
		equalBits(a.X, b.X) && equalBits(a.Y, b.Y) &&
		reflect.DeepEqual(a.Rows, b.Rows) && reflect.DeepEqual(a.Multiplicity, b.Multiplicity)
}

func TestHashRowSpreads(t *testing.T) {
	t.Parallel()
	seen := make(map[uint64]bool)
	const side = 300
	for a := range side {
		for b := range side {
			seen[hashRow([]float64{float64(a), float64(b)}, 1)] = true
		}
	}
	if len(seen) != side*side {
		t.Errorf("%d hashes for %d rows", len(seen), side*side)
	}
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
		part.merge(hashRow)
	}
}
