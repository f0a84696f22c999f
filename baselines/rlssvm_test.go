package baselines_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// allTrimmed is least trimmed squares by fits to all sets of h samples, in
// classes of their own for labels, and the weighted stage after it.
func allTrimmed(t *testing.T, s *sample, kernel gaga.Kernel, c, coverage float64, labels bool) (trimmed float64, residual []float64) {
	t.Helper()
	n := len(s.y)
	total := map[bool]int{}
	for _, y := range s.y {
		total[labels && y < 0]++
	}
	trimmed = math.Inf(1)
	for set := range 1 << n {
		a, kept := make([]float64, n), map[bool]int{}
		for i := range n {
			if set>>i&1 == 1 {
				a[i] = 1
				kept[labels && s.y[i] < 0]++
			}
		}
		right := true
		for class, m := range total {
			right = right && kept[class] == int(math.Ceil(coverage*float64(m)))
		}
		if !right {
			continue
		}
		if e, objective := reference(t, s, kernel, c, a); objective < trimmed {
			trimmed, residual = objective, e
		}
	}
	sizes := make([]float64, n)
	for i, e := range residual {
		sizes[i] = math.Abs(e)
	}
	sorted := slices.Sorted(slices.Values(sizes))
	scale := 1.4826 * sorted[(n+1)/2-1]
	a := make([]float64, n)
	for i, e := range sizes {
		a[i] = math.Max(1e-4, math.Min(1, 2*(3-e/scale)))
	}
	residual, _ = reference(t, s, kernel, c, a)
	return trimmed, residual
}

// TestRLSSVMBruteForce compares both stages with all sets of samples.
func TestRLSSVMBruteForce(t *testing.T) {
	t.Parallel()
	for _, k := range kernels {
		for _, labels := range []bool{false, true} {
			for _, coverage := range []float64{0.5, 0.75, 1} {
				for seed := range uint64(4) {
					name := fmt.Sprintf("%s labels %v coverage %v seed %d", k.name, labels, coverage, seed)
					s := plane(rand.New(rand.NewPCG(seed, 3)), 11, 2, labels, 0.2)
					p := baselines.LSSVM(s.x, s.y, nil, 2, k.kernel)
					fit, err := baselines.RLSSVM(t.Context(), p, baselines.TrimOptions{Coverage: coverage, Starts: 100})
					if err != nil {
						t.Fatal(err)
					}
					trimmed, residual := allTrimmed(t, s, k.kernel, 2, coverage, labels)
					if math.Abs(fit.Trimmed-trimmed) > 1e-8*(1+trimmed) {
						t.Errorf("%s: trimmed objective %v, the best of all sets is %v", name, fit.Trimmed, trimmed)
						continue
					}
					near(t, name, s, predictions(t, p, fit.Theta, s.x), residual, 1e-8)
				}
			}
		}
	}
}

// TestRLSSVMMultiplicity wants merged rows to count as often as they stand for.
func TestRLSSVMMultiplicity(t *testing.T) {
	t.Parallel()
	for _, k := range kernels {
		for _, labels := range []bool{false, true} {
			random := rand.New(rand.NewPCG(4, 4))
			s := plane(random, 14, 2, labels, 0.2)
			for range s.y {
				s.multiplicity = append(s.multiplicity, float64(1+random.IntN(3)))
			}
			e := s.expanded()
			options := baselines.TrimOptions{Coverage: 0.7, Starts: 200}
			merged := baselines.LSSVM(s.x, s.y, s.multiplicity, 1, k.kernel)
			one, err := baselines.RLSSVM(t.Context(), merged, options)
			if err != nil {
				t.Fatal(err)
			}
			apart := baselines.LSSVM(e.x, e.y, nil, 1, k.kernel)
			two, err := baselines.RLSSVM(t.Context(), apart, options)
			if err != nil {
				t.Fatal(err)
			}
			u, v := predictions(t, merged, one.Theta, s.x), predictions(t, apart, two.Theta, s.x)
			for i := range u {
				if math.Abs(u[i]-v[i]) > 1e-9 {
					t.Errorf("%s labels %v: row %d is predicted %v, expanded %v", k.name, labels, i, u[i], v[i])
				}
			}
			if math.Abs(one.Trimmed-two.Trimmed) > 1e-9 || math.Abs(one.Scale-two.Scale) > 1e-9 {
				t.Errorf("%s labels %v: %v and %v, expanded %v and %v", k.name, labels, one.Trimmed, one.Scale, two.Trimmed, two.Scale)
			}
		}
	}
}

// TestRLSSVMDeterministic wants the same stream to give the same bits.
func TestRLSSVMDeterministic(t *testing.T) {
	t.Parallel()
	s := wave(rand.New(rand.NewPCG(5, 5)), 80, false, 0.3)
	p := baselines.LSSVM(s.x, s.y, nil, 10, gaga.RBF{Gamma: 1})
	var first []float64
	for range 2 {
		fit, err := baselines.RLSSVM(t.Context(), p, baselines.TrimOptions{Random: rand.New(rand.NewPCG(6, 6))})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = fit.Theta
		}
		if !slices.Equal(first, fit.Theta) {
			t.Error("a second run gives other multipliers")
		}
	}
}

// TestRobustLSSVMDegenerate has data that determine little.
func TestRobustLSSVMDegenerate(t *testing.T) {
	t.Parallel()
	constant := plane(rand.New(rand.NewPCG(7, 7)), 12, 3, false, 0)
	oneClass := plane(rand.New(rand.NewPCG(7, 7)), 12, 3, true, 0)
	for i := range constant.y {
		constant.y[i], oneClass.y[i] = 7, -1
	}
	same := newSample(10, 2)
	for i := range same.y {
		same.y[i] = float64(i % 2)
	}
	single := newSample(1, 3)
	single.y[0] = 4
	for _, k := range kernels {
		for _, test := range []struct {
			name string
			s    *sample
			want func(u float64) bool
		}{
			{"constant target", constant, func(u float64) bool { return math.Abs(u-7) < 1e-9 }},
			{"one class", oneClass, func(u float64) bool { return math.Abs(u+1) < 1e-9 }},
			{"one row", single, func(u float64) bool { return math.Abs(u-4) < 1e-9 }},
			{"same rows", same, func(u float64) bool { return u >= -1e-9 && u <= 1+1e-9 }},
		} {
			p := baselines.LSSVM(test.s.x, test.s.y, nil, 1, k.kernel)
			trimmed, err := baselines.RLSSVM(t.Context(), p, baselines.TrimOptions{})
			if err != nil {
				t.Fatalf("rlssvm, %s, %s: %v", k.name, test.name, err)
			}
			truncated, err := baselines.ReLSSVM(t.Context(), p, 0.1)
			if test.name == "same rows" { // targets of 0 and 1 are both too far from the fit
				if !errors.Is(err, gaga.ErrDiscarded) {
					t.Errorf("relssvm, %s, %s: %v, want every sample truncated", k.name, test.name, err)
				}
				truncated = trimmed
			} else if err != nil {
				t.Fatalf("relssvm, %s, %s: %v", k.name, test.name, err)
			}
			for _, theta := range [][]float64{trimmed.Theta, truncated.Theta} {
				for i, u := range predictions(t, p, theta, test.s.x) {
					if !test.want(u) {
						t.Errorf("%s, %s: row %d is predicted %v", k.name, test.name, i, u)
					}
				}
			}
		}
	}
}

func TestRobustMethodsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := plane(rand.New(rand.NewPCG(8, 8)), 30, 2, true, 0.1)
	for _, k := range kernels {
		p := baselines.LSSVM(s.x, s.y, nil, 1, k.kernel)
		_, trimmed := baselines.RLSSVM(ctx, p, baselines.TrimOptions{})
		_, truncated := baselines.ReLSSVM(ctx, p, 1)
		_, noisy := baselines.RobustSVM(ctx, gaga.SVM(s.x, s.y, nil, 1, k.kernel), 0.1)
		for _, err := range []error{trimmed, truncated, noisy} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: a cancelled fit returned %v", k.name, err)
			}
		}
	}
}
