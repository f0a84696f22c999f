package convex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// bruteForce finds the dual optimum of a tiny problem by trying every way of
// placing the multipliers at 0, at their bound, or between, each time solving
// the linear system (by singular values, for it may be singular) and keeping
// the best feasible point: the optimum is among them. It returns the optimal
// dual objective Σα - ½ αᵀQα.
func (p svmProblem) bruteForce() float64 {
	n := len(p.y)
	q := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			q.SetSym(i, j, p.y[i]*p.y[j]*naiveKernel(p.kernel, p.row(i), p.row(j)))
		}
	}
	patterns := 1
	for range n {
		patterns *= 3
	}
	best := math.Inf(-1)
	for pattern := range patterns {
		alpha := mat.NewVecDense(n, nil)
		var free []int
		for i, rest := 0, pattern; i < n; i, rest = i+1, rest/3 {
			switch rest % 3 {
			case 1:
				alpha.SetVec(i, p.c*p.weights[i])
			case 2:
				free = append(free, i)
			}
		}
		if len(free) > 0 && !p.solveFree(q, alpha, free) {
			continue
		}
		best = math.Max(best, p.dualIfFeasible(q, alpha))
	}
	return best
}

// solveFree sets the free multipliers to a stationary point with the others fixed.
func (p svmProblem) solveFree(q *mat.SymDense, alpha *mat.VecDense, free []int) bool {
	size := len(free)
	if p.intercept {
		size++
	}
	system, right := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
	for a, i := range free {
		rest := 1.0
		for j := range p.y {
			rest -= q.At(i, j) * alpha.AtVec(j)
		}
		right.SetVec(a, rest)
		for b, j := range free {
			system.Set(a, b, q.At(i, j))
		}
		if p.intercept {
			system.Set(a, size-1, p.y[i])
			system.Set(size-1, a, p.y[i])
		}
	}
	if p.intercept {
		total := 0.0
		for j, y := range p.y {
			total += y * alpha.AtVec(j)
		}
		right.SetVec(size-1, -total)
	}
	var svd mat.SVD
	if !svd.Factorize(system, mat.SVDThin) {
		return false
	}
	rank := svd.Rank(1e-12)
	if rank == 0 {
		return false
	}
	var solution mat.VecDense
	svd.SolveVecTo(&solution, right, rank)
	for a, i := range free {
		alpha.SetVec(i, solution.AtVec(a))
	}
	return true
}

func (p svmProblem) dualIfFeasible(q *mat.SymDense, alpha *mat.VecDense) float64 {
	const slack = 1e-9
	total := 0.0
	for i, y := range p.y {
		upper := p.c * p.weights[i]
		if v := alpha.AtVec(i); v < -slack*upper || v > upper*(1+slack) {
			return math.Inf(-1)
		}
		total += y * alpha.AtVec(i)
	}
	if p.intercept && math.Abs(total) > slack*mat.Norm(alpha, 1) {
		return math.Inf(-1)
	}
	return mat.Sum(alpha) - mat.Inner(alpha, q, alpha)/2
}

func TestSVMBruteForce(t *testing.T) {
	t.Parallel()
	for _, kernel := range []Kernel{Linear{}, RBF{Gamma: 0.5}} {
		for _, intercept := range []bool{true, false} {
			t.Run(fmt.Sprintf("%T/intercept=%v", kernel, intercept), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(60) {
					rng := rand.New(rand.NewPCG(seed, 7))
					n, d := 2+rng.IntN(5), 1+rng.IntN(3)
					p := randomProblem(rng, n, d, math.Pow(10, 3*rng.Float64()-1.5), kernel, intercept)
					for i := range p.weights {
						p.weights[i] = rng.Float64()
						if rng.Float64() < 0.15 {
							p.weights[i] = 0
						}
					}
					if rng.Float64() < 0.3 {
						copy(p.row(1), p.row(0))
					}
					s := p.svm(SVMOptions{})
					certificate, err := s.Solve(context.Background(), p.weights)
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					p.check(t, s, certificate)
					if want := p.bruteForce(); math.Abs(certificate.Objective-want) > 1e-8*math.Abs(want)+1e-12 {
						t.Fatalf("seed %d, n = %d, d = %d: objective %.15g, by enumeration %.15g", seed, n, d, certificate.Objective, want)
					}
				}
			})
		}
	}
}
