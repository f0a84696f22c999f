package dense

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Each benchmark runs on k rows, half of them positive; /definite has k
// positive rows. Changes are made and undone in turn, so that the figures of
// both are those of a pair unless the name says otherwise.
func benchmark(b *testing.B, run func(b *testing.B, s *Signed, m *model, random *rand.Rand)) {
	for _, k := range []int{50, 200, 800} {
		for _, definite := range []bool{false, true} {
			name, p := fmt.Sprintf("k=%d/half", k), k/2
			if definite {
				name, p = fmt.Sprintf("k=%d/definite", k), k
			}
			b.Run(name, func(b *testing.B) {
				random := rand.New(rand.NewPCG(1, 2))
				m := quasidefinite(random, p, k-p)
				for i := range p {
					m.m[i][i]++
				}
				s := computed(b, m, k+2)
				b.ReportAllocs()
				run(b, s, m, random)
			})
		}
	}
}

func BenchmarkCompute(b *testing.B) {
	benchmark(b, func(b *testing.B, s *Signed, m *model, _ *rand.Rand) {
		for b.Loop() {
			must(b, s.Compute(m.p, len(m.m)-m.p, m.row))
		}
	})
}

func BenchmarkSolve(b *testing.B) {
	benchmark(b, func(b *testing.B, s *Signed, _ *model, random *rand.Rand) {
		v, x := vectorOf(random, s.Len()), make([]float64, s.Len())
		for b.Loop() {
			copy(x, v)
			s.Solve(x)
		}
	})
}

// A row leaves the positive part, from anywhere in it, and comes back at its
// end.
func BenchmarkDeleteInsertPositive(b *testing.B) {
	benchmark(b, func(b *testing.B, s *Signed, m *model, _ *rand.Rand) {
		order := make([]int, m.p)
		for i := range order {
			order[i] = i
		}
		column, at := make([]float64, len(m.m)), 0
		for b.Loop() {
			at = (at + 7) % m.p
			r := order[at]
			must(b, s.Delete(at))
			copy(order[at:], order[at+1:])
			order[m.p-1] = r
			for i, j := range order {
				column[i] = m.m[r][j]
			}
			copy(column[m.p:], m.m[r][m.p:])
			if pivot, ok := s.InsertPositive(column); !ok {
				b.Fatalf("pivot %g", pivot)
			}
		}
	})
}

// A row leaves the negative part, from anywhere in it, and comes back at its
// end.
func BenchmarkDeleteAppendNegative(b *testing.B) {
	benchmark(b, func(b *testing.B, s *Signed, m *model, _ *rand.Rand) {
		q := len(m.m) - m.p
		if q == 0 {
			b.Skip("no negative part")
		}
		order := make([]int, q)
		for i := range order {
			order[i] = m.p + i
		}
		column, at := make([]float64, len(m.m)), 0
		for b.Loop() {
			at = (at + 7) % q
			r := order[at]
			must(b, s.Delete(m.p+at))
			copy(order[at:], order[at+1:])
			order[q-1] = r
			copy(column, m.m[r][:m.p])
			for i, j := range order {
				column[m.p+i] = m.m[r][j]
			}
			if pivot, ok := s.AppendNegative(column); !ok {
				b.Fatalf("pivot %g", pivot)
			}
		}
	})
}
