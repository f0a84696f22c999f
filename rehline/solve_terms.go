package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// A loss is solved as a sum of terms of the score z with a dual variable each,
// the slope a of the term:
//
//	kinked: max over lo <= a <= hi of a(z - κ)
//	curved: max over σ kl <= a <= σ kh of a(z - κ) - a²/(2σ)
//
// A ReLU is kinked with one bound 0, a ReHU is curved with one of kl, kh 0. Two
// that turn at the same score in opposite directions, as in the quantile and
// Huber losses, are one term, which halves the work and makes the dual unique.
// Everything is divided by the ridge, so that the penalty is ½‖β‖².

// source tells the rows of U and V, or of S, T and Tau, that a term is made of;
// second is -1 where it is made of one.
type source struct{ first, second int }

// kinked are n terms, one per sample.
type kinked struct {
	source
	kink   []float64
	lo, hi []float64
	slope  []float64 // a, the dual variable
	center []float64 // of the proximal term between Newton steps
}

// curved are n terms, one per sample.
type curved struct {
	source
	kink   []float64
	kl, kh []float64 // range of the quadratic part, relative to the kink
	sigma  []float64 // curvature
	slope  []float64
}

// pairs matches rows 0..rows-1 so that same(i, j) holds within a pair.
func pairs(rows int, same func(i, j int) bool) []source {
	var list []source
	used := make([]bool, rows)
	for i := range rows {
		if used[i] {
			continue
		}
		s := source{i, -1}
		for j := i + 1; j < rows; j++ {
			if !used[j] && same(i, j) {
				s.second = j
				used[j] = true
				break
			}
		}
		list = append(list, s)
	}
	return list
}

// turn returns the score -q/p where a term turns, and false where there is
// none: p is zero or so small that no score reaches it.
func turn(p, q float64) (float64, bool) {
	if !turns(p, q) {
		return 0, false
	}
	return -q / p, true
}

// turns tells whether a term turns at a score.
func turns(p, q float64) bool { return p != 0 && math.Abs(q) <= 1e150*math.Abs(p) }

// opposite tells whether the terms (p, q) and (r, s) turn at the same score, up
// to rounding, in opposite directions.
func opposite(p, q, r, s float64) bool {
	k, ok := turn(p, q)
	m, also := turn(r, s)
	if !ok || !also {
		return !ok && !also
	}
	return p*r < 0 && math.Abs(k-m) <= 4*0x1p-52*math.Abs(k)
}

// newTerms lays out the terms of the loss, without weights.
func newTerms(l *Loss, n int) ([]kinked, []curved) {
	var ks []kinked
	for _, s := range pairs(l.U.Rows, func(i, j int) bool {
		u, v, r, q := row(l.U, i), row(l.V, i), row(l.U, j), row(l.V, j)
		for k := range n {
			if !opposite(u[k], v[k], r[k], q[k]) {
				return false
			}
		}
		return true
	}) {
		k := kinked{source: s, kink: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n),
			slope: make([]float64, n), center: make([]float64, n)}
		u, v := row(l.U, s.first), row(l.V, s.first)
		for i := range n {
			k.kink[i], _ = turn(u[i], v[i])
		}
		ks = append(ks, k)
	}
	var cs []curved
	for _, s := range pairs(l.S.Rows, func(i, j int) bool {
		u, v, r, q := row(l.S, i), row(l.T, i), row(l.S, j), row(l.T, j)
		for k := range n {
			if math.Abs(u[k]) != math.Abs(r[k]) || !opposite(u[k], v[k], r[k], q[k]) {
				return false
			}
		}
		return true
	}) {
		c := curved{source: s, kink: make([]float64, n), kl: make([]float64, n), kh: make([]float64, n),
			sigma: make([]float64, n), slope: make([]float64, n)}
		c.ranges(l, s.first)
		if s.second >= 0 {
			c.ranges(l, s.second)
		}
		cs = append(cs, c)
	}
	return ks, cs
}

// ranges adds the range of row r.
func (c *curved) ranges(l *Loss, r int) {
	s, t, tau := row(l.S, r), row(l.T, r), row(l.Tau, r)
	for i := range s {
		k, ok := turn(s[i], t[i])
		if !ok {
			continue
		}
		c.kink[i] = k
		if s[i] > 0 {
			c.kh[i] = tau[i] / s[i]
		} else {
			c.kl[i] = tau[i] / s[i]
		}
	}
}

// sums are totals over terms, divided by the ridge.
type sums struct {
	value float64 // of the terms at the scores
	dual  float64 // -Σ aκ - Σ a²/(2σ)
	young float64 // value - dual - Σ a z >= 0, by Fenchel and Young
}

func (s *sums) add(o sums) {
	s.value += o.value
	s.dual += o.dual
	s.young += o.young
}

// evaluate sets the slopes to those of the terms smoothed around their centers
// over the given width of scores, and adds slopes to g and second derivatives
// to h.
func (k *kinked) evaluate(z, g, h []float64, width float64) sums {
	s := kernel.Kinked(z, k.kink, k.lo, k.hi, k.center, k.slope, g, h, 1/width)
	return sums{value: s[0], dual: s[1], young: s[2]}
}

func (c *curved) evaluate(z, g, h []float64) sums {
	s := kernel.Curved(z, c.kink, c.kl, c.kh, c.sigma, c.slope, g, h)
	return sums{value: s[0], dual: s[1]}
}

// value returns the terms' sum at the scores.
func (c *curved) value(z []float64) float64 {
	var t float64
	for j, z := range z {
		r := z - c.kink[j]
		u := min(max(r, c.kl[j]), c.kh[j])
		t += c.sigma[j] * u * (r - u/2)
	}
	return t
}

// dual returns -Σ aκ - Σ a²/(2σ) for the slopes.
func (c *curved) dual() float64 {
	var t float64
	for j, a := range c.slope {
		if a != 0 {
			t -= a * (c.kink[j] + a/(2*c.sigma[j]))
		}
	}
	return t
}
