package window

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// zones are sums over zones, which maintain their sizes and their rounding themselves.
type zones struct{}

func (zones) open(w *Window, left *model.Point, _ float64) {
	if w.begin(left) {
		w.extend(left)
		w.end(left)
	}
}

func (zones) withdraw(w *Window, _ []float64, _ float64) { w.condition.SetWatch(nil) }

// moments recompute their sizes after many changes of zone, and themselves if they have drifted.
type moments struct {
	*sums.Moments
	zones
	measured int
}

func (m *moments) open(w *Window, left *model.Point, used float64) {
	s := w.condition.State()
	if moves := m.Moves(); moves < m.measured || moves-m.measured >= s.N/tolerance.WindowMoves {
		w.predict(left)
		w.condition.Predict(left.U, left.Theta)
		w.condition.Assemble(left)
		if off := m.Measure(w.u, left.Age); off > tolerance.SumRounding || moves > s.N {
			m.Sum(w.u)
			w.condition.Assemble(left)
		}
		m.measured = m.Moves()
	}
	m.zones.open(w, left, used)
}

func (m *moments) withdraw(w *Window, u []float64, age float64) {
	m.zones.withdraw(w, u, age)
	m.Measure(u, age)
	m.measured = m.Moves()
}

// begin places the window at left and computes how soon each sample can reach a boundary. It
// reports false if there are so few samples that all are watched.
func (w *Window) begin(left *model.Point) bool {
	s := w.condition.State()
	w.age = left.Age
	copy(w.theta, left.Theta)
	copy(w.rate, left.Rate)
	w.Norms(w.moving())
	if s.N <= max(tolerance.WindowLeast, tolerance.WindowRows*s.P) {
		w.watchAll(left)
		return false
	}
	within := w.length
	if within <= 0 {
		w.length, within = tolerance.WindowFirst*left.Age, math.Inf(1)
	}
	w.ends, w.rates = boundaries(s, w.age)
	// The longer the path goes without a jump, the rarer they have become.
	drift := math.Min(w.drift, w.jumped/(left.Age-w.landed))
	w.speed, w.leap = tolerance.WindowStray*w.Distance(nil, w.rate)+drift, w.jumped
	w.predict(left)
	w.reach(within)
	return true
}

func (w *Window) predict(left *model.Point) {
	if w.predicted {
		return
	}
	w.predicted = true
	w.condition.PredictAll(w.u, left.Theta)
	w.condition.PredictAll(w.du, left.Rate)
}

// earliest returns the fewest ages in which sample i can reach a boundary, +Inf beyond the limit.
func (w *Window) earliest(i int, r, dr float64) float64 {
	s := w.condition.State()
	z := int(s.Zone[i])
	if s.Kinked() && z == model.Pinned {
		return 0
	}
	const least = 0x1p-900 // avoids 0/0 and slow denormals
	stray, jump := w.norms[i]*w.speed+least, w.norms[i]*w.leap
	down, up := stray+max(max(w.rates[z], 0)-dr, 0), stray+max(dr-min(w.rates[z+1], 0), 0)
	below, above := math.Abs(r-w.ends[z])-jump, math.Abs(w.ends[z+1]-r)-jump
	if !(below <= w.limit*down || above <= w.limit*up) {
		return math.Inf(1)
	}
	return min(below/down, above/up)
}

func (w *Window) extend(left *model.Point) {
	n := w.condition.State().N
	w.fit(min(tolerance.WindowFew, n), tolerance.WindowMany)
	w.within(tolerance.WindowAmple * w.length)
	w.moved = tolerance.WindowAmple*w.speed*w.length + w.leap + tolerance.Roundoff*w.Distance(nil, left.Theta)
}

func (w *Window) end(left *model.Point) {
	w.radius = tolerance.WindowAmple * w.growth(w.age+w.length)
	w.watch(left, w.samples)
}

func (w *Window) watchAll(left *model.Point) {
	w.extent = extent{w.age, math.Inf(1), math.Inf(1)}
	w.watch(left, w.condition.State().All)
}

func (w *Window) watch(left *model.Point, samples []int) {
	w.condition.SetWatch(samples)
	w.condition.Predict(left.U, left.Theta)
	w.condition.Predict(left.DU, left.Rate)
	w.condition.State().Evaluate(left)
}

// reach finds the samples that can reach a boundary within some lengths, if θ leaves the tangent at
// the speed, or at once by the leap. The speed of boundaries decreases with the age.
func (w *Window) reach(length float64) {
	s := w.condition.State()
	w.limit = tolerance.WindowLook * length
	w.soon, w.near = w.soon[:0], w.near[:0]
	for i, u := range w.u {
		r, dr := defect(s.Kinked(), s.Y[i], u, w.du[i])
		if at := w.earliest(i, r, dr); !math.IsInf(at, 1) || math.IsInf(w.limit, 1) {
			w.soon, w.near = append(w.soon, i), append(w.near, at)
		}
	}
}

// look ensures that all samples are found that can reach a boundary within a length.
func (w *Window) look(length float64) {
	if length > w.limit {
		w.reach(math.Inf(1))
	}
}

func (w *Window) count(length float64) (n int) {
	w.look(length)
	for _, at := range w.near {
		if at <= length {
			n++
		}
	}
	return n
}

func (w *Window) within(length float64) {
	w.look(length)
	w.samples = w.samples[:0]
	for k, at := range w.near {
		if at <= length {
			w.samples = append(w.samples, w.soon[k])
		}
	}
}

// fit halves or doubles the window's length until it has between few and many samples, if ties
// allow. Samples so close to a boundary that a window without them would not last are watched, if
// hardly any others are added.
func (w *Window) fit(few, many int) {
	shortest := tolerance.Nudge * w.age
	tied := w.count(shortest)
	few, many = few+tied, many+tied
	for w.length > shortest && w.count(w.length) > many {
		if w.length < tolerance.WindowBrief*w.age {
			most := int(tolerance.WindowAmple * float64(w.count(w.length)))
			for w.length < w.last && w.count(2*w.length) <= most {
				w.length *= 2
			}
			return
		}
		w.length *= 0.5
	}
	for w.length < w.last && w.count(w.length) < few && w.count(2*w.length) <= many {
		w.length *= 2
	}
}

// Surround makes the window a neighbourhood of pt in which few samples can change their zones, and
// watches these. All samples move to the zones of their losses. It reports false if too many tie.
func (w *Window) Surround(pt *model.Point) bool {
	s := w.condition.State()
	w.condition.PredictAll(w.u, pt.Theta)
	w.predicted = true
	zones := make([]uint8, s.N)
	for i, u := range w.u {
		loss, _, _ := s.Loss.Eval(u, s.Y[i])
		zones[i] = uint8(s.Kinks + s.Of(loss, pt.Age))
	}
	w.condition.Place(zones, w.u, nil)
	w.condition.Choose()
	w.condition.Assemble(pt)
	w.outside.withdraw(w, w.u, pt.Age)
	w.age = pt.Age
	copy(w.theta, pt.Theta)
	clear(w.rate)
	w.Norms(w.moving())
	if s.N <= tolerance.WindowMany {
		w.extent = extent{pt.Age, math.Inf(1), 0}
		w.condition.SetWatch(s.All)
		return true
	}
	clear(w.du)
	w.ends, w.rates = boundaries(s, w.age)
	clear(w.rates)
	w.speed, w.leap = 1, 0
	size := w.Distance(nil, pt.Theta)
	w.reach(size)
	for w.length = size; ; w.length *= 0.5 {
		if w.within(tolerance.WindowAmple * w.length); len(w.samples) <= tolerance.WindowMany {
			break
		}
		if !(w.length > tolerance.KKT*size) {
			return false
		}
	}
	w.moved, w.radius = w.length, 0
	w.condition.SetWatch(w.samples)
	return true
}
