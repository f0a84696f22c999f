package rehline

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

func pairs(rows int, same func(i, j int) bool) []termRows {
	var list []termRows
	used := make([]bool, rows)
	for i := range rows {
		if used[i] {
			continue
		}
		s := termRows{i}
		for j := i + 1; j < rows; j++ {
			if !used[j] && same(i, j) {
				s = append(s, j)
				used[j] = true
				break
			}
		}
		list = append(list, s)
	}
	return list
}

// turn returns the score -q/p at which a term turns; false if no score reaches it.
func turn(p, q float64) (float64, bool) {
	if !turns(p, q) {
		return 0, false
	}
	return -q / p, true
}

func turns(p, q float64) bool { return math.Abs(p) >= 1e-300 && math.Abs(q) <= 1e150*math.Abs(p) }

// opposite reports whether the terms turn at the same score, up to rounding, in opposite
// directions.
func opposite(p, q, r, s float64) bool {
	k, ok := turn(p, q)
	m, also := turn(r, s)
	if !ok || !also {
		return !ok && !also
	}
	return p*r < 0 && math.Abs(k-m) <= 4*0x1p-52*math.Abs(k)
}

func allPairs(p, q blas64.General, i, j int, alike func(p, q, r, s float64) bool) bool {
	one, at, other, where := row(p, i), row(q, i), row(p, j), row(q, j)
	for k, v := range one {
		if !alike(v, at[k], other[k], where[k]) {
			return false
		}
	}
	return true
}

func mirrored(p, q, r, s float64) bool { return math.Abs(p) == math.Abs(r) && opposite(p, q, r, s) }

// newTerms lays out the terms of the loss, without C and weights.
func newTerms(l *Loss, n int) terms {
	var t terms
	for _, s := range pairs(l.U.Rows, func(i, j int) bool { return allPairs(l.U, l.V, i, j, opposite) }) {
		k := kinked{termRows: s, kink: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n), slope: make([]float64, n)}
		for at, r := range slices.Backward(s) { // the kink is that of the first row
			k.turn(row(l.U, r), row(l.V, r), at < len(s)-1)
		}
		t.kinked = append(t.kinked, k)
	}
	for _, s := range pairs(l.S.Rows, func(i, j int) bool { return allPairs(l.S, l.T, i, j, mirrored) }) {
		c := curved{termRows: s, kink: make([]float64, n), kl: make([]float64, n), kh: make([]float64, n), sigma: make([]float64, n),
			slope: make([]float64, n), all: true}
		for at, r := range s {
			c.turn(row(l.S, r), row(l.T, r), row(l.Tau, r), at > 0)
		}
		t.curved = append(t.curved, c)
	}
	return t
}

func (k *kinked) turn(u, v []float64, others bool) {
	for i, slope := range u {
		if !others {
			k.kink[i], k.lo[i], k.hi[i] = 0, 0, 0
		}
		if at, ok := turn(slope, v[i]); ok {
			k.kink[i], k.lo[i], k.hi[i] = at, min(k.lo[i], slope), max(k.hi[i], slope)
		}
	}
}

func (c *curved) turn(s, t, tau []float64, others bool) {
	for i, slope := range s {
		if !others {
			c.kink[i], c.kl[i], c.kh[i] = 0, 0, 0
		}
		at, ok := turn(slope, t[i])
		if !ok {
			c.all = false
			continue
		}
		end := tau[i] / slope
		c.kink[i], c.kl[i], c.kh[i] = at, min(c.kl[i], end), max(c.kh[i], end)
	}
}
