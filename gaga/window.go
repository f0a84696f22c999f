package gaga

import (
	"math"
	"slices"
)

// window is a neighbourhood of a point of the path in which only the watched
// samples can reach a boundary of their zones. Sample i is at a distance d_i from
// the next boundary ρ, in its residual for the squared loss, with ρ = √threshold,
// and in its margin's defect for the hinge, with ρ = threshold/C. On the tangent at that point it approaches the boundary at a known rate;
// a θ that is off the tangent by Δθ moves the residual or the defect by at most
// ‖a_i‖‖Δθ‖ besides. So the sample need not be looked at while both together are
// less than d_i. The norms are over the coordinates that can move, the active ones
// and where windows outlast jumps all, each scaled by its root mean square.
type window struct {
	theta, rate []float64 // where it was opened
	age         float64
	length      float64 // ages it was opened for

	moved  float64 // largest ‖Δθ‖ inside, off the tangent
	radius float64 // largest |Δρ| inside
	drift  float64 // ‖Δθ‖ by jumps an age, of late
	leap   float64 // ‖Δθ‖ of the largest jump of late

	scale    []float64 // p: root mean squares of the columns
	norms    []float64 // n: of the samples over the columns that norms are for
	columns  []int     // nil before the first window
	every    []int     // all columns
	near     []float64 // n: in how long each sample can reach a boundary at most
	due      []float64 // n: in how long it does on the tangent
	u, du    []float64 // n: predictors where the window was opened, and their rates
	samples  []int     // room for the watched samples
	measured int       // changes of zone when the sizes of the terms were last taken
}

// The number of watched samples is kept between these where there are so many.
const (
	fewWatched  = 64
	manyWatched = 512
)

// mostWatched returns how many samples a window watches at most.
func (t *tracker) mostWatched() int { return max(manyWatched, t.n/32) }

func newWindow(s *primal) *window {
	w := &window{
		theta: make([]float64, s.p), rate: make([]float64, s.p), du: make([]float64, s.n), scale: make([]float64, s.p), norms: make([]float64, s.n), near: make([]float64, s.n), due: make([]float64, s.n), u: make([]float64, s.n),
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

// strayed returns ‖Δθ‖ of pt off the tangent.
func (w *window) strayed(pt *point) float64 {
	var sum float64
	h := pt.age - w.age
	for j, x := range pt.theta {
		x = (x - w.theta[j] - h*w.rate[j]) * w.scale[j]
		sum += x * x
	}
	return math.Sqrt(sum)
}

// reached returns how many samples reach a boundary in so many ages on the tangent.
func (w *window) reached(length float64) int {
	count := 0
	for _, due := range w.due {
		if due <= length {
			count++
		}
	}
	return count
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
		w.strayed(pt) <= w.moved && t.radii(w.age, pt.age) <= w.radius)
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
		// Behind kinks θ may leave the tangent.
		if rate := w.distance(w.rate, t.left.rate); rate > 0 {
			left = math.Min(left, (w.moved-w.strayed(t.left))/rate)
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
// that tie come and go together, so that few may be out of reach. Where more are so
// close to one that a window without them would not last, they are watched, for as
// long as hardly any others come.
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
	tied := count(shortest)
	few, many = few+tied, many+tied
	for w.length > shortest && count(w.length) > many {
		if w.length < brief*w.age {
			n := count(w.length)
			for w.length < longest && count(2*w.length) <= n+n/4 {
				w.length *= 2
			}
			return
		}
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
	used := l.age - w.age
	w.age = l.age
	copy(w.theta, l.theta)
	copy(w.rate, l.rate)
	w.measureNorms(t.primal, t.watchedColumns())
	if t.n <= max(manyWatched, 8*t.p) {
		t.openAll()
		return
	}
	t.predictAll(w.du, l.rate)
	rate := stray*w.distance(nil, l.rate) + w.drift
	t.lengths(rate)
	if w.length <= 0 {
		w.length = 1e-3 * l.age
	}
	longest := t.options.Age.Max
	if t.expansion != nil {
		longest = t.expansion.longest(used)
		w.length = math.Min(w.length, longest)
		if w.reached(longest) < fewReached {
			t.openAll()
			t.expansion.close()
			w.length = math.Min(farther*longest, w.length)
			return
		}
	}
	w.fit(min(fewWatched, t.n), t.mostWatched(), longest)
	t.within(ample)
	w.moved = ample*rate*w.length + w.leap + roundoff*w.distance(nil, l.theta)
	if t.expansion != nil {
		w.moved = math.Min(w.moved, t.expansion.expand(t))
	}
	w.radius = ample * t.radii(w.age, w.age+w.length)
	t.look(w.samples)
}

// brief is the length of a window, relative to the age, below which it does not pay.
const brief = 1e-5

// ample is how many times as far as it is meant to reach a window is good, for the
// path's curvature and the rounding of θ.
const ample = 1.25

// An expansion is left alone where on the tangent so few samples reach a boundary
// while it is good: all samples are then summed as they are for so many times as
// long.
const (
	fewReached = 4
	farther    = 4
)

// stray is how far off the tangent, relative to the way along it, a window goes.
const stray = 0.25

// within makes samples those that can reach a boundary in a window so many times
// as long.
func (t *tracker) within(times float64) {
	w := t.window
	w.samples = w.samples[:0]
	for i, at := range w.near {
		if at <= times*w.length {
			w.samples = append(w.samples, i)
		}
	}
}

// watchNone ends the window where no samples need to be watched; an expansion
// then sums all of them as they are.
func (t *tracker) watchNone() {
	if t.expansion == nil {
		t.setWatch(nil)
		return
	}
	t.expansion.close()
	t.setWatch(t.all)
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

// lengths writes into near in how many ages each sample can reach a boundary of
// its zone at most, where θ leaves the tangent at the given rate. Boundaries move
// ever slower with the age.
func (t *tracker) lengths(rate float64) {
	w := t.window
	edges, growth := t.edges(w.age)
	least := math.SmallestNonzeroFloat64 // against 0/0
	for i, u := range w.u {
		z := int(t.zone[i])
		if t.kinks > 0 && z == pinned {
			w.near[i] = 0
			continue
		}
		r, dr := t.defect(i, u, w.du[i])
		speed, jump := w.norms[i]*rate+least, w.norms[i]*w.leap
		down, up := max(growth[z], 0)-dr, dr-min(growth[z+1], 0)
		w.near[i] = min((math.Abs(r-edges[z])-jump)/(speed+max(down, 0)), (math.Abs(edges[z+1]-r)-jump)/(speed+max(up, 0)))
		if t.expansion != nil {
			w.due[i] = min(math.Abs(r-edges[z])/(least+max(down, 0)), math.Abs(edges[z+1]-r)/(least+max(dr-growth[z+1], 0)))
		}
	}
}

// defect returns what of sample i is compared with the boundaries ρ, and its rate:
// the size of the residual, the margin's defect.
func (t *tracker) defect(i int, u, du float64) (r, dr float64) {
	if t.hinge != nil {
		return 1 - t.y[i]*u, -t.y[i] * du
	}
	if r = u - t.y[i]; r < 0 {
		return -r, -du
	}
	return r, du
}

// watchedColumns returns the coordinates that can move inside a window.
func (t *tracker) watchedColumns() []int {
	if t.stepwise || t.creeping || t.marginal != nil {
		return t.window.every
	}
	return t.active
}

// measureNorms takes the samples' norms over the columns that can move.
func (w *window) measureNorms(s *primal, columns []int) {
	if w.columns != nil && slices.Equal(w.columns, columns) {
		return
	}
	w.columns = append(make([]int, 0, s.p), columns...)
	for i := range w.norms {
		row := s.sample(i)
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

// edges returns the boundaries ρ of all zones at an age and their rates: of zone z the
// lower end is entry z, the upper one entry z+1; pinned samples are at both.
func (t *tracker) edges(age float64) (edges, growth []float64) {
	edges, growth = make([]float64, len(t.zones)+1), make([]float64, len(t.zones)+1)
	edges[0], edges[len(t.zones)] = math.Inf(-1), math.Inf(1)
	for k := range len(t.zones) - t.kinks - 1 {
		edges[t.kinks+k+1], growth[t.kinks+k+1] = t.edge(k, age)
	}
	return edges, growth
}

// edge returns threshold k of the regularizer at an age as a boundary ρ of the
// residual or the defect, and its rate.
func (t *tracker) edge(k int, age float64) (rho, rate float64) {
	threshold, slope := t.reg.Threshold(k, age)
	if t.hinge != nil {
		return threshold / t.hinge.C, slope / t.hinge.C
	}
	rho = math.Sqrt(threshold)
	return rho, slope / (2 * rho)
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
