package convex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkStandings compares the standings after a Solve with the values and
// margins that they stand for, and returns how many there are of each.
func (p svmProblem) checkStandings(t *testing.T, s *SVM) (count [3]int) {
	t.Helper()
	scores := scoresOf(s)
	for i, alpha := range s.Duals() {
		upper, margin := p.c*p.weights[i], p.y[i]*scores[i]
		standing := s.Standing(i)
		count[standing]++
		ok := false
		switch standing {
		case AtZero:
			ok = alpha == 0 && margin > 1-1e-9
		case Free:
			ok = alpha > 0 && alpha < upper && math.Abs(margin-1) < 1e-9
		case AtUpper:
			ok = alpha == upper && margin < 1+1e-9
		}
		if !ok {
			t.Errorf("α_%d = %g of [0, %g] with margin %g counts as %v", i, alpha, upper, margin, standing)
		}
	}
	return count
}

func TestSVMStandings(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		p := randomProblem(rand.New(rand.NewPCG(3, 4)), 100, 5, 2, kernel, intercept)
		for i := range p.weights {
			p.weights[i] = float64(i%7) / 6 // every seventh sample without weight
		}
		s := p.svm(SVMOptions{})
		for i := range p.y {
			if s.Standing(i) != AtZero {
				t.Fatalf("before Solve α_%d counts as %v", i, s.Standing(i))
			}
		}
		solve(t, s, p.weights)
		if count := p.checkStandings(t, s); slices.Contains(count[:], 0) {
			t.Errorf("%v multipliers at zero, free and at their bound: want some of each", count)
		}
		before := slices.Clone(s.Duals())

		again := p.svm(SVMOptions{})
		again.SetDuals(before)
		if !slices.Equal(again.Duals(), before) {
			t.Error("SetDuals changed the multipliers")
		}
		for i, alpha := range before {
			if want := AtZero + Standing(min(1, math.Ceil(alpha))); again.Standing(i) != want {
				t.Errorf("after SetDuals α_%d = %g counts as %v", i, alpha, again.Standing(i))
			}
		}
		solve(t, again, p.weights)
		p.checkStandings(t, again)
		for i := range before {
			if s.Standing(i) != again.Standing(i) {
				t.Errorf("α_%d counts as %v, from its own solution as %v", i, s.Standing(i), again.Standing(i))
			}
		}
	})
}

// In whole-number data free multipliers end at bounds; they then count as there.
func TestSVMStandingsOfTies(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := randomProblem(rng, 40, 4, 2, Linear{}, false)
		for i := range p.x.Data {
			p.x.Data[i] = float64(rng.IntN(3))
		}
		p.c = []float64{0.0159, 0.1, 0.3}[seed%3]
		for i := range p.weights {
			p.weights[i] = 1
		}
		s := p.svm(SVMOptions{})
		for range 4 {
			solve(t, s, p.weights)
			p.checkStandings(t, s)
			for i, u := range scoresOf(s) { // as alternation under the hard regularizer
				p.weights[i] = 0
				if 1-p.y[i]*u < 1.1 {
					p.weights[i] = 1
				}
			}
		}
	}
}
