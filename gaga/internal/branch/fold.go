package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// turn predicts folds. Towards a fold at the age λ* the branch behaves like θ* + v √(λ* - λ): its
// rate grows without bound, so steps along tangents need dozens of corrections. But 1/‖dθ/dλ‖²
// falls linearly to zero, so two points determine λ* and the course of the branch.
type turn struct {
	since float64
	at    float64 // age of the fold; 0 if not expected
	first float64
	sure  bool // two estimates agree
}

func speed(s *model.State, pt *model.Point) float64 {
	var sum float64
	for r, j := range s.Active {
		sum += s.Diag[r] * pt.Rate[j] * pt.Rate[j]
	}
	return sum
}

func (t *turn) expect(s *model.State, from, to *model.Point) {
	before, after, last := speed(s, from), speed(s, to), *t
	*t = turn{}
	h := to.Age - from.Age
	if !(before > 0 && after > tolerance.FoldGrowth*before && h > 0) {
		return
	}
	next := turn{since: to.Age, at: to.Age + h*before/(after-before), first: before}
	if last.since == from.Age {
		next.first = last.first
		next.sure = math.Abs(next.at-last.at) <= tolerance.Agreement*(last.at-from.Age)
	}
	if next.at-to.Age < tolerance.Roundoff*to.Age && after < tolerance.FoldSpeed*next.first {
		return
	}
	*t = next
}

func (t *turn) room(age float64) float64 {
	if !t.sure || t.since != age {
		return math.Inf(1)
	}
	return t.at - age
}

func (t *turn) bent(age, h float64) float64 {
	room := t.room(age)
	if !(h > 0) || math.IsInf(room, 1) {
		return h
	}
	return 2 * room * (1 - math.Sqrt(1-math.Min(h/room, tolerance.FoldStep)))
}
