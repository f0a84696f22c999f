// Package nsga3 minimizes two objectives over a box by NSGA-III: K. Deb and H. Jain, "An
// Evolutionary Many-Objective Optimization Algorithm Using Reference-Point-Based Nondominated
// Sorting Approach, Part I", IEEE Transactions on Evolutionary Computation 18(4), 2014.
//
// [Engine.Step] computes the next generation: simulated binary crossover of random pairs,
// polynomial mutation, non-dominated sorting of parents and children, and selection from the last
// front by niches around reference points. The same seed gives the same numbers.
//
// A generation of N individuals with n variables takes O(N n) for the variation and at most O(N²)
// for the sorting and the niches of N reference points.
package nsga3

import (
	"math"
	"math/rand/v2"
)

// Problem defines the objectives of a point.
type Problem interface {
	// Evaluate writes the two objectives of x, finite and to be minimized, into f. An individual keeps
	// its slot, below twice the population's size, while it lives. mother and father are the living
	// parents' slots, or -1 for the first population and in [Engine.Refresh].
	Evaluate(f, x []float64, slot, mother, father int)
}

// Settings describe a search.
type Settings struct {
	Variables  int         // each from 0 to 1
	Population int         // at least 2; also the number of reference points
	Initial    [][]float64 // the first individuals, at most Population; the others are uniform
	Seed       uint64
}

// Engine is a population that searches a problem's Pareto front.
type Engine struct {
	problem Problem
	rng     *rand.Rand
	vary    variation
	n, size int
	x       []float64    // 2 size x n
	f       [][2]float64 // of 2 size
	living  []int
	free    []int
	scale   normalizer
	niches  niches
}

// New draws and evaluates the first population.
func New(problem Problem, s Settings) *Engine {
	rng := rand.New(rand.NewPCG(s.Seed, 0x6e736761)) // any fixed stream
	n, size := s.Variables, s.Population
	e := &Engine{
		problem: problem, rng: rng, n: n, size: size,
		vary: variation{rng, math.Log1p(-1 / float64(n))},
		x:    make([]float64, 2*size*n), f: make([][2]float64, 2*size),
		living: make([]int, size), free: make([]int, size),
		niches: newNiches(size),
	}
	for k := range size {
		e.living[k], e.free[k] = k, size+k
		x := e.X(k)
		if k < len(s.Initial) {
			copy(x, s.Initial[k])
		} else {
			for j := range x {
				x[j] = rng.Float64()
			}
		}
	}
	e.Refresh()
	return e
}

// Step creates as many children as individuals and keeps the better half of both.
func (e *Engine) Step() {
	// With an odd number the last one is paired with the first.
	e.rng.Shuffle(e.size, func(i, j int) { e.living[i], e.living[j] = e.living[j], e.living[i] })
	for k := 0; k < e.size; k += 2 {
		mother, father := e.pair(k)
		first, second := e.X(e.free[k]), []float64(nil)
		if k+1 < e.size {
			second = e.X(e.free[k+1])
		}
		e.vary.cross(first, second, e.X(mother), e.X(father))
		e.vary.mutate(first)
		if second != nil {
			e.vary.mutate(second)
		}
	}
	for k, slot := range e.free {
		mother, father := e.pair(k &^ 1)
		e.problem.Evaluate(e.F(slot), e.X(slot), slot, mother, father)
	}
	e.survive()
}

func (e *Engine) pair(k int) (mother, father int) {
	return e.living[k], e.living[(k+1)%e.size]
}

// survive keeps the best fronts, and of the first that does not fit those that the niches need.
func (e *Engine) survive() {
	ranked, ends := sorted(e.f)
	kept, last := 0, 0
	for k := 0; last < e.size; k++ {
		kept, last = last, ends[k]
	}
	for _, slot := range e.free {
		e.scale.lower(e.F(slot))
	}
	if last > e.size {
		unit := e.scale.apply(e.f, ranked[:last], ends[0])
		e.niches.choose(unit, ranked[:last], kept, e.size, e.rng)
	}
	copy(e.living, ranked[:e.size])
	copy(e.free, ranked[e.size:])
}

// Refresh evaluates the population after a change of the objectives and resets the ideal point.
func (e *Engine) Refresh() {
	e.scale.reset()
	for _, slot := range e.living {
		e.problem.Evaluate(e.F(slot), e.X(slot), slot, -1, -1)
		e.scale.lower(e.F(slot))
	}
}

// Living returns the slots of the population, until the next step.
func (e *Engine) Living() []int { return e.living }

// X returns the point of a slot, owned by the engine.
func (e *Engine) X(slot int) []float64 { return e.x[slot*e.n : (slot+1)*e.n : (slot+1)*e.n] }

// F returns the objectives of a slot, owned by the engine.
func (e *Engine) F(slot int) []float64 { return e.f[slot][:] }
