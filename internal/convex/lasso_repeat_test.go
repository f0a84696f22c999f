package convex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// alter changes weights as alternate convex search does: one sample at a time
// as the hard regularizer, a few, or all of them a little.
func alter(r *rand.Rand, weights []float64, round int) {
	switch n := len(weights); round % 5 {
	default:
		i := r.IntN(n)
		if weights[i] == 0 {
			weights[i] = 1
		} else {
			weights[i] = 0
		}
	case 3:
		for range 4 {
			weights[r.IntN(n)] = r.Float64()
		}
	case 4:
		for i := range weights {
			weights[i] *= 1 - 0.1*r.Float64()
		}
	}
}

// In a long run with changing weights the Gram form serves every solve, each
// meets the conditions by their definition to rounding, and agrees with a solve
// without it.
func TestLassoGramForm(t *testing.T) {
	t.Parallel()
	for seed, size := range [][2]int{{60, 5}, {331, 10}, {150, 40}, {30, 60}} {
		for _, intercept := range []bool{false, true} {
			r := rand.New(rand.NewPCG(uint64(seed), 6))
			p := randomLinear(uint64(seed), size[0], size[1])
			total := float64(size[0])
			solver, other := NewLasso(p.x, p.y, 0.01, total, intercept), NewLasso(p.x, p.y, 0.01, total, intercept)
			scores := make([]float64, size[0])
			for round := range 200 {
				alter(r, p.weights, round)
				certificate := solveLinear(t, solver, p.weights)
				if solver.smooth != nil {
					t.Fatalf("%v, intercept %v, round %d: the Gram form was not good enough", size, intercept, round)
				}
				if strict, backward := lassoKKT(p, 0.01, total, intercept, solver.Theta()); strict > Tolerance || backward > 1e-14 {
					t.Fatalf("%v, intercept %v, round %d: relative KKT violation %g, %g", size, intercept, round, strict, backward)
				}
				if want := p.lassoObjective(0.01, total, solver.Theta()); math.Abs(certificate.Objective-want) > 1e-12*want {
					t.Errorf("objective %v, by definition %v", certificate.Objective, want)
				}
				same, err := other.solveSmooth(context.Background(), p.weights)
				if err != nil || math.Abs(same.Objective-certificate.Objective) > 1e-12*same.Objective {
					t.Errorf("objective %v, without the Gram form %v, error %v", certificate.Objective, same.Objective, err)
				}
				solver.Scores(scores)
				for i, u := range scores {
					want, scale := solver.Theta()[size[1]], math.Abs(solver.Theta()[size[1]])
					for j, w := range solver.Theta()[:size[1]] {
						want += w * p.x.Data[i*p.x.Stride+j]
						scale += math.Abs(w * p.x.Data[i*p.x.Stride+j])
					}
					if math.Abs(u-want) > 1e-13*(scale+math.Abs(p.y[i])) {
						t.Fatalf("score %d is %v, by definition %v", i, u, want)
					}
				}
			}
		}
	}
}

// Where the samples of positive weight lie close together far from the others,
// the scores' rounding is that of the offset: the solve goes without the Gram form.
func TestLassoFarFromTheMean(t *testing.T) {
	t.Parallel()
	const n, d = 80, 4
	p := randomLinear(9, n, d)
	for i := range n / 4 {
		for j := range d {
			p.x.Data[i*p.x.Stride+j] = 100 + p.x.Data[i*p.x.Stride+j]
		}
	}
	for i := range p.weights {
		p.weights[i] = 1
	}
	all := slices.Clone(p.weights)
	clear(p.weights[n/4:])
	solver := NewLasso(p.x, p.y, 0.001, n, true)
	for round, weights := range [][]float64{all, p.weights, all} {
		p.weights = weights
		solveLinear(t, solver, weights)
		if strict, backward := lassoKKT(p, 0.001, n, true, solver.Theta()); strict > 1e-9 || backward > 1e-14 {
			t.Errorf("relative KKT violation %g, %g", strict, backward)
		}
		if gram := solver.smooth == nil; gram != (round == 0) {
			t.Errorf("round %d: the Gram form served all solves so far: %v", round, gram)
		}
	}
}

// The same calls give the same bits, and a warm solve allocates nothing.
func TestLassoRepeats(t *testing.T) {
	t.Parallel()
	run := func() []float64 {
		r := rand.New(rand.NewPCG(1, 8))
		p := randomLinear(3, 200, 30)
		solver := NewLasso(p.x, p.y, 0.02, 200, true)
		var all []float64
		for round := range 100 {
			alter(r, p.weights, round)
			certificate := solveLinear(t, solver, p.weights)
			all = append(append(all, solver.Theta()...), certificate.KKT, certificate.Objective)
		}
		return all
	}
	if first, second := run(), run(); !slices.Equal(first, second) {
		t.Error("two runs of the same solves differ")
	}
}

func TestLassoAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	p := randomLinear(3, 200, 30)
	solver := NewLasso(p.x, p.y, 0.02, 200, true)
	scores := make([]float64, 200)
	round := 0
	solve := func() {
		alter(r, p.weights, round)
		round++
		if _, err := solver.Solve(context.Background(), p.weights); err != nil {
			t.Error(err)
		}
		solver.Scores(scores)
	}
	if allocations := testing.AllocsPerRun(200, solve); allocations != 0 {
		t.Errorf("%v allocations in a solve", allocations)
	}
}
