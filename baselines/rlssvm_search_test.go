package baselines_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// concentrated is the objective of least trimmed squares that concentration steps
// reach from the plain fit, in the dual.
func concentrated(t *testing.T, s *sample, kernel gaga.Kernel, c, coverage float64, labels bool) float64 {
	t.Helper()
	n, k := len(s.y), gram(s.x, kernel)
	classes := map[bool][]int{}
	for i, y := range s.y {
		classes[labels && y < 0] = append(classes[labels && y < 0], i)
	}
	step := func(set []int) (e []float64, objective float64) {
		m := len(set)
		system, right := mat.NewSymDense(m, nil), mat.NewDense(m, 2, nil)
		for p, i := range set {
			for q := range p + 1 {
				system.SetSym(p, q, k.At(i, set[q]))
			}
			system.SetSym(p, p, k.At(i, i)+1/c)
			right.SetRow(p, []float64{s.y[i], 1})
		}
		var factor mat.Cholesky
		var z mat.Dense
		if !factor.Factorize(system) || factor.SolveTo(&z, right) != nil {
			t.Fatal("the reference's system is singular")
		}
		b := mat.Sum(z.ColView(0)) / mat.Sum(z.ColView(1))
		e = slices.Clone(s.y)
		for i := range e {
			e[i] -= b
			for p, j := range set {
				e[i] -= (z.At(p, 0) - b*z.At(p, 1)) * k.At(i, j)
			}
		}
		for p, i := range set { // ½αᵀ(y - e - b) + (C/2) e²
			objective += (z.At(p, 0)-b*z.At(p, 1))*(s.y[i]-e[i]-b)/2 + c/2*e[i]*e[i]
		}
		return e, objective
	}
	set := make([]int, n)
	for i := range set {
		set[i] = i
	}
	e, _ := step(set)
	for last := math.Inf(1); ; {
		set = set[:0]
		for _, class := range []bool{false, true} {
			rows := slices.Clone(classes[class])
			slices.SortFunc(rows, func(i, j int) int { return cmp.Compare(math.Abs(e[i]), math.Abs(e[j])) })
			set = append(set, rows[:int(math.Ceil(coverage*float64(len(rows))))]...)
		}
		var objective float64
		if e, objective = step(set); !(objective < last*(1-1e-12)) {
			return last
		}
		last = objective
	}
}

// TestRLSSVMSearch wants an objective no higher than concentration steps reach
// from the plain fit, and lower ones from random subsets.
func TestRLSSVMSearch(t *testing.T) {
	t.Parallel()
	var lower atomic.Int32
	t.Cleanup(func() {
		if lower.Load() < 10 {
			t.Errorf("random subsets lead further in %d problems only", lower.Load())
		}
	})
	for _, data := range []struct {
		name   string
		draw   func(random *rand.Rand, share float64) *sample
		labels bool
	}{
		{"plane", func(r *rand.Rand, share float64) *sample { return plane(r, 60, 8, false, share) }, false},
		{"wave", func(r *rand.Rand, share float64) *sample { return wave(r, 60, false, share) }, false},
		{"labels of a wave", func(r *rand.Rand, share float64) *sample { return wave(r, 50, true, share) }, true},
		{"clusters", func(r *rand.Rand, share float64) *sample { return clusters(r, 60, 10, share) }, true},
	} {
		for _, k := range kernels {
			for _, c := range []float64{0.1, 10, 1000} {
				for _, noise := range []float64{0, 0.3} {
					t.Run(fmt.Sprintf("%s, %s, C %v, noise %v", data.name, k.name, c, noise), func(t *testing.T) {
						t.Parallel()
						s := data.draw(rand.New(rand.NewPCG(uint64(100*noise), 31)), noise)
						fit, err := baselines.RLSSVM(t.Context(), baselines.LSSVM(s.x, s.y, nil, c, k.kernel), baselines.TrimOptions{})
						if err != nil {
							t.Fatal(err)
						}
						switch plain := concentrated(t, s, k.kernel, c, 0.7, data.labels); {
						case !(fit.Trimmed <= plain*(1+1e-9)):
							t.Errorf("objective %v, concentration from the plain fit reaches %v", fit.Trimmed, plain)
						case fit.Trimmed < 0.999*plain:
							lower.Add(1)
						}
					})
				}
			}
		}
	}
}
