package convex

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// The polish finishes what sequential minimal optimization begins, and from a
// good start replaces it: with the bounded multipliers fixed the free ones
// solve a linear system,
//
//	K_FF β_F + b 1 = y_F - K_FB β_B,   1ᵀβ = 0,
//
// and what remains is to find the right free set. pivot exchanges many samples
// at a time (block principal pivoting: Júdice and Pires 1994; the primal-dual
// active set method of Hintermüller, Ito and Kunisch 2002): fast, but it may
// cycle. descend is the feasible active-set method with a ratio test (for this
// dual: Scheinberg 2006), one exchange at a time.

// polish looks for the optimum from the present free set: by pivot, and by
// descend, up to limit exchanges, where that does not end, unless brief. It
// returns the number of exchanges and whether all conditions hold to
// tolerances(finest).
func (q *dual) polish(ctx context.Context, limit int, finest float64, brief bool) (int, bool, error) {
	if !q.align() {
		return 0, false, nil
	}
	bounded, free := q.tolerances(finest)
	exchanges, arrived, err := q.pivot(ctx, bounded, free, limit)
	if arrived || err != nil || brief {
		return exchanges, arrived, err
	}
	q.balance()
	if !q.align() {
		return exchanges, false, nil
	}
	more, arrived, err := q.descend(ctx, bounded, free, max(0, limit-exchanges))
	// Many small sums are off by their rounding.
	q.evaluate()
	q.refine(free)
	return exchanges + more, arrived, err
}

// tolerances are the violations that the polish lets pass: so small that all
// samples together add 1e-12 to the relative gap, where float64 allows that. The
// free samples' refinement gets down to the resolution, bounded samples to finest
// relative to scale: they must not come and go with the rounding of f, which sums
// many terms. The objective in it is that of the last solution.
func (q *dual) tolerances(finest float64) (bounded, free float64) {
	const gap, coarsest = 1e-12, 2e-13
	bounds := 0.0
	for i, high := range q.high {
		bounds += high - q.low[i]
	}
	if q.objective == 0 {
		q.objective = q.certificate(0).Objective
	}
	enough := gap * q.objective / bounds
	scale := q.scale()
	free = scale * min(coarsest, max(enough/scale, resolution))
	bounded = scale * min(coarsest, max(enough/scale, finest))
	return bounded, free
}

// started reports whether there is anything to start from.
func (q *dual) started() bool {
	for i, at := range q.place {
		if at == inside || q.beta[i] != 0 {
			return true
		}
	}
	return false
}

// align brings the factor's members in line with the free samples. Free samples
// that depend linearly on the others (duplicates, a linear kernel's rank) slide
// along the null direction until one of them meets a bound. It reports false
// where the free samples outgrow the factor's memory.
func (q *dual) align() bool {
	q.dropOutside()
	defer q.follow(q.note())
	for i, at := range q.place {
		if at != inside || q.factor.has[i] {
			continue
		}
		if !q.admit(i) {
			return false
		}
	}
	return true
}

// note keeps β, and follow brings f up to date with what changed since: as K maps the
// directions of slides to zero but for rounding, f is the same for all slides between,
// of which a crowd at the margin takes thousands. Both use step.
func (q *dual) note() []float64 {
	copy(q.step, q.beta)
	return q.step
}

func (q *dual) follow(before []float64) {
	q.begin()
	for i, v := range q.beta {
		if v != before[i] {
			q.add(i, v-before[i])
		}
	}
	q.apply()
}

// dropOutside removes the members that are no longer free: one by one, or by a
// new factorization where they are so many that it is cheaper.
func (q *dual) dropOutside() {
	gone := 0
	for _, i := range q.factor.members {
		if q.place[i] != inside {
			gone++
		}
	}
	if p := q.factor.size(); gone > 2+p/6 {
		q.factor.clear()
		for i, at := range q.place {
			if at == inside {
				q.factor.extend(q.gram, i, q.column)
			}
		}
		return
	}
	for k := q.factor.size() - 1; k >= 0 && gone > 0; k-- {
		if q.place[q.factor.members[k]] != inside {
			q.factor.remove(k)
			gone--
		}
	}
}

// enter makes sample i free. It reports false where the factor is full.
func (q *dual) enter(i int) bool {
	if q.place[i] = inside; q.factor.extend(q.gram, i, q.column) {
		return true
	}
	defer q.follow(q.note())
	return q.slideIn(i)
}

// admit is enter with f left as it was.
func (q *dual) admit(i int) bool {
	q.place[i] = inside
	return q.factor.extend(q.gram, i, q.column) || q.slideIn(i)
}

// slideIn is admit for a sample that the factor has just refused. Members that depend
// on it leave, or it comes to a bound itself.
func (q *dual) slideIn(i int) bool {
	for {
		if q.factor.full() {
			q.settle(i)
			return false
		}
		if q.slide(i); q.place[i] != inside || q.factor.extend(q.gram, i, q.column) {
			return true
		}
	}
}

// slide moves β_i, whose column depends on the members, along the direction n
// with Kn = 0 and 1ᵀn = 0, downhill, until it or a member meets a bound. The
// member leaves. f stays as it was. q.column must hold L⁻¹k of sample i.
func (q *dual) slide(i int) {
	members := q.factor.members
	n := q.column[:len(members)]
	q.factor.backward(n)
	slope := q.f[i] - q.y[i]
	for k, j := range members {
		n[k] = -n[k]
		slope += n[k] * (q.f[j] - q.y[j])
	}
	sign := -math.Copysign(1, slope)
	blocker, length := -1, q.roomTowards(i, sign)
	for k, j := range members {
		if v := sign * n[k]; v != 0 {
			if l := q.roomTowards(j, v) / math.Abs(v); l < length {
				blocker, length = k, l
			}
		}
	}
	for k, j := range members {
		if k == blocker {
			q.beta[j] = q.bound(j, sign*n[k])
		} else {
			q.beta[j] = q.clip(j, q.beta[j]+sign*length*n[k])
		}
	}
	if blocker < 0 {
		q.beta[i] = q.bound(i, sign)
	} else {
		q.beta[i] = q.clip(i, q.beta[i]+sign*length)
	}
	if blocker >= 0 {
		q.factor.remove(blocker)
	}
}

// roomTowards is the distance of β_i to its bound in the direction of sign.
func (q *dual) roomTowards(i int, sign float64) float64 {
	if sign > 0 {
		return q.high[i] - q.beta[i]
	}
	return q.beta[i] - q.low[i]
}

// toBound moves β_i to its bound in the direction of sign.
func (q *dual) toBound(i int, sign float64) { q.move(i, q.bound(i, sign)) }

// bound places sample i at its bound in the direction of sign, which it returns.
func (q *dual) bound(i int, sign float64) float64 {
	if sign > 0 {
		q.place[i] = atHigh
		return q.high[i]
	}
	q.place[i] = atLow
	return q.low[i]
}

func (q *dual) clip(i int, value float64) float64 {
	return max(q.low[i], min(q.high[i], value))
}

// newton writes into q.step the step of the members to the minimum with all
// others fixed and 1ᵀβ = 0, and moves b to its multiplier. It solves for what the
// present β and b leave over, so that rounding is relative to that.
func (q *dual) newton() []float64 {
	step := q.step[:q.factor.size()]
	for k, i := range q.factor.members {
		step[k] = q.y[i] - q.f[i] - q.b
	}
	q.factor.forward(step)
	if q.intercept && len(step) > 0 {
		excess := kernel.Sum(q.beta)
		ones := vector(q.factor.ones)
		change := (blas64.Dot(ones, vector(step)) + excess) / blas64.Dot(ones, ones)
		blas64.Axpy(-change, ones, vector(step))
		q.b += change - q.factor.shift*excess
	}
	q.factor.backward(step)
	return step
}

// refine repeats Newton's step until the members' conditions hold to tolerance
// and 1ᵀβ = 0 to rounding, or no longer come closer; steps that leave the box
// are cut off at it.
func (q *dual) refine(tolerance float64) {
	const most = 4
	before := math.Inf(1)
	for range most {
		worst := 0.0
		for _, i := range q.factor.members {
			worst = max(worst, math.Abs(q.y[i]-q.f[i]-q.b))
		}
		if (worst <= tolerance || worst > before/2) && q.balanced() {
			return
		}
		before = worst
		step := q.newton()
		q.begin()
		for k, i := range q.factor.members {
			q.move(i, q.clip(i, q.beta[i]+step[k]))
		}
		q.apply()
	}
}

// balanced reports whether 1ᵀβ = 0 to rounding, where it has to be.
func (q *dual) balanced() bool {
	return !q.intercept || math.Abs(kernel.Sum(q.beta)) <= 1e-14*absoluteSum(q.beta)
}

// pivot looks for the optimum by exchanging all samples that break a condition
// at once, for as long as their number falls. It keeps the box but not
// 1ᵀβ = 0 on the way. It returns the number of exchanges, not many more than
// limit, and whether the optimality conditions hold to the tolerances.
func (q *dual) pivot(ctx context.Context, bounded, free float64, limit int) (int, bool, error) {
	const patience = 3
	exchanges, fewest, left := 0, math.MaxInt, patience
	for exchanges < limit {
		if err := ctx.Err(); err != nil {
			return exchanges, false, err
		}
		if q.intercept && q.factor.size() == 0 {
			break
		}
		if out := q.project(); out > 0 {
			exchanges += out
			continue
		}
		q.refine(free)
		broken, stuck := q.exchange(bounded)
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

// project moves the members to the minimum with the others fixed. Those that it
// takes out of their box stay at the bound and leave; it returns their number.
func (q *dual) project() int {
	step := q.newton()
	out := 0
	q.begin()
	for k, i := range q.factor.members {
		if value := q.beta[i] + step[k]; value > q.low[i] && value < q.high[i] {
			q.move(i, value)
		} else {
			q.toBound(i, step[k])
			out++
		}
	}
	q.apply()
	if out > 0 {
		q.dropOutside()
	}
	return out
}

// exchange moves every bounded sample that breaks its condition: to the other
// bound where even the step with the largest possible curvature, k(x_i, x_i),
// goes there, else into the free set. It returns their number and whether one
// of them could not enter.
func (q *dual) exchange(tolerance float64) (broken int, stuck bool) {
	q.begin()
	entering := 0
	for i, at := range q.place {
		if at == inside {
			continue
		}
		v := q.violation(i)
		if math.Abs(v) <= tolerance {
			continue
		}
		broken++
		if math.Abs(v) >= (q.high[i]-q.low[i])*q.gram.diagonal[i] {
			q.toBound(i, v)
		} else {
			q.place[i] = inside
			entering++
		}
	}
	q.apply()
	for i := 0; i < len(q.place) && entering > 0; i++ {
		if q.place[i] != inside || q.factor.has[i] {
			continue
		}
		entering--
		if !q.factor.extend(q.gram, i, q.column) {
			q.settle(i)
			stuck = true
		}
	}
	return broken, stuck
}

// descend finds the optimum from a feasible β by the active-set method: to the
// minimum with the bounded multipliers fixed or, where a bound comes first, to
// that bound, whose multiplier leaves the free set; at the minimum the sample
// that breaks its condition most enters. It returns the number of exchanges and
// whether the optimality conditions hold to the tolerances. It gives up after
// limit exchanges, where the factor is full, and after many steps in a row
// without length.
func (q *dual) descend(ctx context.Context, bounded, free float64, limit int) (int, bool, error) {
	idle := 0
	for exchanges := range limit {
		if err := ctx.Err(); err != nil {
			return exchanges, false, err
		}
		if blocker, length := q.advance(); blocker >= 0 {
			q.factor.remove(blocker)
			if idle++; length > 0 {
				idle = 0
			}
			continue
		}
		q.refine(free)
		if q.factor.size() == 0 {
			q.bias()
		}
		entering := q.worst(bounded)
		if entering < 0 {
			return exchanges, true, nil
		}
		if idle > 10+2*q.factor.size() || !q.enter(entering) {
			return exchanges, false, nil
		}
	}
	return limit, false, nil
}

// worst is the bounded sample that breaks its condition most, -1 where none does
// by more than tolerance.
func (q *dual) worst(tolerance float64) int {
	worst := -1
	for i, at := range q.place {
		if at == inside {
			continue
		}
		if v := math.Abs(q.violation(i)); v > tolerance {
			worst, tolerance = i, v
		}
	}
	return worst
}

// advance takes Newton's step as far as the box allows and returns the position
// of the member that meets a bound, -1 where none does, and the part of the step
// that was taken.
func (q *dual) advance() (blocker int, length float64) {
	step := q.newton()
	blocker, length = -1, 1
	for k, i := range q.factor.members {
		if v := step[k]; v != 0 {
			if l := q.roomTowards(i, v) / math.Abs(v); l < length {
				blocker, length = k, l
			}
		}
	}
	q.begin()
	for k, i := range q.factor.members {
		if k == blocker {
			q.toBound(i, step[k])
		} else {
			q.move(i, q.clip(i, q.beta[i]+length*step[k]))
		}
	}
	q.apply()
	return blocker, length
}
