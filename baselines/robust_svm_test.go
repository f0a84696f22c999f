package baselines_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// correctedDual minimizes ½ αᵀQ'α - 1ᵀα over 0 <= α <= C, yᵀα = 0 by trying which
// α are 0, C and in between, and returns the minimum, α and b, which is NaN
// without one in between.
func correctedDual(s *sample, kernel gaga.Kernel, c, flip float64) (best float64, alpha []float64, bias float64) {
	n := len(s.y)
	k := gram(s.x, kernel)
	q := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i {
			q.SetSym(i, j, s.y[i]*s.y[j]*k.At(i, j)*(1-4*flip*(1-flip)))
		}
		q.SetSym(i, i, k.At(i, i))
	}
	best = math.Inf(1)
	places := make([]int, n)
	for {
		if a, b, ok := withPlaces(q, s.y, c, places); ok {
			objective := 0.0
			for i := range a {
				for j := range a {
					objective += a[i] * q.At(i, j) * a[j] / 2
				}
				objective -= a[i]
			}
			if objective < best {
				best, alpha, bias = objective, a, b
			}
		}
		i := 0
		for ; i < n && places[i] == 2; i++ {
			places[i] = 0
		}
		if i == n {
			return best, alpha, bias
		}
		places[i]++
	}
}

// withPlaces solves for the α in between (place 2), with the others at 0 (0) or
// C (1), and reports whether they are feasible.
func withPlaces(q *mat.SymDense, y []float64, c float64, places []int) (alpha []float64, bias float64, ok bool) {
	alpha = make([]float64, len(y))
	var free []int
	balance := 0.0
	for i, place := range places {
		switch place {
		case 1:
			alpha[i] = c
			balance += c * y[i]
		case 2:
			free = append(free, i)
		}
	}
	m := len(free)
	if m == 0 {
		return alpha, math.NaN(), math.Abs(balance) < 1e-12
	}
	system, right := mat.NewDense(m+1, m+1, nil), mat.NewVecDense(m+1, nil)
	for r, i := range free {
		rest := 1.0
		for j := range y {
			if places[j] == 1 {
				rest -= q.At(i, j) * c
			}
		}
		for l, j := range free {
			system.Set(r, l, q.At(i, j))
		}
		system.Set(r, m, y[i])
		system.Set(m, r, y[i])
		right.SetVec(r, rest)
	}
	right.SetVec(m, -balance)
	var solution mat.VecDense
	if solution.SolveVec(system, right) != nil {
		return nil, 0, false
	}
	for r, i := range free {
		alpha[i] = solution.AtVec(r)
		if alpha[i] < 0 || alpha[i] > c {
			return nil, 0, false
		}
	}
	return alpha, solution.AtVec(m), true
}

// TestRobustSVMBruteForce compares with the corrected dual, solved by trying all
// places of the multipliers.
func TestRobustSVMBruteForce(t *testing.T) {
	t.Parallel()
	biased := 0
	for _, k := range kernels {
		for _, flip := range []float64{0, 0.1, 0.3, 0.49} {
			for _, c := range []float64{0.2, 2} {
				for seed := range uint64(3) {
					name := fmt.Sprintf("%s μ = %v C = %v seed %d", k.name, flip, c, seed)
					s := plane(rand.New(rand.NewPCG(seed, 12)), 7, 9, true, 0.3)
					best, alpha, bias := correctedDual(s, k.kernel, c, flip)
					p := gaga.SVM(s.x, s.y, nil, c, k.kernel)
					fit, err := baselines.RobustSVM(t.Context(), p, flip)
					if err != nil {
						t.Fatal(err)
					}
					if math.Abs(fit.Objective+best) > 1e-8*(1-best) || fit.KKT > 1e-10 {
						t.Errorf("%s: objective %v with violation %v, want %v", name, fit.Objective, fit.KKT, -best)
					}
					if math.IsNaN(bias) {
						continue // not unique
					}
					biased++
					kernel := gram(s.x, k.kernel)
					for i, u := range predictions(t, p, fit.Theta, s.x) {
						want := bias
						for j, a := range alpha {
							want += (1 - 4*flip*(1-flip)) * a * s.y[j] * kernel.At(i, j)
						}
						if math.Abs(u-want) > 1e-6 {
							t.Errorf("%s: row %d is predicted %v, want %v", name, i, u, want)
						}
					}
				}
			}
		}
	}
	if biased < 20 {
		t.Errorf("only %d problems determine the intercept", biased)
	}
}

// TestRobustSVMWithoutFlips wants probability 0 to be the plain machine.
func TestRobustSVMWithoutFlips(t *testing.T) {
	t.Parallel()
	s := plane(rand.New(rand.NewPCG(13, 13)), 60, 3, true, 0.1)
	for _, k := range kernels {
		p := gaga.SVM(s.x, s.y, nil, 1, k.kernel)
		fit, err := baselines.RobustSVM(t.Context(), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		theta, _, err := baselines.Original(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		u, v := predictions(t, p, fit.Theta, s.x), predictions(t, p, theta, s.x)
		for i := range u {
			if math.Abs(u[i]-v[i]) > 1e-8 {
				t.Errorf("%s: row %d is predicted %v, by the plain machine %v", k.name, i, u[i], v[i])
			}
		}
	}
}

// TestRobustSVMMultiplicity wants merged rows to count as often as they stand
// for, with flips of their own.
func TestRobustSVMMultiplicity(t *testing.T) {
	t.Parallel()
	for _, k := range kernels {
		random := rand.New(rand.NewPCG(14, 14))
		s := plane(random, 30, 2, true, 0.2)
		for range s.y {
			s.multiplicity = append(s.multiplicity, float64(1+random.IntN(4)))
		}
		e := s.expanded()
		merged, apart := gaga.SVM(s.x, s.y, s.multiplicity, 1, k.kernel), gaga.SVM(e.x, e.y, nil, 1, k.kernel)
		asExpanded(t, k.name, s, merged, apart, 1e-8, func(p *gaga.Problem) (*baselines.Fit, error) { return baselines.RobustSVM(t.Context(), p, 0.2) })
	}
}

// TestRobustSVMOneClass wants one class to be predicted everywhere.
func TestRobustSVMOneClass(t *testing.T) {
	t.Parallel()
	s := plane(rand.New(rand.NewPCG(15, 15)), 9, 2, true, 0)
	for i := range s.y {
		s.y[i] = -1
	}
	for _, k := range kernels {
		p := gaga.SVM(s.x, s.y, nil, 1, k.kernel)
		fit, err := baselines.RobustSVM(t.Context(), p, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range predictions(t, p, fit.Theta, s.x) {
			if u != -1 {
				t.Errorf("%s: row %d is predicted %v", k.name, i, u)
			}
		}
	}
}

func TestRobustSVMRefuses(t *testing.T) {
	t.Parallel()
	s := plane(rand.New(rand.NewPCG(16, 16)), 9, 2, true, 0)
	for _, flip := range []float64{-0.1, 0.5, 0.9, math.NaN()} {
		if _, err := baselines.RobustSVM(t.Context(), gaga.SVM(s.x, s.y, nil, 1, nil), flip); err == nil {
			t.Errorf("a flip probability of %v was accepted", flip)
		}
	}
	for _, p := range []*gaga.Problem{
		gaga.LogisticRegression(s.x, s.y, nil, 1),
		gaga.SVM(s.x, s.y[1:], nil, 1, nil),
		gaga.SVM(s.x, s.y, nil, -1, nil),
		{X: s.x, Y: s.y, Loss: gaga.Hinge{C: 1}, Penalty: gaga.Penalty{L2: 2}},
	} {
		if _, err := baselines.RobustSVM(t.Context(), p, 0.1); err == nil {
			t.Errorf("the problem %+v was accepted", p)
		}
	}
}
