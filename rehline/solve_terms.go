package rehline

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// terms are a loss as a sum of terms of the score z with a dual variable each, the slope
// a of the term:
//
//	kinked: max over lo <= a <= hi of a(z - κ)
//	curved: max over σ kl <= a <= σ kh of a(z - κ) - a²/(2σ)
//
// A ReLU is kinked with one bound 0, a ReHU is curved with one of kl, kh 0. Two that turn
// at the same score in opposite directions, as in the quantile and Huber losses, are one
// term, which halves the work and makes the dual unique. Everything is divided by the
// ridge, so that the penalty is ½‖β‖².
type terms struct {
	kinked []kinked
	curved []curved
}

// source lists the rows of U and V, or of S, T and Tau, that a term is made of: one, or
// two that turn together.
type source []int

// kinked are n terms, one per sample.
type kinked struct {
	source
	level  bool // there are terms that do not depend on the score
	kink   []float64
	lo, hi []float64
	slope  []float64 // a, the dual variable
	center []float64 // of the proximal term between Newton steps; nil in the first phase
}

// curved are n terms, one per sample.
type curved struct {
	source
	all    bool // of every sample there is one that turns
	level  bool
	kink   []float64
	kl, kh []float64 // range of the quadratic part, relative to the kink
	sigma  []float64 // curvature
	slope  []float64
}

// partSize is how many samples are evaluated together. What is not wanted of them goes to a
// scratch, which the first cache holds.
const partSize = 256

type scratch [3][partSize]float64

// pairs matches rows 0..rows-1 so that same(i, j) holds within a pair.
func pairs(rows int, same func(i, j int) bool) []source {
	var list []source
	used := make([]bool, rows)
	for i := range rows {
		if used[i] {
			continue
		}
		s := source{i}
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

// turn returns the score -q/p where a term turns, and false where there is none: p is
// so small that no score reaches it, or zero.
func turn(p, q float64) (float64, bool) {
	if !turns(p, q) {
		return 0, false
	}
	return -q / p, true
}

// turns tells whether a term turns at a score.
func turns(p, q float64) bool { return math.Abs(p) >= 1e-300 && math.Abs(q) <= 1e150*math.Abs(p) }

// opposite tells whether the terms (p, q) and (r, s) turn at the same score, up to
// rounding, in opposite directions.
func opposite(p, q, r, s float64) bool {
	k, ok := turn(p, q)
	m, also := turn(r, s)
	if !ok || !also {
		return !ok && !also
	}
	return p*r < 0 && math.Abs(k-m) <= 4*0x1p-52*math.Abs(k)
}

// allOpposite tells whether the terms of all samples are opposite in the rows i and j.
func allOpposite(p, q blas64.General, i, j int) bool {
	one, at, other, where := row(p, i), row(q, i), row(p, j), row(q, j)
	return eachButFast(len(one), func(k int) int {
		return kernel.Opposite(one[k:], at[k:], other[k:], where[k:])
	}, func(k int) bool { return opposite(one[k], at[k], other[k], where[k]) })
}

// allAsLarge tells whether the entries of a and b are of the same sizes.
func allAsLarge(a, b []float64) bool {
	var differ [2 * kernel.Width]int32
	return eachButFast(len(a), func(k int) int {
		if count, _ := kernel.Changed(a[k:], b[k:], -1, 0, differ[:]); count == 0 {
			return len(a) - k
		}
		return int(differ[0])
	}, func(k int) bool { return math.Abs(a[k]) == math.Abs(b[k]) })
}

// eachButFast calls slow for every one of n samples that fast does not do, until it is false, and
// tells whether it was always true. fast tells how many it does from a sample on.
func eachButFast(n int, fast func(k int) int, slow func(k int) bool) bool {
	for k := 0; k < n; {
		k += fast(k)
		for end := min(k+kernel.Width, n); k < end; k++ {
			if !slow(k) {
				return false
			}
		}
	}
	return true
}

// newTerms lays out the terms of the loss, without C and weights.
func newTerms(from *arena, l *Loss, n int) terms {
	var t terms
	for _, s := range pairs(l.U.Rows, func(i, j int) bool { return allOpposite(l.U, l.V, i, j) }) {
		k := kinked{source: s, kink: from.scratch(n), lo: from.scratch(n), hi: from.scratch(n), slope: from.scratch(n)}
		for at, r := range slices.Backward(s) { // the kink is that of the first one
			k.turn(row(l.U, r), row(l.V, r), at < len(s)-1)
		}
		t.kinked = append(t.kinked, k)
	}
	for _, s := range pairs(l.S.Rows, func(i, j int) bool {
		return allOpposite(l.S, l.T, i, j) && allAsLarge(row(l.S, i), row(l.S, j))
	}) {
		c := curved{source: s, kink: from.scratch(n), kl: from.scratch(n), kh: from.scratch(n), sigma: from.scratch(n),
			slope: from.scratch(n), all: true}
		for at, r := range s {
			c.turn(row(l.S, r), row(l.T, r), row(l.Tau, r), at > 0)
		}
		t.curved = append(t.curved, c)
	}
	return t
}

// turn sets the terms to u z + v, or adds it to others: where they turn, and their slopes.
func (k *kinked) turn(u, v []float64, others bool) {
	eachButFast(len(u), func(i int) int {
		return kernel.Kinks(u[i:], v[i:], k.kink[i:], k.lo[i:], k.hi[i:], others)
	}, func(i int) bool {
		if !others {
			k.kink[i], k.lo[i], k.hi[i] = 0, 0, 0
		}
		at, ok := turn(u[i], v[i])
		if !ok {
			k.level = k.level || v[i] > 0
			return true
		}
		k.kink[i], k.lo[i], k.hi[i] = at, min(k.lo[i], u[i]), max(k.hi[i], u[i])
		return true
	})
}

// turn sets the terms to s z + t up to tau, or adds it to others: where they turn, and their
// ranges.
func (c *curved) turn(s, t, tau []float64, others bool) {
	eachButFast(len(s), func(i int) int {
		return kernel.Ranges(s[i:], t[i:], tau[i:], c.kink[i:], c.kl[i:], c.kh[i:], others)
	}, func(i int) bool {
		if !others {
			c.kink[i], c.kl[i], c.kh[i] = 0, 0, 0
		}
		at, ok := turn(s[i], t[i])
		if !ok {
			c.level = c.level || rehu(t[i], tau[i]) > 0
			c.all = false
			return true
		}
		end := tau[i] / s[i]
		c.kink[i], c.kl[i], c.kh[i] = at, min(c.kl[i], end), max(c.kh[i], end)
		return true
	})
}

// sums are totals over terms, divided by the ridge.
type sums struct {
	value float64 // of the terms at the scores
	dual  float64 // -Σ aκ - Σ a²/(2σ)
	young float64 // value - dual - Σ a z >= 0, by Fenchel and Young
}

// evaluate sets the slopes to those of the terms at the scores, kinked ones smoothed
// around their centers over a width of scores, g to the sums of the slopes and h to those
// of the second derivatives.
func (t *terms) evaluate(z, g, h []float64, width float64) sums {
	var s sums
	for from := 0; from < len(z); from += partSize {
		to := min(from+partSize, len(z))
		z, g, h := z[from:to], g[from:to], h[from:to]
		clear(g)
		clear(h)
		for i := range t.kinked {
			part := t.kinked[i].evaluate(z, from, g, h, width)
			s.add(sums{part[0], part[1], part[2]})
		}
		for i := range t.curved {
			c := &t.curved[i]
			part := kernel.Curved(z, c.kink[from:to], c.kl[from:to], c.kh[from:to], c.sigma[from:to], c.slope[from:to], g, h)
			s.value, s.dual = s.value+part[0], s.dual+part[1]
		}
	}
	return s
}

// evaluate takes some scores, from that of one sample on.
func (k *kinked) evaluate(z []float64, from int, g, h []float64, width float64) [3]float64 {
	to := from + len(z)
	return kernel.Kinked(z, k.kink[from:to], k.lo[from:to], k.hi[from:to], k.center[from:to], k.slope[from:to], g, h, 1/width)
}

func (s *sums) add(other sums) {
	s.value, s.dual, s.young = s.value+other.value, s.dual+other.dual, s.young+other.young
}

// value returns the terms' sum at the scores.
func (t *terms) value(z []float64) float64 {
	var scratch scratch
	var v float64
	for from := 0; from < len(z); from += partSize {
		v += t.part(z[from:min(from+partSize, len(z))], from, &scratch).value
	}
	return v
}

// atZeros returns that of n samples at scores of zero.
func (t *terms) atZeros(n int) float64 {
	var scratch scratch
	var zeros [partSize]float64
	var v float64
	for from := 0; from < n; from += partSize {
		v += t.part(zeros[:min(partSize, n-from)], from, &scratch).value
	}
	return v
}

// tally returns the sums of some samples, from one on, for the slopes as they are.
func (t *terms) tally(z []float64, from int, scratch *scratch) sums {
	s := t.part(z, from, scratch)
	for i := range t.curved {
		c := &t.curved[i]
		dual := c.dual(from, from+len(z))
		s.dual += dual
		s.young -= dual + kernel.Dot(c.slope[from:from+len(z)], z)
	}
	return s
}

// part is tally with the values alone of curved terms.
func (t *terms) part(z []float64, from int, scratch *scratch) sums {
	to := from + len(z)
	slope, g, h := scratch[0][:len(z)], scratch[1][:len(z)], scratch[2][:len(z)]
	var s sums
	for i := range t.kinked {
		k := &t.kinked[i] // smoothed infinitely wide the slopes are the centers
		v := kernel.Kinked(z, k.kink[from:to], k.lo[from:to], k.hi[from:to], k.slope[from:to], slope, g, h, 0)
		s.add(sums{v[0], v[1], v[2]})
	}
	for i := range t.curved {
		c := &t.curved[i]
		v := kernel.Curved(z, c.kink[from:to], c.kl[from:to], c.kh[from:to], c.sigma[from:to], slope, g, h)[0]
		s.add(sums{value: v, young: v})
	}
	return s
}

// dual returns -Σ aκ - Σ a²/(2σ) for the slopes of some samples.
func (c *curved) dual(from, to int) float64 {
	var t float64
	for j := from; j < to; j++ {
		if a := c.slope[j]; a != 0 {
			t -= a * (c.kink[j] + a/(2*c.sigma[j]))
		}
	}
	return t
}

// collect sets g to the slopes, whatever the scores, and returns their part of the dual.
func (t *terms) collect(g []float64) (dual float64) {
	clear(g)
	for i := range t.kinked {
		k := &t.kinked[i]
		kernel.Axpy(1, k.slope, g)
		dual -= kernel.Dot(k.slope, k.kink)
	}
	for i := range t.curved {
		c := &t.curved[i]
		kernel.Axpy(1, c.slope, g)
		dual += c.dual(0, len(g))
	}
	return dual
}

// along returns the first and second derivative of the smoothed terms at the scores
// z + t dz.
func (t *terms) along(z, dz []float64, step, width float64) (first, second float64) {
	for i := range t.kinked {
		k := &t.kinked[i]
		sum := kernel.KinkedAlong(z, dz, k.kink, k.lo, k.hi, k.center, step, 1/width)
		first, second = first+sum[0], second+sum[1]
	}
	for i := range t.curved {
		c := &t.curved[i]
		sum := kernel.CurvedAlong(z, dz, c.kink, c.kl, c.kh, c.sigma, step)
		first, second = first+sum[0], second+sum[1]
	}
	return first, second
}

// curvature returns the sum of the second derivatives if all terms were in their smooth
// parts, or 1 where that is zero: a scale for steps of the intercept.
func (t *terms) curvature(width float64) float64 {
	var sum float64
	for i := range t.kinked {
		k := &t.kinked[i]
		for j, u := range k.hi {
			sum += u - k.lo[j]
		}
	}
	sum /= width
	for i := range t.curved {
		for _, c := range t.curved[i].sigma {
			sum += c
		}
	}
	if sum == 0 {
		return 1
	}
	return sum
}

// slopes calls visit with the slopes of every term.
func (t *terms) slopes(visit func(slope []float64)) {
	for i := range t.kinked {
		visit(t.kinked[i].slope)
	}
	for i := range t.curved {
		visit(t.curved[i].slope)
	}
}

// move adds h dz to the slopes between their bounds, where h is their derivative, and
// leaves them within.
func (t *terms) move(dz []float64, width float64) {
	for i := range t.kinked {
		k := &t.kinked[i]
		for j, a := range k.slope {
			if lo, hi := k.lo[j], k.hi[j]; a > lo && a < hi {
				k.slope[j] = min(max(a+dz[j]*(hi-lo)/width, lo), hi)
			}
		}
	}
	for i := range t.curved {
		c := &t.curved[i]
		for j, a := range c.slope {
			if lo, hi := c.bounds(j); a > lo && a < hi {
				c.slope[j] = min(max(a+c.sigma[j]*dz[j], lo), hi)
			}
		}
	}
}

// bounds returns those of the slope of sample j.
func (c *curved) bounds(j int) (lo, hi float64) {
	if m := c.sigma[j]; m != 0 {
		return m * c.kl[j], m * c.kh[j]
	}
	return 0, 0
}

// center makes the slopes the centers.
func (t *terms) center() {
	for i := range t.kinked {
		copy(t.kinked[i].center, t.kinked[i].slope)
	}
}

// begin sets the centers to the middle of the bounds.
func (t *terms) begin() {
	for i := range t.kinked {
		k := &t.kinked[i]
		for j := range k.center {
			k.center[j] = (k.lo[j] + k.hi[j]) / 2
		}
	}
}

// confine moves the centers within the bounds.
func (t *terms) confine() {
	for i := range t.kinked {
		k := &t.kinked[i]
		for j, a := range k.center {
			k.center[j] = min(max(a, k.lo[j]), k.hi[j])
		}
	}
}

// resume makes the centers the slopes, within their bounds.
func (t *terms) resume() {
	for i := range t.kinked {
		copy(t.kinked[i].slope, t.kinked[i].center)
	}
	for i := range t.curved {
		c := &t.curved[i]
		for j := range c.slope {
			lo, hi := c.bounds(j)
			c.slope[j] = min(max(c.slope[j], lo), hi)
		}
	}
}

// take sets the centers of kinked and the slopes of curved terms from the dual variables
// of a loss.
func (t *terms) take(l *Loss, dual *Dual, unit float64) {
	for i := range t.kinked {
		k := &t.kinked[i]
		k.gather(k.center, unit, l.U, dual.Lambda)
	}
	for i := range t.curved {
		c := &t.curved[i]
		c.gather(c.slope, unit, l.S, dual.Gamma)
	}
}

// give sets the dual variables of the loss from the slopes.
func (t *terms) give(l *Loss, dual *Dual, unit float64) {
	for i := range t.kinked {
		t.kinked[i].spread(t.kinked[i].slope, unit, l.U, dual.Lambda)
	}
	for i := range t.curved {
		t.curved[i].spread(t.curved[i].slope, unit, l.S, dual.Gamma)
	}
}

// spread writes the duals of the rows that a term is made of: the slope is their sum
// weighted by the rows' signs and sizes, and only the one of the slope's sign is not
// zero.
func (s source) spread(slope []float64, unit float64, p, dual blas64.General) {
	for _, r := range s {
		kernel.Share(row(dual, r), slope, row(p, r), unit)
	}
}

// gather is the reverse of spread.
func (s source) gather(slope []float64, unit float64, p, dual blas64.General) {
	clear(slope)
	for _, r := range s {
		p, dual := row(p, r), row(dual, r)
		for i := range slope {
			slope[i] += dual[i] * p[i] / unit
		}
	}
}

// shift lowers the sum of the slopes by excess, in proportion to the room that each has,
// and returns what is left. Where a term has no bound its room is what reach times its
// curvature gives. Inner leaves slopes at a bound where they are.
func (t *terms) shift(excess, reach float64, inner bool) float64 {
	down := excess > 0
	room := func(a, lo, hi, most float64) float64 {
		if inner && (a <= lo || a >= hi) {
			return 0
		}
		if down {
			return min(a-lo, most)
		}
		return min(hi-a, most)
	}
	var total float64
	t.rooms(room, reach, func(_ *float64, r float64) { total += r })
	if total <= 0 {
		return excess
	}
	share := min(1, math.Abs(excess)/total)
	if !down {
		share = -share
	}
	t.rooms(room, reach, func(a *float64, r float64) { *a -= share * r })
	return excess - share*total
}

// rooms calls visit with every slope and its room.
func (t *terms) rooms(room func(a, lo, hi, most float64) float64, reach float64, visit func(a *float64, r float64)) {
	for i := range t.kinked {
		k := &t.kinked[i]
		for j := range k.slope {
			visit(&k.slope[j], room(k.slope[j], k.lo[j], k.hi[j], inf))
		}
	}
	for i := range t.curved {
		c := &t.curved[i]
		for j, m := range c.sigma {
			if m > 0 {
				visit(&c.slope[j], room(c.slope[j], m*c.kl[j], m*c.kh[j], m*reach))
			}
		}
	}
}
