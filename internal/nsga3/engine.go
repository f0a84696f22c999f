package nsga3

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Problem defines the objectives of a point.
type Problem interface {
	// Evaluate writes the objectives of x, finite and to be minimized, into f. An individual keeps
	// its slot, below twice the population's size, while it lives. mother and father are the living
	// parents' slots, or -1 for the first population and in [Engine.Refresh].
	Evaluate(f, x []float64, slot, mother, father int)
}

// Settings describe a search. Fields after Points have defaults.
type Settings struct {
	Variables  int         // each from 0 to 1
	Objectives int         // at least 2
	Points     [][]float64 // reference points on the unit simplex, see [DasDennis]
	Population int         // default: the number of reference points; at least 4
	Initial    [][]float64 // the first individuals; the others are uniform
	Seed       uint64
}

// Times is the time spent so far.
type Times struct {
	Variation  time.Duration
	Evaluation time.Duration
	Sorting    time.Duration
}

// Engine is a population that searches a problem's Pareto front.
type Engine struct {
	Times Times

	problem Problem
	rng     *rand.Rand
	vary    variation
	n, m    int
	size    int
	x       []float64 // 2 size x n
	f       []float64 // 2 size x m
	living  []int
	free    []int
	fronts  *sorter
	scale   normalizer
	niches  niches
}

// New draws and evaluates the first population.
func New(problem Problem, s Settings) (*Engine, error) {
	if err := s.complete(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(s.Seed, 0x6e736761)) // any fixed stream
	n, m, size := s.Variables, s.Objectives, s.Population
	e := &Engine{
		problem: problem, rng: rng, n: n, m: m, size: size,
		vary: newVariation(n, rng),
		x:    make([]float64, 2*size*n), f: make([]float64, 2*size*m),
		living: make([]int, size), free: make([]int, size),
		fronts: newSorter(2*size, m), scale: newNormalizer(2*size, m), niches: newNiches(s.Points, 2*size, rng),
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
	return e, nil
}

func (s *Settings) complete() error {
	if s.Variables < 1 || s.Objectives < 2 {
		return fmt.Errorf("nsga3: %d variables and %d objectives, need at least 1 and 2", s.Variables, s.Objectives)
	}
	if len(s.Points) == 0 {
		return errors.New("nsga3: no reference points")
	}
	for k, point := range s.Points {
		if len(point) != s.Objectives {
			return fmt.Errorf("nsga3: reference point %d has %d coordinates for %d objectives", k, len(point), s.Objectives)
		}
		var sum float64
		for _, w := range point {
			if !(w >= 0 && w <= 1) {
				return fmt.Errorf("nsga3: reference point %d, %v, is not on the unit simplex", k, point)
			}
			sum += w
		}
		if math.Abs(sum-1) > 1e-9 {
			return fmt.Errorf("nsga3: reference point %d, %v, is not on the unit simplex", k, point)
		}
	}
	if s.Population == 0 {
		s.Population = len(s.Points)
	}
	if s.Population < 4 || len(s.Initial) > s.Population {
		return fmt.Errorf("nsga3: a population of %d with %d first individuals, need at least 4 and no more first individuals", s.Population, len(s.Initial))
	}
	for k, x := range s.Initial {
		if len(x) != s.Variables {
			return fmt.Errorf("nsga3: first individual %d has %d variables, need %d", k, len(x), s.Variables)
		}
		for j, v := range x {
			if !(v >= 0 && v <= 1) {
				return fmt.Errorf("nsga3: variable %d of first individual %d is %v, allowed is 0 to 1", j, k, v)
			}
		}
	}
	return nil
}

// Step creates as many children as individuals and keeps the better half of both.
func (e *Engine) Step() {
	begin := time.Now()
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
	varied := time.Now()
	for k, slot := range e.free {
		mother, father := e.pair(k &^ 1)
		e.problem.Evaluate(e.F(slot), e.X(slot), slot, mother, father)
	}
	evaluated := time.Now()
	e.survive()
	e.Times.Variation += varied.Sub(begin)
	e.Times.Evaluation += evaluated.Sub(varied)
	e.Times.Sorting += time.Since(evaluated)
}

func (e *Engine) pair(k int) (mother, father int) {
	return e.living[k], e.living[(k+1)%e.size]
}

// survive keeps the best fronts, and of the first that does not fit those that the niches need.
func (e *Engine) survive() {
	ranked := e.fronts.sort(e.f)
	kept, last := 0, 0
	for k := 0; last < e.size; k++ {
		kept, last = last, e.fronts.ends[k]
	}
	for _, slot := range e.free {
		e.scale.lower(e.F(slot))
	}
	if last > e.size {
		unit := e.scale.apply(e.f, ranked[:last], e.fronts.ends[0])
		e.niches.choose(unit, ranked[:last], kept, e.size)
	}
	copy(e.living, ranked[:e.size])
	copy(e.free, ranked[e.size:])
}

// Refresh evaluates the population after a change of the objectives and resets the ideal point.
func (e *Engine) Refresh() {
	begin := time.Now()
	e.scale.reset()
	for _, slot := range e.living {
		e.problem.Evaluate(e.F(slot), e.X(slot), slot, -1, -1)
		e.scale.lower(e.F(slot))
	}
	e.Times.Evaluation += time.Since(begin)
}

// Living returns the slots of the population, until the next step.
func (e *Engine) Living() []int { return e.living }

// X returns the point of a slot, owned by the engine.
func (e *Engine) X(slot int) []float64 { return e.x[slot*e.n : (slot+1)*e.n : (slot+1)*e.n] }

// F returns the objectives of a slot, owned by the engine.
func (e *Engine) F(slot int) []float64 { return e.f[slot*e.m : (slot+1)*e.m : (slot+1)*e.m] }
