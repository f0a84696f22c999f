// Package activeset solves quadratic programs in a box,
//
//	min ½βᵀKβ - yᵀβ   subject to   low <= β <= high and, if requested, 1ᵀβ = 0,
//
// the duals of support vector machines, from a good start. Each box has 0 at one end and extends in
// the direction of y. With the bounded variables fixed the free ones solve
//
//	K_FF β_F + b 1 = y_F - K_FB β_B,   1ᵀβ = 0,
//
// so the task is to find the free set. Block principal pivoting (Júdice and Pires 1994;
// Hintermüller, Ito and Kunisch 2002) exchanges many variables at a time: fast, but it may cycle.
// The feasible active-set method with a ratio test (Scheinberg 2006) exchanges one at a time.
package activeset

import "math"

// Matrix is K.
type Matrix interface {
	Diagonal(i int) float64
	Gather(dst []float64, i int, list []int)
	// Accumulate adds Σ_k coefficient_k K_{list_k} to the watched f, now or in Current.
	Accumulate(f []float64, list []int, coefficient []float64)
	// Evaluate recomputes f = Kβ, now or in Current.
	Evaluate(f, beta []float64)
	// Current makes f current at the given variables, for nil at all watched ones.
	Current(f []float64, at []int)
}

// Options of a [Set].
type Options struct {
	Equality   bool    // 1ᵀβ = 0, with the multiplier b
	Shift      float64 // with Equality, of K by 11ᵀ: about a mean diagonal entry
	Dependence float64 // relative pivot that counts as zero
	Limit      int     // free variables, 0 for none
}

// Set is the state of a solution. At the optimum, with f = Kβ, f_i - y_i + b is >= 0 where β_i can
// only grow, <= 0 where it can only fall, and 0 inside the box.
type Set struct {
	Options
	Box
	F []float64
	B float64

	// Watch are the variables that take part. The others are fixed, and their F unknown.
	Watch []int
	// Held is the β in a matrix's constant term, Rest the constant part of 1ᵀβ, see Lazily.
	Held []float64
	Rest float64
	// Noise bounds the rounding error of F_i, if not nil.
	Noise func(i int) float64

	changes
	updates int
	matrix  Matrix
	factor  *factor
	step    []float64

	box   func(i int) float64
	boxed []bool
	moved []int
}

// New returns a set of variables, all watched, at 0 in boxes of width 0.
func New(m Matrix, y []float64, o Options) *Set {
	n := len(y)
	f := func() []float64 { return make([]float64, n) }
	if !o.Equality {
		o.Shift = 0
	}
	s := &Set{
		Options: o, Box: Box{Y: y, Low: f(), High: f(), Beta: f(), Place: make([]Place, n)}, F: f(), Watch: make([]int, n),
		matrix: m, factor: newFactor(m, n, o), step: f(), changes: changes{make([]int, 0, n), make([]float64, 0, n)},
	}
	for i := range s.Watch {
		s.Watch[i], s.Place[i] = i, s.Zero(i)
	}
	return s
}

func (s *Set) Free() []int { return s.factor.members }

// Renew makes the next Solve factorize from scratch.
func (s *Set) Renew() { s.factor.clear() }

// Move sets β_i to value and records the change for the next Apply.
func (s *Set) Move(i int, value float64) {
	if value != s.Beta[i] {
		s.note(i, value-s.Beta[i])
		s.Beta[i] = value
	}
}

// shift changes β_i by a step, clipped to the box. With Lazily F changes by the unrounded step.
func (s *Set) shift(i int, step float64) {
	value := s.Beta[i] + step
	if s.box == nil || value <= s.Low[i] || value >= s.High[i] {
		s.Move(i, s.clip(i, value))
		return
	}
	s.note(i, step)
	s.Beta[i] = value
}

// Apply updates F by the recorded changes.
func (s *Set) Apply() {
	if len(s.list) > 0 {
		s.matrix.Accumulate(s.F, s.list, s.coef)
		s.updates++
		s.Begin()
	}
}

func (s *Set) Evaluate() {
	s.matrix.Evaluate(s.F, s.Beta)
	s.Begin()
	s.updates = 0
}

// Updates counts the sums added to F since it was recomputed.
func (s *Set) Updates() int { return s.updates }

// Bound sets the width u of box i. A variable at a bound moves with it; a free one is clipped but
// stays free.
func (s *Set) Bound(i int, u float64) {
	s.Low[i], s.High[i] = min(0, s.Y[i]*u), max(0, s.Y[i]*u)
	if u == 0 && s.Place[i] == Inside { // free without room
		s.Place[i] = s.Zero(i)
	}
	switch s.Place[i] {
	case AtHigh:
		s.Move(i, s.High[i])
	case AtLow:
		s.Move(i, s.Low[i])
	default:
		s.Move(i, s.clip(i, s.Beta[i]))
	}
}

// Lazily begins a solution that requests the widths of boxes: now for the free variables, later for
// those that violate their conditions. A matrix includes the others' β, Held, in its constant term.
func (s *Set) Lazily(box func(i int) float64, rest float64) {
	if s.Held == nil {
		s.Held, s.boxed = make([]float64, len(s.Y)), make([]bool, len(s.Y))
	}
	for _, i := range s.moved {
		s.boxed[i] = false
	}
	s.box, s.Rest, s.moved = box, rest, s.moved[:0]
	for _, i := range s.Watch {
		if s.Place[i] == Inside {
			s.need(i)
		}
	}
	s.Begin()
}

// Moved returns the variables that may differ from Held.
func (s *Set) Moved() []int {
	if s.box == nil {
		return s.Watch
	}
	return s.moved
}

func (s *Set) need(i int) {
	if s.box == nil || s.boxed[i] {
		return
	}
	noted := len(s.list)
	s.Bound(i, s.box(i))
	s.list, s.coef = s.list[:noted], s.coef[:noted]
	s.boxed[i], s.moved = true, append(s.moved, i)
	s.Held[i] = s.Beta[i]
	if s.Place[i] == Inside {
		s.Held[i] = 0
	}
}

func (s *Set) needAll() {
	for _, i := range s.Watch {
		s.need(i)
	}
}

func (s *Set) ToBound(i int, sign float64) { s.Move(i, s.bound(i, sign)) }

func (s *Set) excess() (sum, size float64) {
	if s.box == nil {
		for _, v := range s.Beta {
			sum += v
			size += math.Abs(v)
		}
		return sum, size
	}
	sum, size = s.Rest, math.Abs(s.Rest)
	for _, i := range s.moved {
		v := s.Beta[i] - s.Held[i]
		sum += v
		size += math.Abs(v)
	}
	return sum, size
}

// Unbalanced is 1ᵀβ relative to its terms; 0 without Equality.
func (s *Set) Unbalanced() float64 {
	sum, size := s.excess()
	if !s.Equality || size == 0 {
		return 0
	}
	return math.Abs(sum) / size
}

// Balance restores 1ᵀβ = 0 as far as there is room: by the free variables in proportion to their
// room, then by those at bounds.
func (s *Set) Balance() {
	const rounding = 1e-15
	if s.Unbalanced() <= rounding {
		return
	}
	s.needAll()
	excess, _ := s.excess()
	sign := -math.Copysign(1, excess)
	total := 0.0
	for _, i := range s.factor.members {
		total += s.room(i, sign)
	}
	share := 0.0
	if total > 0 {
		share = min(1, math.Abs(excess)/total)
	}
	s.Begin()
	for _, i := range s.factor.members {
		s.Move(i, s.Beta[i]+sign*share*s.room(i, sign))
		s.Settle(i)
	}
	left := math.Abs(excess) - share*total
	for k := 0; k < len(s.Watch) && left > rounding*math.Abs(excess); k++ {
		i := s.Watch[k]
		if r := min(s.room(i, sign), left); r > 0 {
			s.Move(i, s.Beta[i]+sign*r)
			s.Settle(i)
			left -= r
		}
	}
	s.Apply()
}

// Violation is y_i - f_i - b if β_i can move in its direction, else 0.
func (s *Set) Violation(i int) float64 {
	v := s.Y[i] - s.F[i] - s.B
	if v > 0 && s.Beta[i] < s.High[i] || v < 0 && s.Beta[i] > s.Low[i] {
		return v
	}
	return 0
}

func (s *Set) breaks(i int, tolerance float64) float64 {
	v := s.Y[i] - s.F[i] - s.B
	if math.Abs(v) <= tolerance || s.Place[i] == Inside || (v > 0) != (s.Place[i] == AtLow) {
		return 0
	}
	beyond := s.excused(i, v)
	if !(beyond > tolerance) {
		return 0
	}
	if s.need(i); s.High[i] == s.Low[i] {
		return 0
	}
	return beyond
}

func (s *Set) excused(i int, v float64) float64 {
	if s.Noise == nil {
		return math.Abs(v)
	}
	return math.Abs(v) - s.Noise(i)
}

// Loose reports that no variable inside its box determines b, and moves those that are there by
// rounding alone to their bounds.
func (s *Set) Loose() bool {
	const rounding = 1e-14
	_, size := s.excess()
	near := func(i int, bound float64) bool {
		return s.Place[i] != Inside || math.Abs(s.Beta[i]-bound) <= rounding*min(size, s.High[i]-s.Low[i])
	}
	for _, i := range s.factor.members {
		if !near(i, s.Low[i]) && !near(i, s.High[i]) {
			return false
		}
	}
	for _, i := range s.factor.members {
		if s.Place[i] == Inside {
			s.Beta[i] = s.bound(i, s.Beta[i]-0.5*(s.Low[i]+s.High[i]))
		}
	}
	return true
}

// Multiplier sets b to the mean over the free variables, else to the midpoint or the only end of
// the feasible interval, if any.
func (s *Set) Multiplier() {
	if !s.Equality {
		s.B = 0
		return
	}
	s.Loose()
	s.needAll()
	s.matrix.Current(s.F, nil)
	lowest, highest := math.Inf(-1), math.Inf(1)
	first, off, free := 0.0, 0.0, 0 // relative to the first, as a sum of many equal numbers rounds
	for _, i := range s.Watch {
		rest := s.Y[i] - s.F[i]
		if s.Beta[i] < s.High[i] {
			lowest = max(lowest, rest)
		}
		if s.Beta[i] > s.Low[i] {
			highest = min(highest, rest)
		}
		if s.Place[i] == Inside {
			if free == 0 {
				first = rest
			}
			off += rest - first
			free++
		}
	}
	switch {
	case free > 0:
		s.B = first + off/float64(free)
	case math.IsInf(lowest, -1) && math.IsInf(highest, 1):
	case math.IsInf(lowest, -1):
		s.B = highest
	case math.IsInf(highest, 1):
		s.B = lowest
	default:
		s.B = lowest + (highest-lowest)/2
	}
}
