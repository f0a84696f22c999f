package rehline

import (
	"errors"
	"math"
	"slices"
)

// DecomposeMax writes max_k q_k(z) as a sum of ReLU and ReHU terms and its minimum. A concave
// quadratic is allowed if it is nowhere the largest. Errors are those of Decompose; the Piece of a
// PLQError is the index of a quadratic.
func DecomposeMax(quadratics []Quadratic) (PLQ, error) {
	if len(quadratics) == 0 {
		return PLQ{}, shapeError("DecomposeMax: quadratics", "none; at least one is needed")
	}
	if err := checkQuadratics("DecomposeMax: quadratics", quadratics); err != nil {
		return PLQ{}, err
	}
	pieces := envelope(quadratics)
	p, err := Decompose(pieces)
	var trouble *PLQError
	if errors.As(err, &trouble) && trouble.Piece >= 0 {
		trouble.Piece = slices.Index(quadratics, pieces.Quadratics[trouble.Piece])
	}
	return p, err
}

func envelope(quadratics []Quadratic) Pieces {
	n := len(quadratics)
	if n == 1 {
		return Pieces{Quadratics: quadratics[:1:1]}
	}
	return larger(envelope(quadratics[:n/2]), envelope(quadratics[n/2:]))
}

func larger(f, g Pieces) Pieces {
	var out Pieces
	lo := math.Inf(-1)
	for i, j := 0, 0; ; {
		_, fEnd := f.span(i)
		_, gEnd := g.span(j)
		hi := min(fEnd, gEnd)
		out.appendLarger(f.Quadratics[i], g.Quadratics[j], lo, hi)
		if math.IsInf(hi, 1) {
			return out
		}
		if fEnd == hi {
			i++
		}
		if gEnd == hi {
			j++
		}
		lo = hi
	}
}

func (p *Pieces) appendLarger(f, g Quadratic, lo, hi float64) {
	// Half of the difference cannot overflow.
	above, roots := Quadratic{f.A/2 - g.A/2, f.B/2 - g.B/2, f.C/2 - g.C/2}.signs()
	for _, root := range append(roots, math.Inf(1)) {
		if root > lo {
			q := g
			if above {
				q = f
			}
			p.append(q, lo)
			lo = root
		}
		if root >= hi {
			return
		}
		above = !above
	}
}

func (p *Pieces) append(q Quadratic, lo float64) {
	n := len(p.Quadratics)
	if n > 0 && p.Quadratics[n-1] == q {
		return
	}
	if n > 0 {
		p.Breaks = append(p.Breaks, lo)
	}
	p.Quadratics = append(p.Quadratics, q)
}

// signs reports whether q is positive (or zero throughout) towards -∞ and returns, in increasing
// order, where q changes sign; a double root, within roundoff, is no change. Comparing signs
// instead of values keeps the choice right on a whole interval even if two functions nearly touch.
func (q Quadratic) signs() (positive bool, roots []float64) {
	// A common power of two keeps the discriminant in range.
	_, exponent := math.Frexp(max(math.Abs(q.A), math.Abs(q.B), math.Abs(q.C)))
	a, b, c := math.Ldexp(q.A, -exponent), math.Ldexp(q.B, -exponent), math.Ldexp(q.C, -exponent)
	switch {
	case a == 0 && b == 0:
		return c >= 0, nil
	case a == 0:
		return b < 0, []float64{-c / b}
	}
	const touching = 8 * 0x1p-52
	discriminant := math.FMA(b, b, -4*a*c)
	if discriminant <= touching*(b*b+4*math.Abs(a*c)) {
		return a > 0, nil
	}
	w := -(b + math.Copysign(math.Sqrt(discriminant), b)) / 2
	x, y := w/a, c/w
	return a > 0, []float64{min(x, y), max(x, y)}
}
