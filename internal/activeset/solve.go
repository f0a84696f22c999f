package activeset

import (
	"context"
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// Limits say when [Set.Solve] ends.
type Limits struct {
	Exchanges     int     // of the free set, approximately
	Bounded, Free float64 // violations at bounds and inside the box that count as rounding
	Single        bool    // one exchange at a time; with 1ᵀβ = 0 at least one free variable
}

type search struct {
	*Set
	Limits
}

// Solve finds the optimum from the current places and F: by many exchanges at a time, and if that
// fails, one by one. arrived reports that all conditions hold.
func (s *Set) Solve(ctx context.Context, l Limits) (exchanges int, arrived bool, err error) {
	if !s.Align() {
		return 0, false, nil
	}
	run := search{s, l}
	if !l.Single {
		exchanges, arrived, err = run.pivot(ctx)
		if arrived || err != nil {
			return exchanges, arrived, err
		}
		s.Balance() // single steps keep the balance
		if !s.Align() {
			return exchanges, false, nil
		}
	}
	run.Exchanges = max(0, l.Exchanges-exchanges)
	more, arrived, err := run.descend(ctx)
	const few = 16
	if !l.Single || s.updates > few { // many small sums accumulate rounding
		s.Evaluate()
		s.refine(l.Free)
	}
	return exchanges + more, arrived, err
}

// Align updates the factor to the free variables. Variables that depend on the others (duplicates,
// a linear kernel's rank) slide along the null direction until one meets a bound. It returns false
// if the factor is full.
func (s *Set) Align() bool {
	const renewal = 500 // changes, in addition to one per member, before a new factor
	if s.factor.changes > renewal+len(s.factor.members) {
		s.factor.clear()
	}
	s.dropOutside()
	defer s.follow(s.remember())
	for _, i := range s.Watch {
		if s.Place[i] == Inside && !s.factor.has[i] && !s.admit(i) {
			return false
		}
	}
	return true
}

// remember saves β, and follow updates F by the changes since. Slides leave F the same up to
// rounding; a crowd at the margin takes thousands. Both use step.
func (s *Set) remember() []float64 {
	for _, i := range s.Moved() {
		s.step[i] = s.Beta[i]
	}
	return s.step
}

func (s *Set) follow(before []float64) {
	s.Begin()
	for _, i := range s.Moved() {
		if v := s.Beta[i]; v != before[i] {
			s.note(i, v-before[i])
		}
	}
	s.Apply()
}

func (s *Set) dropOutside() {
	for k, member := range slices.Backward(s.factor.members) {
		if s.Place[member] != Inside {
			s.factor.remove(k)
		}
	}
}

func (s *Set) enter(i int) bool {
	if s.Place[i] = Inside; s.factor.extend(i) {
		return true
	}
	defer s.follow(s.remember())
	return s.slideIn(i)
}

func (s *Set) admit(i int) bool {
	s.Place[i] = Inside
	return s.factor.extend(i) || s.slideIn(i)
}

// slideIn admits a variable that the factor just refused: members that it depends on leave, or it
// reaches a bound.
func (s *Set) slideIn(i int) bool {
	s.matrix.Current(s.F, nil)
	for {
		if s.factor.Full() {
			s.Settle(i)
			return false
		}
		if s.slide(i); s.Place[i] != Inside || s.factor.extend(i) {
			return true
		}
	}
}

// slide moves the refused β_i downhill along n with Kn = 0 and 1ᵀn = 0, until it or a member meets
// a bound; that member leaves.
func (s *Set) slide(i int) {
	members := s.factor.members
	n := s.factor.column[:len(members)]
	s.factor.Backward(n)
	slope := s.F[i] - s.Y[i]
	for k, j := range members {
		n[k] = -n[k]
		slope += n[k] * (s.F[j] - s.Y[j])
	}
	sign := -math.Copysign(1, slope)
	blocker, length := -1, s.room(i, sign)
	for k, j := range members {
		if v := sign * n[k]; v != 0 {
			if l := s.room(j, v) / math.Abs(v); l < length {
				blocker, length = k, l
			}
		}
	}
	for k, j := range members {
		if k == blocker {
			s.Beta[j] = s.bound(j, sign*n[k])
		} else {
			s.Beta[j] = s.clip(j, s.Beta[j]+sign*length*n[k])
		}
	}
	if blocker < 0 {
		s.Beta[i] = s.bound(i, sign)
		return
	}
	s.Beta[i] = s.clip(i, s.Beta[i]+sign*length)
	s.factor.remove(blocker)
}

// newton returns the members' step to the minimum with 1ᵀβ = 0, and moves b. It solves for the
// remainder, to which rounding is then relative.
func (s *Set) newton() []float64 {
	step := s.step[:len(s.factor.members)]
	s.matrix.Current(s.F, s.factor.members)
	for k, i := range s.factor.members {
		step[k] = s.Y[i] - s.F[i] - s.B
	}
	s.factor.Forward(step)
	if ones := s.factor.ones; s.Equality && len(step) > 0 {
		excess, _ := s.excess()
		change := (kernel.Dot(ones, step) + excess) / kernel.Dot(ones, ones)
		kernel.Axpy(-change, ones, step)
		s.B += change - s.factor.shift*excess
	}
	s.factor.Backward(step)
	return step
}

// refine repeats Newton's step, cut at the box, until the members' conditions hold to tolerance and
// 1ᵀβ = 0 to rounding, or stop improving.
func (s *Set) refine(tolerance float64) {
	const most, balanced = 4, 1e-14
	before := math.Inf(1)
	for range most {
		worst := 0.0
		s.matrix.Current(s.F, s.factor.members)
		for _, i := range s.factor.members {
			worst = max(worst, s.excused(i, s.Y[i]-s.F[i]-s.B))
		}
		if (worst <= tolerance || worst > before/2) && s.Unbalanced() <= balanced {
			return
		}
		before = worst
		step := s.newton()
		s.Begin()
		for k, i := range s.factor.members {
			s.shift(i, step[k])
		}
		s.Apply()
	}
}

// pivot exchanges all violating variables at once, while their number falls, without 1ᵀβ = 0 on the
// way.
func (s *search) pivot(ctx context.Context) (exchanges int, arrived bool, err error) {
	const patience = 3
	fewest, left := math.MaxInt, patience
	for exchanges < s.Exchanges {
		if err := ctx.Err(); err != nil {
			return exchanges, false, err
		}
		if s.Equality && len(s.factor.members) == 0 {
			break
		}
		if out := s.project(); out > 0 {
			exchanges += out
			continue
		}
		s.refine(s.Limits.Free)
		broken, stuck := s.exchange()
		exchanges += broken
		if broken == 0 {
			return exchanges, true, nil
		}
		if broken < fewest {
			fewest, left = broken, patience
		} else {
			left--
		}
		if stuck || left < 0 {
			break
		}
	}
	return exchanges, false, nil
}

// project moves the members to the minimum and returns how many left at a bound.
func (s *search) project() int {
	step := s.newton()
	out := 0
	s.Begin()
	for k, i := range s.factor.members {
		if value := s.Beta[i] + step[k]; value > s.Low[i] && value < s.High[i] {
			s.shift(i, step[k])
		} else {
			s.ToBound(i, step[k])
			out++
		}
	}
	s.Apply()
	if out > 0 {
		s.dropOutside()
	}
	return out
}

// exchange moves violating bounded variables: to the other bound if even the step with the largest
// curvature, K_ii, reaches it, else into the free set. stuck: one could not enter.
func (s *search) exchange() (broken int, stuck bool) {
	s.Begin()
	s.matrix.Current(s.F, nil)
	entering := 0
	for _, i := range s.Watch {
		if s.breaks(i, s.Bounded) == 0 {
			continue
		}
		v := s.Y[i] - s.F[i] - s.B
		broken++
		if math.Abs(v) >= (s.High[i]-s.Low[i])*s.matrix.Diagonal(i) {
			s.ToBound(i, v)
		} else {
			s.Place[i] = Inside
			entering++
		}
	}
	s.Apply()
	for k := 0; k < len(s.Watch) && entering > 0; k++ {
		i := s.Watch[k]
		if s.Place[i] != Inside || s.factor.has[i] {
			continue
		}
		entering--
		if !s.factor.extend(i) {
			s.Settle(i)
			stuck = true
		}
	}
	return broken, stuck
}

// descend is the active-set method from a feasible β. It gives up if the factor is full or after
// many steps of length 0.
func (s *search) descend(ctx context.Context) (exchanges int, arrived bool, err error) {
	idle := 0
	for exchanges := range s.Exchanges {
		if err := ctx.Err(); err != nil {
			return exchanges, false, err
		}
		if s.Single && s.Equality && len(s.factor.members) == 0 && !s.fill() {
			return exchanges, false, nil
		}
		if blocker, length := s.advance(); blocker >= 0 {
			s.factor.remove(blocker)
			if idle++; length > 0 {
				idle = 0
			}
			continue
		}
		s.refine(s.Limits.Free)
		if len(s.factor.members) == 0 {
			s.Multiplier()
		}
		entering := s.worst()
		if entering < 0 {
			return exchanges, true, nil
		}
		if idle > 10+2*len(s.factor.members) || !s.enter(entering) {
			return exchanges, false, nil
		}
	}
	return s.Exchanges, false, nil
}

// fill frees a variable if none is free and nothing determines b: the first whose gradient vanishes
// as b moves to where 1ᵀβ is right, or the one furthest beyond.
func (s *search) fill() bool {
	s.matrix.Current(s.F, nil)
	excess, _ := s.excess()
	up, from := 1.0, AtLow
	if excess > 0 {
		up, from = -1, AtHigh
	}
	first, at := -1, math.Inf(-1)
	for _, i := range s.Watch {
		if b := up * (s.Y[i] - s.F[i]); b > at && s.Place[i] == from {
			if s.need(i); s.High[i] > s.Low[i] {
				first, at = i, b
			}
		}
	}
	return first >= 0 && s.enter(first)
}

func (s *search) worst() int {
	worst, tolerance := -1, s.Bounded
	s.matrix.Current(s.F, nil)
	for _, i := range s.Watch {
		if beyond := s.breaks(i, tolerance); beyond > tolerance {
			worst, tolerance = i, beyond
		}
	}
	return worst
}

// advance takes Newton's step as far as the box allows, to the position blocker of a member, or -1.
func (s *search) advance() (blocker int, length float64) {
	step := s.newton()
	blocker, length = -1, 1
	for k, i := range s.factor.members {
		if v := step[k]; v != 0 {
			if l := s.room(i, v) / math.Abs(v); l < length {
				blocker, length = k, l
			}
		}
	}
	s.Begin()
	for k, i := range s.factor.members {
		if k == blocker {
			s.ToBound(i, step[k])
		} else {
			s.shift(i, length*step[k])
		}
	}
	s.Apply()
	return blocker, length
}
