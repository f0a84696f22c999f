package gaga

import (
	"math"
	"slices"
)

// window is a neighbourhood of a point of the path in which only the watched
// samples can reach a boundary of their zones. Sample i is at a distance d_i from
// the next boundary ρ, in its residual for the squared loss, with ρ = √threshold,
// and in its margin's defect for the hinge, with ρ = threshold/C. A change of θ
// moves either by at most ‖a_i‖‖Δθ‖; so the sample need not be looked at while
// ‖a_i‖‖Δθ‖ + |Δρ| < d_i. The norms are over the coordinates that can move, the
// active ones and where windows outlast jumps all, each scaled by its root mean
// square.
type window struct {
	theta  []float64 // where it was opened
	age    float64
	length float64 // ages it was opened for

	moved  float64 // largest ‖Δθ‖ inside
	radius float64 // largest |Δρ| inside
	drift  float64 // ‖Δθ‖ by jumps an age, of late
	leap   float64 // ‖Δθ‖ of the largest jump of late

	scale    []float64 // p: root mean squares of the columns
	norms    []float64 // n: of the samples over the columns that norms are for
	columns  []int     // nil before the first window
	every    []int     // all columns
	near     []float64 // n: in how long each sample can reach a boundary at most
	u        []float64 // n: predictors where the window was opened
	samples  []int     // room for the watched samples
	measured int       // changes of zone when the sizes of the terms were last taken
}

// The number of watched samples is kept between these where there are so many.
const (
	fewWatched  = 64
	manyWatched = 512
)

func newWindow(s *primal) *window {
	w := &window{
		theta: make([]float64, s.p), scale: make([]float64, s.p), norms: make([]float64, s.n), near: make([]float64, s.n), u: make([]float64, s.n),
	}
	for i := range s.n {
		for j, x := range s.sample(i) {
			w.scale[j] += x * x / float64(s.n)
		}
	}
	for j, x := range w.scale {
		w.scale[j] = math.Sqrt(x)
		w.every = append(w.every, j)
	}
	return w
}

// distance returns the scaled norm of b - a, with a nil for zero.
func (w *window) distance(a, b []float64) float64 {
	var sum float64
	for j, x := range b {
		if a != nil {
			x -= a[j]
		}
		x *= w.scale[j]
		sum += x * x
	}
	return math.Sqrt(sum)
}

// radii returns by how much the boundaries ρ have moved between two ages at
// most.
func (t *tracker) radii(from, to float64) float64 {
	var most float64
	for k := range len(t.zones) - t.kinks - 1 {
		a, _ := t.edge(k, from)
		b, _ := t.edge(k, to)
		most = math.Max(most, math.Abs(b-a))
	}
	return most
}

// inside reports whether pt lies in the window; it always does when all
// samples are watched.
func (t *tracker) inside(pt *point) bool {
	w := t.window
	return w == nil || (w.length > 0 &&
		w.distance(w.theta, pt.theta) <= w.moved && t.radii(w.age, pt.age) <= w.radius)
}

// ahead returns how far in age the window reaches beyond the left point, after
// opening a new one there if the last is nearly used up.
func (t *tracker) ahead() float64 {
	w := t.window
	if w == nil {
		return math.Inf(1)
	}
	if t.inside(t.left) {
		left := w.age + w.length - t.left.age
		// Behind a kink θ may move faster than when the window was opened.
		if rate := w.distance(nil, t.left.rate); rate > 0 {
			left = math.Min(left, (w.moved-w.distance(w.theta, t.left.theta))/rate)
		}
		if left > 0.25*w.length {
			return left
		}
	}
	t.open()
	return w.length
}

// fit halves or doubles the window's length until it has between few and many
// samples. Those that tie at a boundary right now are in every window; others
// that tie come and go together, so that few may be out of reach.
func (w *window) fit(few, many int, longest float64) {
	count := func(length float64) int {
		n := 0
		for _, at := range w.near {
			if at <= length {
				n++
			}
		}
		return n
	}
	shortest := hair * w.age
	many += count(shortest)
	for w.length > shortest && count(w.length) > many {
		w.length *= 0.5
	}
	for w.length < longest && count(w.length) < few && count(2*w.length) <= many {
		w.length *= 2
	}
}

// open opens a window at the left point and chooses the samples to watch.
func (t *tracker) open() {
	w, l := t.window, t.left
	t.predictAll(w.u, l.theta)
	t.measure()
	w.age = l.age
	copy(w.theta, l.theta)
	t.measureNorms()
	if t.n <= manyWatched {
		t.openAll()
		return
	}
	rate := w.distance(nil, l.rate) + w.drift
	t.lengths(rate)
	if w.length <= 0 {
		w.length = 1e-3 * l.age
	}
	w.fit(min(fewWatched, t.n), max(manyWatched, t.n/32), t.options.Age.Max)
	// A quarter more than the tangent says, for the path's curvature, and the
	// rounding of θ.
	w.moved, w.radius = 1.25*rate*w.length+w.leap+1e-13*w.distance(nil, l.theta), 1.25*t.radii(w.age, w.age+w.length)
	w.samples = w.samples[:0]
	for i, at := range w.near {
		if at <= 1.25*w.length {
			w.samples = append(w.samples, i)
		}
	}
	t.look(w.samples)
}

// openAll watches all samples, where there are few: no bound is needed.
func (t *tracker) openAll() {
	w := t.window
	w.length, w.moved, w.radius = w.age, math.Inf(1), math.Inf(1)
	t.look(t.all)
}

// look makes the given samples the watched ones, at the left point.
func (t *tracker) look(samples []int) {
	l := t.left
	t.setWatch(samples)
	t.predict(l.u, l.theta)
	t.predict(l.du, l.rate)
	t.evaluate(l)
}

// lengths writes into near in how many ages each sample can reach a boundary
// of its zone at most, at the given rate of θ. Boundaries ρ grow ever slower
// with the age.
func (t *tracker) lengths(rate float64) {
	w := t.window
	// Of zone z the lower end is entry z, the upper one entry z+1; pinned
	// samples are at both.
	edges, growth := make([]float64, len(t.zones)+1), make([]float64, len(t.zones)+1)
	edges[0], edges[len(t.zones)] = math.Inf(-1), math.Inf(1)
	for k := range len(t.zones) - t.kinks - 1 {
		edges[t.kinks+k+1], growth[t.kinks+k+1] = t.edge(k, w.age)
	}
	for i, u := range w.u {
		z, speed, jump := int(t.zone[i]), w.norms[i]*rate, w.norms[i]*w.leap
		r := 1 - t.y[i]*u
		switch {
		case t.hinge == nil:
			r = math.Abs(u - t.y[i])
		case z == pinned:
			w.near[i] = 0
			continue
		}
		w.near[i] = min((math.Abs(r-edges[z])-jump)/(speed+growth[z]), (math.Abs(edges[z+1]-r)-jump)/(speed+growth[z+1]))
	}
}

// watchedColumns returns the coordinates that can move inside a window.
func (t *tracker) watchedColumns() []int {
	if t.stepwise {
		return t.window.every
	}
	return t.active
}

// measureNorms takes the samples' norms over the columns that can move.
func (t *tracker) measureNorms() {
	w, columns := t.window, t.watchedColumns()
	if w.columns != nil && slices.Equal(w.columns, columns) {
		return
	}
	w.columns = append(make([]int, 0, t.p), columns...)
	for i := range w.norms {
		row := t.primal.sample(i)
		var norm float64
		for _, j := range columns {
			if s := w.scale[j]; s > 0 {
				x := row[j] / s
				norm += x * x
			}
		}
		w.norms[i] = math.Sqrt(norm)
	}
}

// edge returns threshold k of the regularizer at an age as a boundary ρ of the
// residual or the defect, and its rate.
func (t *tracker) edge(k int, age float64) (rho, rate float64) {
	threshold, slope := t.reg.Threshold(k, age)
	if t.hinge != nil {
		return threshold / t.hinge.C, math.Abs(slope) / t.hinge.C
	}
	rho = math.Sqrt(threshold)
	return rho, math.Abs(slope) / (2 * rho)
}

// measure takes the sizes of the terms anew after many changes of zone, and
// sums the moments anew where they have drifted.
func (t *tracker) measure() {
	m, w := t.moments, t.window
	if m == nil { // zone sums see to it themselves
		return
	}
	if m.moves >= w.measured && m.moves-w.measured < t.n/16 {
		return
	}
	t.predict(t.left.u, t.left.theta)
	t.assemble(t.left)
	if off := m.measure(w.u, t.left.age); off > 1e-12 || m.moves > t.n {
		m.sum(w.u)
		t.assemble(t.left)
	}
	w.measured = m.moves
}
