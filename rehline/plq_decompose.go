package rehline

import (
	"errors"
	"fmt"
	"math"
)

// Why a function is not a sum of ReLU and ReHU terms; a PLQError wraps one of them.
var (
	ErrNotConvex     = errors.New("not convex")
	ErrNotContinuous = errors.New("not continuous")
	ErrUnbounded     = errors.New("not bounded below")
)

// PLQError says where a function is not a sum of ReLU and ReHU terms.
type PLQError struct {
	Err error // ErrNotConvex, ErrNotContinuous or ErrUnbounded.

	// Piece is the quadratic of negative curvature and A its coefficient of z², or -1 for an error
	// at a break or at infinity.
	Piece int
	A     float64

	// At is the break, or -Inf or +Inf if f falls without bound. Left and Right are the values of f
	// (ErrNotContinuous) or its slopes (ErrNotConvex; ErrUnbounded, both the slope at the end).
	At, Left, Right float64
}

func (e *PLQError) Error() string {
	switch {
	case e.Piece >= 0:
		return fmt.Sprintf("rehline: quadratic %d has %g z²: %v", e.Piece, e.A, e.Err)
	case math.IsInf(e.At, 0):
		return fmt.Sprintf("rehline: slope %g towards %+g: %v", e.Left, e.At, e.Err)
	case errors.Is(e.Err, ErrNotContinuous):
		return fmt.Sprintf("rehline: at z = %g the value is %g on the left and %g on the right: %v", e.At, e.Left, e.Right, e.Err)
	}
	return fmt.Sprintf("rehline: at z = %g the slope falls from %g to %g: %v", e.At, e.Left, e.Right, e.Err)
}

func (e *PLQError) Unwrap() error { return e.Err }

const (
	// agree is the allowed difference of two pieces at their break, relative to their terms.
	agree = 1e-12
	// roundoff is the relative size below which a slope or its change counts as zero.
	roundoff = 0x1p-46
)

type joint struct{ at, left, right float64 }

func (j joint) jump() float64 { return j.right - j.left }

// Decompose writes a convex piecewise linear-quadratic function as a sum of ReLU and ReHU terms and
// its minimum (Dai and Qiu, ReHLine, NeurIPS 2023, Theorem 1). It integrates f' from the minimizer
// z* outwards: to the right, every jump J of the slope at a break b >= z* is ReLU(J (z - b)), and
// every stretch from b to e with curvature 2a > 0 is ReHU_τ(√(2a) (z - b)) with τ = √(2a) (e - b),
// infinite on the last piece; to the left likewise, mirrored.
//
// Adjacent pieces may differ by 1e-12 at their break, relative to their terms. Errors: *InputError,
// *PLQError.
func Decompose(p Pieces) (PLQ, error) {
	if err := p.check(); err != nil {
		return PLQ{}, err
	}
	joints, err := p.joints()
	if err != nil {
		return PLQ{}, err
	}
	p, joints = p.merge(joints)
	if err := p.bounded(joints); err != nil {
		return PLQ{}, err
	}

	z, left, right := p.minimizer(joints)
	out := PLQ{Offset: p.At(z)}
	if left < right {
		out.kink(joints[left].right, z, 1)
		out.kink(-joints[left].left, z, -1)
	}
	for k := right; k < len(p.Quadratics); k++ {
		lo, hi := p.span(k)
		out.bend(p.Quadratics[k].A, max(lo, z), hi, 1)
		if k < len(joints) {
			out.kink(joints[k].jump(), hi, 1)
		}
	}
	for k := left; k >= 0; k-- {
		lo, hi := p.span(k)
		out.bend(p.Quadratics[k].A, min(hi, z), lo, -1)
		if k > 0 {
			out.kink(joints[k-1].jump(), lo, -1)
		}
	}
	return out, out.overflow(z)
}

func (p *PLQ) kink(jump, z, direction float64) {
	if jump > 0 {
		u := direction * jump
		p.ReLU = append(p.ReLU, ReLU{U: u, V: -u * z})
	}
}

func (p *PLQ) bend(a, from, to, direction float64) {
	root := math.Sqrt2 * math.Sqrt(a)
	if tau := root * math.Abs(to-from); tau > 0 {
		s := direction * root
		p.ReHU = append(p.ReHU, ReHU{S: s, T: -s * from, Tau: tau})
	}
}

// Thresholds cannot overflow: a z² is finite at the ends of their pieces.
func (p *PLQ) overflow(z float64) error {
	ok := finite(p.Offset)
	for _, t := range p.ReLU {
		ok = ok && finite(t.U) && finite(t.V)
	}
	for _, t := range p.ReHU {
		ok = ok && finite(t.S) && finite(t.T)
	}
	if !ok {
		return overflowError(z)
	}
	return nil
}

func overflowError(z float64) error {
	return rangeError("Pieces", -1, -1, "values near z = %g overflow", z)
}

// joints returns the slopes at the breaks, without roundoff.
func (p Pieces) joints() ([]joint, error) {
	for k, q := range p.Quadratics {
		if q.A < 0 {
			return nil, &PLQError{Err: ErrNotConvex, Piece: k, A: q.A}
		}
	}
	joints := make([]joint, len(p.Breaks))
	for k, z := range p.Breaks {
		l, r := p.Quadratics[k], p.Quadratics[k+1]
		left, right := l.At(z), r.At(z)
		size := (math.Abs(l.A)+math.Abs(r.A))*z*z + (math.Abs(l.B)+math.Abs(r.B))*math.Abs(z) + math.Abs(l.C) + math.Abs(r.C)
		if !finite(size) {
			return nil, overflowError(z)
		}
		if math.Abs(left-right) > agree*size {
			return nil, &PLQError{Err: ErrNotContinuous, Piece: -1, At: z, Left: left, Right: right}
		}

		j := joint{at: z, left: l.slope(z), right: r.slope(z)}
		size = 2*(l.A+r.A)*math.Abs(z) + math.Abs(l.B) + math.Abs(r.B)
		if !finite(size) {
			return nil, overflowError(z)
		}
		if j.jump() < -agree*size {
			return nil, &PLQError{Err: ErrNotConvex, Piece: -1, At: z, Left: j.left, Right: j.right}
		}
		j.left, j.right = clean(j.left, size), clean(j.right, size)
		if j.jump() <= roundoff*size {
			j.right = j.left
		}
		joints[k] = j
	}
	return joints, nil
}

func clean(slope, size float64) float64 {
	if math.Abs(slope) <= roundoff*size {
		return 0
	}
	return slope
}

func (p Pieces) merge(joints []joint) (Pieces, []joint) {
	out := Pieces{Quadratics: []Quadratic{p.Quadratics[0]}}
	var kept []joint
	for k, j := range joints {
		next := p.Quadratics[k+1]
		if j.jump() == 0 && p.Quadratics[k].A == next.A {
			continue
		}
		out.Breaks = append(out.Breaks, j.at)
		out.Quadratics = append(out.Quadratics, next)
		kept = append(kept, j)
	}
	return out, kept
}

func (p Pieces) bounded(joints []joint) error {
	last := len(joints)
	down, up := p.Quadratics[0].B, p.Quadratics[last].B
	if last > 0 {
		down, up = joints[0].left, joints[last-1].right
	}
	if p.Quadratics[0].A == 0 && down > 0 {
		return &PLQError{Err: ErrUnbounded, Piece: -1, At: math.Inf(-1), Left: down, Right: down}
	}
	if p.Quadratics[last].A == 0 && up < 0 {
		return &PLQError{Err: ErrUnbounded, Piece: -1, At: math.Inf(1), Left: up, Right: up}
	}
	return nil
}

// minimizer returns a minimizer z of a convex and bounded p and the pieces to its left and right.
// Of a flat bottom it is the left end, unless that is infinite.
func (p Pieces) minimizer(joints []joint) (z float64, left, right int) {
	k := 0
	for k < len(joints) && joints[k].right < 0 {
		k++
	}
	if k < len(joints) && joints[k].left <= 0 {
		return joints[k].at, k, k + 1
	}
	q := p.Quadratics[k]
	if q.A == 0 {
		return 0, k, k
	}
	lo, hi := p.span(k)
	return min(max(-q.B/q.A/2, lo), hi), k, k
}
