package gaga

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/kernel"
)

// marginCreep alternates for the landings of linear support vector machines, of which
// one may take thousands of alternations. Its fits go on from the free support vectors
// of the fit before. In a neighbourhood only the near samples can come to the margin or
// change their zones. The others' part of a fit's gradient is the same for all fits
// there where weights are constant, a product in zone sums with the linear regularizer,
// and else a sum over those whose weights vary.
type marginCreep struct {
	*supports
	t          *tracker
	ruler      *window // for its norms and distances
	age        float64
	thresholds []float64

	from   []float64 // p: the solution that the next fit takes its weights from
	zone   []uint8   // n: there
	scores []float64 // n: predictors there, of the looked
	seen   bool      // u has these, too

	kind     []weighting // of the regularizer's zones
	linear   int         // the one of linear weight, where there is one
	weights  []float64   // of these: v where it is constant, at the age
	count    []float64   // of these: Σ m of their samples
	constant []float64   // p: Σ C m v z over zones of constant weight
	first    []float64   // p: Σ m z over that of linear weight
	second   []float64   // p x p: Σ m z zᵀ there, nil without one

	center []float64 // p: of the neighbourhood
	radius float64   // infinite where all samples are near
	places []float64 // n: distances from the center at which samples can change their zones
	looked []int     // the near samples, which are watched, then the others whose weights vary; rows has theirs in this order
	near   int       // how many are near
	room   []float64 // for rows
	share  []float64 // of the looked: -C m y v where the weight varies, else 0
	wide   []float64 // n: predictors of all samples at the last fit outside the neighbourhood
	row    []float64 // p, scratch
}

// weighting tells how the weights in a zone depend on the loss.
type weighting uint8

const (
	constantWeight weighting = iota
	linearWeight             // sums over the zone tell Σ m v z
	varyingWeight
)

// newMarginCreep returns nil where the problem is of another kind.
func newMarginCreep(t *tracker) *marginCreep {
	if t.primal == nil || t.hinge == nil || t.problem.Penalty.L1 != 0 {
		return nil
	}
	s := newSupports(t.primal)
	if s == nil {
		return nil
	}
	f := func(k int) []float64 { return make([]float64, k) }
	zones := len(t.zones) - t.kinks
	c := &marginCreep{
		supports: s, t: t, ruler: t.window, thresholds: f(zones - 1), from: f(t.p), zone: make([]uint8, t.n), scores: f(t.n),
		kind: make([]weighting, zones), weights: f(zones), count: f(zones), constant: f(t.p),
		center: f(t.p), places: f(t.n), share: f(t.n), wide: f(t.n), row: f(t.p),
	}
	if c.ruler == nil {
		c.ruler = newWindow(t.primal)
	}
	for k := range c.kind {
		switch m := t.primal.margins; {
		case m != nil && m.curved == t.kinks+k:
			c.linear = k
			c.kind[k], c.first, c.second = linearWeight, f(t.p), f(t.p*t.p)
		case t.curved[t.kinks+k]:
			c.kind[k] = varyingWeight
		}
	}
	return c
}

// plainCreep is how many alternations of a creep over the margin are left as they are.
// They cost little, and on digits and mfeat-pixel with noise one in 100 landings ends
// elsewhere where only the first [plain] are, one in 2,000 where these are.
const plainCreep = 200

// ending tells how a creep over the margin ended.
type ending uint8

const (
	nowhere ending = iota // not at a landing point
	landed                // the left point is the landing point
	circles               // it comes back to where it was: what is left to go drowns in the rounding of the fits
)

// circuit is after how many alternations it is looked whether a creep has moved on.
const circuit = 16

// creepOver is creepOn for the hinge loss, but that the left point is the landing point
// where it says so. Else theta is the last solution that it came to.
func (t *tracker) creepOver(ctx context.Context, age float64, theta []float64) (steps int, end ending) {
	c := t.marginal
	if c == nil {
		return 0, nowhere
	}
	c.start(age, theta)
	defer func() { copy(theta, c.from) }()
	pace := newPace(2)
	var stride *stride
	var refuted []uint8
	way := 0.0 // since theta
	for k := 1; k <= t.options.maxAlternations() && ctx.Err() == nil; k++ {
		changed := c.reweigh() || k == 1 // start has not kept what it changed
		if !c.fit() && !c.ask(ctx) {
			break
		}
		moved := c.moved()
		if steps = k; c.step() {
			changed = true
			if stride != nil { // other samples are looked at
				c.predictors(stride.anchorScores, stride.anchor)
			}
		}
		if way += moved; k%circuit == 0 {
			if floats.Distance(theta, c.from, 2) <= 0.01*way {
				return steps, circles
			}
			copy(theta, c.from)
			way = 0
		}
		if pace.wait(changed, moved) {
			if stride == nil {
				stride = newStride(marginWalk{c}, t.n)
			} else if k > plainCreep {
				stride.extend()
			}
			continue
		}
		if changed = c.reweigh(); moved > 0 && (changed || t.fixed && slices.Equal(c.zone, refuted)) {
			continue
		}
		refuted = append(refuted[:0], c.zone...)
		t.search.SetTheta(t.publish(c.from))
		if ok, _ := t.polish(c.zone, age); ok {
			return k, landed
		}
		if moved == 0 {
			break
		}
	}
	return steps, nowhere
}

// start begins at a solution, with the left point's free support vectors.
func (c *marginCreep) start(age float64, theta []float64) {
	t := c.t
	c.age = age
	thresholdsAt(c.thresholds, t.reg, age)
	copy(c.from, theta)
	copy(c.zone, t.zone)
	c.follow(func(i int) bool { return c.zone[i] == pinned })
	clear(c.constant)
	clear(c.count)
	some := false // constant weights
	for k, kind := range c.kind {
		if kind == constantWeight {
			c.weights[k], _, _ = t.reg.Weight(k, t.system.inside(k, age), age)
			some = some || c.weights[k] != 0
		}
	}
	if c.second != nil {
		copy(c.first, t.primal.margins.sums[t.kinks+c.linear].first)
		copy(c.second, t.primal.margins.second)
	}
	clear(c.share)
	for i, z := range c.zone {
		if z <= pinned {
			continue
		}
		k := int(z) - t.kinks
		if c.count[k] += t.m[i]; c.kind[k] == constantWeight {
			c.share[i] = -t.hinge.C * t.m[i] * t.y[i] * c.weights[k]
		}
	}
	if some {
		kernel.MulTransAdd(c.constant, c.a, c.p, c.share)
	}
	t.predictAll(c.wide, c.from)
	c.surround()
}

// surround makes the neighbourhood one of the solution that the next fit takes its
// weights from, for which wide has the predictors, in which few samples are near; where
// there are few samples at all it has no end.
func (c *marginCreep) surround() {
	t := c.t
	c.all()
	copy(c.u, c.wide)
	c.seen = true
	c.reweigh()
	if t.n <= manyWatched {
		return
	}
	copy(c.center, c.from)
	c.ruler.measureNorms(t.primal, c.ruler.every)
	for i, u := range c.u {
		place := 0.0
		if c.zone[i] != pinned {
			g := 1 - c.y[i]*u
			place = math.Abs(g)
			for _, threshold := range c.thresholds {
				place = min(place, math.Abs(g-threshold/t.hinge.C))
			}
		}
		c.places[i] = place / (c.ruler.norms[i] + math.SmallestNonzeroFloat64)
	}
	size := c.ruler.distance(nil, c.from)
	most := t.mostWatched()
	for radius := size; radius > 0; radius *= 0.5 {
		if radius <= brief*size {
			most = c.n // a crowd, which no neighbourhood leaves out
		}
		near := c.looked[:0]
		for i, place := range c.places {
			if place <= radius {
				if near = append(near, i); len(near) > most {
					break
				}
			}
		}
		if len(near) <= most {
			c.radius = radius
			c.only(near)
			return
		}
	}
	c.all()
}

// all makes all samples near.
func (c *marginCreep) all() {
	c.look(c.t.all, c.a)
	c.looked = append(c.looked[:0], c.t.all...)
	c.near, c.radius = c.n, math.Inf(1)
}

// only makes the given samples the near ones.
func (c *marginCreep) only(near []int) {
	c.near, c.seen = len(near), false
	c.look(near, nil)
	for i, z := range c.zone {
		if z > pinned && c.kind[int(z)-c.kinks] == varyingWeight && !c.among[i] {
			near = append(near, i)
		}
	}
	c.looked = near
	c.room = resize(c.room, len(near)*c.p)
	for slot, i := range near {
		copy(c.room[slot*c.p:(slot+1)*c.p], c.sample(i))
	}
	c.look(near[:c.near], c.room)
}

// boundless reports whether all samples are near, in their own order.
func (c *marginCreep) boundless() bool { return math.IsInf(c.radius, 1) }

// outside reports whether a solution is outside the neighbourhood.
func (c *marginCreep) outside(theta []float64) bool {
	return !c.boundless() && c.ruler.distance(c.center, theta) > c.radius
}

// moved returns how far the fit is from the solution that it took its weights from, 0
// where that is rounding.
func (c *marginCreep) moved() float64 {
	moved, size := floats.Distance(c.theta, c.from, 2), kernel.Dot(c.theta, c.theta)
	if moved*moved <= 1e-28*size {
		return 0
	}
	return moved
}

// step makes the fit the solution that the next one takes its weights from. It reports
// whether that is outside the neighbourhood, so that there is another one now.
func (c *marginCreep) step() bool {
	copy(c.from, c.theta)
	c.seen = c.near == len(c.looked)
	if !c.outside(c.from) {
		return false
	}
	c.surround()
	return true
}

// see makes u the predictors of the looked samples at the solution that the next fit
// takes its weights from.
func (c *marginCreep) see() {
	if !c.seen {
		c.predictors(c.u, c.from)
		c.seen = true
	}
}

// predictors writes those of the looked samples at a solution.
func (c *marginCreep) predictors(dst, theta []float64) {
	kernel.MulVec(dst[:len(c.looked)], c.rows, c.p, theta)
}

// reweigh takes the weights of the looked samples from the solution, and reports
// whether any changed its zone.
func (c *marginCreep) reweigh() (changed bool) {
	t := c.t
	c.see()
	for slot, i := range c.looked {
		u, zone := c.u[slot], uint8(pinned)
		c.scores[i] = u
		if !c.free[i] {
			g := 1 - c.y[i]*u
			if math.Abs(g) > slack {
				c.below[i] = g > 0
			}
			if zone = satisfied; c.below[i] {
				zone = uint8(t.kinks + c.zoneOf(g))
			}
		}
		c.share[slot] = 0
		if k := int(zone) - t.kinks; k >= 0 && c.kind[k] == varyingWeight {
			c.share[slot] = -c.y[i] * c.box(i)
		}
		if was := c.zone[i]; was != zone {
			changed = true
			c.zone[i] = zone
			c.add(was, i, -t.m[i])
			c.add(zone, i, t.m[i])
		}
	}
	return changed
}

// add adds m times a sample's terms to the sums of a zone.
func (c *marginCreep) add(zone uint8, i int, m float64) {
	k := int(zone) - c.kinks
	if k < 0 {
		return
	}
	c.count[k] += m
	x := vector(c.sample(i))
	switch {
	case c.kind[k] == linearWeight:
		blas64.Axpy(-m*c.y[i], x, vector(c.first))
		blas64.Ger(m, x, x, general(c.p, c.p, c.second))
	case c.weights[k] != 0:
		blas64.Axpy(-m*c.y[i]*c.t.hinge.C*c.weights[k], x, vector(c.constant))
	}
}

// zoneOf returns the regularizer's zone of a sample whose margin lacks g.
func (c *marginCreep) zoneOf(g float64) int {
	return zoneAmong(c.t.search.zones, c.thresholds, c.t.hinge.C*max(0, g))
}

// box returns the upper bound of a near sample's multiplier: C m v at the solution that
// weights are taken from.
func (c *marginCreep) box(i int) float64 {
	t := c.t
	g := 1 - c.y[i]*c.scores[i]
	v, _, _ := t.reg.Weight(c.zoneOf(g), t.hinge.C*max(0, g), c.age)
	return t.m[i] * t.hinge.C * v
}

// fit makes theta the weighted fit. It reports false where it is not found.
func (c *marginCreep) fit() bool {
	copy(c.c, c.constant)
	if c.second != nil {
		price, f := c.t.hinge.C, c.t.series.Series(c.linear, c.age).F
		blas64.Axpy(f[2]*price, vector(c.first), vector(c.c))
		copy(c.row, c.first) // Σ m g z
		blas64.Gemv(blas.NoTrans, 1, general(c.p, c.p, c.second), vector(c.from), 1, vector(c.row))
		blas64.Axpy(2*f[3]*price*price, vector(c.row), vector(c.c))
	} else if slices.Contains(c.kind, varyingWeight) {
		kernel.MulTransAdd(c.c, c.rows, c.p, c.share[:len(c.looked)])
	}
	for c.fits(c.box) {
		if !c.outside(c.theta) || !c.meet() {
			return true
		}
	}
	return false
}

// meet makes those samples near besides that the fit has brought to the wrong side of
// the margin, outside the neighbourhood, and reports whether there are any.
func (c *marginCreep) meet() bool {
	c.t.predictAll(c.wide, c.theta)
	near := append([]int(nil), c.looked[:c.near]...)
	for i, u := range c.wide {
		if g := 1 - c.y[i]*u; c.below[i] != (g > 0) && math.Abs(g) > slack && !c.among[i] {
			near = append(near, i)
			c.scores[i] = c.predictOne(i, c.from)
		}
	}
	if len(near) == c.near {
		return false
	}
	c.only(near)
	return true
}

// ask makes theta the search's fit, where the exchange of free support vectors has not
// come to an end. It reports false where that fails, too.
func (c *marginCreep) ask(ctx context.Context) bool {
	t := c.t
	t.predictAll(c.wide, c.from)
	t.search.startAt(t.publish(c.from), c.wide)
	if _, err := t.alternate(ctx, c.age); err != nil {
		return false
	}
	copy(c.theta, t.search.Theta()[:c.p])
	svm := t.search.solver.(*convex.SVM)
	c.clear()
	c.follow(func(i int) bool { return t.search.fitted[i] > 0 && svm.Standing(i) == convex.Free })
	for i := range c.below {
		c.below[i] = !c.free[i] && svm.Standing(i) == convex.AtUpper
	}
	copy(c.wide, t.search.scores)
	c.radius = 0 // step leaves it
	return true
}
