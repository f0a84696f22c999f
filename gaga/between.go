package gaga

import (
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/convex"
)

// follower returns a tracker that evaluates the path between its knots: one that a call
// of [Path.At] has left, or a new one.
func (p *Path) follower() *tracker {
	if t, ok := p.followers.Get().(*tracker); ok {
		return t
	}
	if p.problem.Kernel != nil {
		rows := convex.NewKernelRows(p.problem.X, p.problem.Kernel, p.problem.Intercept, 0)
		return newFollower(p.problem, newKerneled(p.problem, rows).system, nil)
	}
	t := newFollower(p.problem, nil, newPlain(p.problem, p.design()))
	if p.sweeps {
		t.sweep = newSweep(t)
	}
	return t
}

// design returns the rows over the unknowns that the path keeps, see [tracker.own].
func (p *Path) design() []float64 { return p.problem.X.Data }

// between solves for the path's point at an age between two neighbouring
// knots of one piece: it follows the branch from the nearer one, so that it
// cannot end on another; where the branch hardly is one there, as beside a
// branching, from the other.
func (t *tracker) between(p *Path, left, right *Knot, age float64) ([]float64, error) {
	ends := [2]*Knot{left, right}
	if right.Age-age < age-left.Age {
		ends = [2]*Knot{right, left}
	}
	for _, end := range ends {
		t.restore(&p.pieces[left.piece], left.change)
		if t.follow(end, age) {
			return t.settled(t.left.theta), nil
		}
	}
	return nil, fmt.Errorf("gaga: no convergence at age %v between the knots at %v and %v", age, left.Age, right.Age)
}

// follow makes the left point the one at an age on the branch through a knot,
// ahead or behind, on the current zones and active coordinates.
func (t *tracker) follow(from *Knot, age float64) bool {
	pt := t.left
	pt.age = from.Age
	copy(pt.theta, from.Theta[:t.p])
	if !t.dualInTheta {
		clear(pt.dual) // the equations are linear in them
	}
	t.level(pt)
	if !t.stand() {
		return false
	}
	for t.left.age != age {
		h := age - t.left.age
		for !t.reach(t.left.age + h) {
			if h *= 0.5; math.Abs(h) < smallest*age {
				return false
			}
		}
		t.left, t.right = t.right, t.left
	}
	return true
}

// level takes the least scale of the residual from the point that a follower begins at.
func (t *tracker) level(pt *point) {
	t.fold = fold{}
	t.predictAll(t.scores, pt.theta)
	t.setFloor(t.scores)
}

// glide solves for the point of a sweep's path at an age between two
// neighbouring knots of one piece: in steps over turning points from the left
// one, or where none can be made, as close to a jump, on its zones.
func (t *tracker) glide(p *Path, left, right *Knot, age float64) ([]float64, error) {
	t.restore(&p.pieces[left.piece], left.change)
	t.sweep.held = false
	pt := t.left
	pt.age = left.Age
	copy(pt.theta, left.Theta[:t.p])
	t.level(pt)
	t.predict(pt.u, pt.theta)
	t.assemble(pt)
	if t.factorize() {
		t.tangent(pt)
		for h := age - left.Age; h > smallest*age; {
			if !t.leap(math.Min(t.left.age+h, age)) {
				h *= 0.5
				continue
			}
			if t.left.age >= age {
				return t.settled(t.left.theta), nil
			}
		}
	}
	theta, err := t.between(p, left, right, age)
	if err != nil {
		return nil, err
	}
	t.zonesAt(t.left)
	t.residuals(t.left)
	if off := t.relative(); off > 1e-9 {
		return nil, fmt.Errorf("gaga: no convergence at age %v between the knots at %v and %v: residual %.2g", age, left.Age, right.Age, off)
	}
	return theta, nil
}
