package landing

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/activeset"
	"github.com/agepath/agepath/internal/kernel"
)

// nearSet makes steps for linear support vector machines, whose landings take up to thousands of
// steps. Within a neighbourhood only the near samples can reach the margin or change their zones.
// The others' part of a fit's gradient is constant if weights are, a product of zone sums if they
// are linear in the loss, and otherwise a sum over the samples whose weights vary.
type nearSet struct {
	*site
	*activeSet
	hood
	zones  *hingeZones
	primal *condition.Primal

	from  []float64
	zone  []uint8 // at from
	there []float64
	seen  bool
	room  []float64
	share []float64 // -C m y v where the weight varies, else 0
	lap   lap
}

// hood is a neighbourhood of a solution. It watches the samples that can reach the margin or change
// their zones in it, and those whose weights vary.
type hood struct {
	ruler  *window.Ruler
	center []float64
	radius float64   // infinite if all samples are watched
	wide   []float64 // all predictors at the last fit outside
}

// newNearSet reports false if nearSet does not apply, or multipliers do not resolve predictors, as
// with features of very different scales.
func newNearSet(s *site, c *condition.Primal) (*nearSet, bool) {
	m, ok := newMachine(s.state)
	if !ok || m.Cost*slices.Max(m.norms)*slices.Max(m.norms) > tolerance.LargestTerm {
		return nil, false
	}
	f := func(k int) []float64 { return make([]float64, k) }
	n := &nearSet{
		site: s, activeSet: newActiveSet(m), zones: newHingeZones(m, c), primal: c,
		from: f(m.P), zone: make([]uint8, m.N), there: f(m.N), share: f(m.N), lap: lap{length: tolerance.LapSteps, theta: f(m.P)},
		hood: hood{center: f(m.P), wide: f(m.N)},
	}
	if w, ok := s.horizon.(*window.Window); ok {
		n.ruler = w.Ruler
	} else {
		n.ruler = window.NewRuler(&m.Samples)
	}
	return n, true
}

func (n *nearSet) limits() limits {
	return limits{plain: tolerance.PlainNearSetSteps, quiet: tolerance.QuietSteps}
}

func (n *nearSet) begin(theta []float64, age float64) {
	copy(n.from, theta)
	copy(n.zone, n.Zone)
	n.free(func(i int) bool { return n.zone[i] == model.Pinned })
	n.zones.begin(n.primal, age, n.share)
	n.primal.PredictAll(n.wide, n.from)
	n.surround()
	n.lap.begin(n.from)
}

func (n *nearSet) step(context.Context) (p progress, err error) {
	p.changed = n.reweigh()
	if !n.fit() {
		return p, &unfinished{"the fit is not found"}
	}
	p.moved = floats.Distance(n.theta, n.from, 2)
	if p.moved <= tolerance.Tight*math.Sqrt(kernel.Dot(n.theta, n.theta)) {
		p.moved = 0
	}
	copy(n.from, n.theta)
	if n.seen = true; n.outside(n.from) {
		n.surround()
		p.others, p.changed = true, true
	}
	if n.lap.circles(n.from, p.moved) {
		return p, errCircling
	}
	return p, nil
}

// surround sets the neighbourhood to one of from, where the predictors are wide, with few near
// samples; infinite if there are few samples.
func (n *nearSet) surround() {
	n.all()
	size := n.ruler.Distance(nil, n.from)
	if n.N <= tolerance.WindowMany || size == 0 {
		return
	}
	copy(n.center, n.from)
	places, norms := n.scores, n.ruler.Norms(nil)
	var shells [64]int // samples from size / 2^k on, to twice that
	for i, u := range n.u {
		place := 0.0
		if n.zone[i] != model.Pinned {
			g := 1 - n.Y[i]*u
			place = math.Abs(g)
			for _, threshold := range n.zones.thresholds {
				place = min(place, math.Abs(g-threshold/n.Cost))
			}
		}
		places[i] = place / (norms[i] + tolerance.Unit)
		shells[min(max(-math.Ilogb(places[i]/size), 0), len(shells)-1)]++
	}
	n.radius = size
	for k, near := 1, n.N-shells[0]; n.radius > tolerance.WindowBrief*size && near > tolerance.WindowMany; k++ {
		n.radius *= 0.5
		near -= shells[k]
	}
	n.only(places)
}

func (n *nearSet) all() {
	n.look(n.All, n.Rows)
	n.radius = math.Inf(1)
	copy(n.u, n.wide)
	n.seen = true
	n.reweigh()
}

func (n *nearSet) only(places []float64) {
	var samples []int
	n.room, n.seen = n.room[:0], false
	for i, place := range places {
		if place <= n.radius || n.zones.varies(n.zone[i]) {
			samples = append(samples, i)
			n.room = append(n.room, n.Row(i)...)
		}
	}
	n.look(samples, n.room)
}

func (h *hood) outside(theta []float64) bool {
	return !math.IsInf(h.radius, 1) && h.ruler.Distance(h.center, theta) > h.radius
}

func (n *nearSet) reweigh() (changed bool) {
	n.see()
	for slot, i := range n.samples {
		u, zone := n.u[slot], uint8(model.Pinned)
		n.there[i] = u
		if n.Place[i] != activeset.Inside {
			g := 1 - n.Y[i]*u
			if math.Abs(g) > tolerance.SumRounding {
				if n.Place[i] = n.Zero(i); g > 0 {
					n.Place[i] = n.Full(i)
				}
			}
			if zone = model.Satisfied; n.below(i) {
				zone = uint8(n.Kinks + n.zones.of(g))
			}
		}
		n.share[slot] = 0
		if n.zones.varies(zone) {
			n.share[slot] = -n.Y[i] * n.zones.top(i, u)
		}
		if was := n.zone[i]; was != zone {
			changed = true
			n.zone[i] = zone
			n.zones.add(was, i, -n.M[i])
			n.zones.add(zone, i, n.M[i])
		}
	}
	return changed
}

func (n *nearSet) see() {
	if !n.seen {
		kernel.MulVec(n.u[:len(n.samples)], n.rows, n.P, n.from)
		n.seen = true
	}
}

// fit watches all samples from then on if theta is outside the neighbourhood and unwatched samples
// would cross the margin.
func (n *nearSet) fit() (found bool) {
	for whole := false; ; whole = true {
		n.zones.gradient(n.c, n.from)
		if slices.Contains(n.zones.kind, varyingWeight) {
			kernel.MulTransAdd(n.c, n.rows, n.P, n.share[:len(n.samples)])
		}
		if !n.fits(func(i int) float64 { return n.zones.top(i, n.there[i]) }) {
			return false
		}
		if whole || !n.outside(n.theta) || !n.misses() {
			return true
		}
		n.primal.PredictAll(n.wide, n.from)
		n.all()
	}
}

func (n *nearSet) misses() bool {
	n.primal.PredictAll(n.wide, n.theta)
	for i, u := range n.wide {
		if g := 1 - n.Y[i]*u; n.below(i) != (g > 0) && math.Abs(g) > tolerance.SumRounding && !n.among[i] {
			return true
		}
	}
	return false
}

func (n *nearSet) settle(pt *model.Point, final bool) (value float64, ok bool) {
	if n.reweigh() && !final {
		return 0, false
	}
	for _, i := range n.Free() {
		pt.Dual[i] = n.Y[i] * n.Beta[i]
	}
	n.primal.PredictAll(n.wide, n.from)
	return n.place(pt, n.zones.age, n.from, n.wide, n.zone, final)
}

func (n *nearSet) solution() (theta []float64, samples []int, u []float64) {
	n.see()
	return n.from, n.samples, n.u[:len(n.samples)]
}

// objective is infinite outside the neighbourhood, where unwatched samples may change their zones.
func (n *nearSet) objective(theta, _ []float64) float64 {
	if n.outside(theta) {
		return math.Inf(1)
	}
	return n.objectiveAt(theta, n.zones.age)
}

func (n *nearSet) move(theta, _ []float64) {
	copy(n.from, theta)
	n.seen = false
}

type lap struct {
	length int
	theta  []float64
	steps  int
	way    float64
	before float64
}

func (l *lap) begin(theta []float64) {
	copy(l.theta, theta)
	l.steps, l.way, l.before = 0, 0, math.Inf(1)
}

// circles reports whether the last lap has returned to its start by steps that do not shrink.
func (l *lap) circles(theta []float64, step float64) bool {
	l.way += step
	if l.steps++; l.steps < l.length {
		return false
	}
	if floats.Distance(l.theta, theta, 2) <= tolerance.LapPart*l.way && l.way >= 0.5*l.before {
		return true
	}
	way := l.way
	l.begin(theta)
	l.before = way
	return false
}
