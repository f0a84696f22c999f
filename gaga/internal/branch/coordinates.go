package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/cubic"
	"github.com/agepath/agepath/internal/kernel"
)

type coordinates struct {
	*model.State
	memory
	condition *condition.Primal
	terms     sums.Activations
	hidden    []bool // collinear with the active ones
	row       []float64
}

func newCoordinates(c *condition.Primal, terms sums.Activations) *coordinates {
	s := c.State()
	return &coordinates{State: s, condition: c, terms: terms, hidden: make([]bool, s.P), row: make([]float64, s.P)}
}

func (s *coordinates) search(l *look) {
	var largest float64
	for _, w := range l.left.Theta {
		largest = math.Max(largest, math.Abs(w))
	}
	for j, l1 := range s.L1 {
		switch {
		case l1 == 0 || s.hidden[j]:
		case s.Sign[j] != 0:
			slack := tolerance.Roundoff*math.Abs(l.left.Theta[j]) + tolerance.Unit*largest
			s.consider(l, model.Crossing{Cause: model.Dropped, Index: j}, slack, largest)
		default:
			s.consider(l, model.Crossing{Cause: model.Activated, Index: j, Sign: 1}, tolerance.Roundoff*l1, l1)
			s.consider(l, model.Crossing{Cause: model.Activated, Index: j, Sign: -1}, tolerance.Roundoff*l1, l1)
		}
	}
}

func (s *coordinates) consider(l *look, x model.Crossing, slack, size float64) {
	f := function{left: s.at(l.left, x), slack: slack, size: size}
	if l.right != nil {
		f.right = s.at(l.right, x)
	}
	l.consider(s, x, f)
}

func (s *coordinates) at(pt *model.Point, x model.Crossing) cubic.End {
	j := x.Index
	if x.Cause == model.Dropped {
		return cubic.End{Value: s.Sign[j] * pt.Theta[j], Rate: s.Sign[j] * pt.Rate[j]}
	}
	return cubic.End{Value: s.L1[j] + x.Sign*pt.Grad[j], Rate: x.Sign * pt.DGrad[j]}
}

func (s *coordinates) gradient(g []float64, left, pt *model.Point, x model.Crossing) (value, size, dage float64) {
	j := x.Index
	if x.Cause == model.Dropped {
		clear(g)
		for r, active := range s.Active {
			if active == j {
				g[r] = s.Sign[j]
			}
		}
		size = math.Abs(left.Theta[j]) + math.Abs(left.Rate[j])*(pt.Age-left.Age)
		return s.Sign[j] * pt.Theta[j], size, 0
	}
	s.condition.Border(g, j)
	kernel.ScaleTo(g, x.Sign, g)
	grad, rate, magnitude := s.terms.Coordinate(j)
	return s.L1[j] + x.Sign*grad, s.L1[j] + magnitude, x.Sign * rate
}

// test returns the Schur complement in H of a coordinate that becomes active. It hides collinear
// ones.
func (s *coordinates) test(_ *model.Point, x model.Crossing) (scalar float64, ok bool) {
	if x.Cause == model.Dropped {
		return 1, true
	}
	g := s.row[:len(s.Active)]
	diagonal, magnitude := s.condition.Border(g, x.Index)
	schur := diagonal - s.condition.Quadratic(g)
	if math.Abs(schur) <= tolerance.Negligible*magnitude && s.collinear(x.Index) {
		s.hidden[x.Index] = true
		return 0, false
	}
	return schur / magnitude, true
}

// collinear reports whether inactive coordinate j is a combination of the active ones on the
// samples of positive weight: its gradient then stays at the L1 weight and it adds nothing to the
// fit. Its Schur complement is then 0; the converse does not hold, as H has negative terms.
func (s *coordinates) collinear(j int) bool {
	k := len(s.Active)
	z, ok := condition.NullVector(s.condition, append(append(make([]int, 0, k+1), s.Active...), j))
	return ok && z[k] != 0
}

// changed shows hidden coordinates if a change may break the collinearity.
func (s *coordinates) changed(x model.Crossing, age float64) {
	s.memory.changed(x, age)
	if x.Cause != model.SampleUp || s.Frozen {
		clear(s.hidden)
	}
}
