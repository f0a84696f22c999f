package gaga

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/testing/needs"
)

// The sign test against brute force: at each event both assignments, before
// and behind the crossing, are continued from the problem alone. The path must
// arrive on the first, and turns exactly when on the second H is positive
// definite and the event function moves into the new zone.
func TestSignTestAgainstBruteForce(t *testing.T) {
	t.Parallel()
	problems := map[string]int{"regression": 1000, "svm": 800}
	switch {
	case testing.Short():
		problems = map[string]int{"regression": 300, "svm": 200}
	case needs.Long():
		problems = map[string]int{"regression": 60_000, "svm": 60_000}
	}
	for _, family := range families {
		t.Run(family.name, func(t *testing.T) {
			t.Parallel()
			var c comparison
			for seed := range problems[family.name] {
				c.add(t, seed, family.draw(rand.New(rand.NewPCG(uint64(seed), 13))))
			}
			t.Logf("%d events, %d disagreements; left out: %d ties, %d without a test; by crossing %v", c.events, c.other, c.ties, c.near, c.kinds)
			if c.events < problems[family.name] {
				t.Errorf("only %d events were compared", c.events)
			}
		})
	}
}

// comparison counts the events of paths.
type comparison struct {
	events, other int // compared, of which brute force disagrees
	ties          int // several at once, or flat to rounding
	near          int // breaks of the weight, within rounding of singular, landings at the same point
	kinds         map[string]int
}

// rival is an independent continuation of both assignments of an event.
type rival interface {
	flat() bool
	continues(behind bool) bool
}

// add compares the events of a problem's path.
func (c *comparison) add(t *testing.T, seed int, p *Problem) {
	path, err := Track(context.Background(), p, Options{Age: Range{0.01, 20}, MaxAlternations: 20000})
	if err != nil {
		t.Errorf("seed %d: %v; %s", seed, err, describeProblem(p))
		return
	}
	knots := path.Knots()
	for i := range knots {
		k := &knots[i]
		if (k.Kind != Turning && k.Kind != Jump) || k.Cause == Fold || k.Cause == Stall {
			continue
		}
		if tied(knots, i) {
			c.ties++
			continue
		}
		if math.IsInf(k.Scalar, -1) || math.Abs(k.Scalar) < 1e-7 || math.IsNaN(k.Scalar) || (k.Kind == Turning && k.Scalar <= 0) {
			c.near++
			continue
		}
		var b rival = newBrute(p, path, k)
		if _, hinge := p.Loss.(Hinge); hinge {
			b = newBruteSVM(p, path, k)
		}
		if b.flat() {
			c.ties++
			continue
		}
		arrives, goesOn := b.continues(false), b.continues(true)
		c.events++
		if c.kinds == nil {
			c.kinds = map[string]int{}
		}
		kind := k.Detail[strings.Index(k.Detail, ": ")+1:]
		if k.Cause == Activated || k.Cause == Dropped {
			kind = k.Cause.String()
		}
		c.kinds[strings.TrimSpace(kind)+" "+k.Kind.String()]++
		if !arrives || goesOn != (k.Kind == Turning) {
			c.other++
			t.Errorf("seed %d, age %v, %v, scalar %v: %v, but brute force arrives: %v, goes on: %v; %s", seed, k.Age, k.Detail, k.Scalar, k.Kind, arrives, goesOn, describeProblem(p))
		}
	}
}

// tied reports whether another event shares the age of knot i.
func tied(knots []Knot, i int) bool {
	for _, j := range [2]int{i - 1, i + 1} {
		if j < 0 || j >= len(knots) {
			continue
		}
		o := &knots[j]
		if (o.Kind == Turning || o.Kind == Jump) && math.Abs(o.Age-knots[i].Age) <= 1e-7*o.Age {
			return true
		}
	}
	return false
}

// brute holds one event: the point and the two assignments of zones and signs.
type brute struct {
	p            *Problem
	k            *Knot
	zone, sign   []int // before
	zone2, sign2 []int // behind
	zones        []Zone
}

func newBrute(p *Problem, path *Path, k *Knot) *brute {
	pc := path.pieces[k.piece]
	b := &brute{p: p, k: k, zones: p.Regularizer.Zones()}
	for _, z := range pc.zone {
		b.zone = append(b.zone, int(z))
	}
	for _, s := range pc.sign {
		b.sign = append(b.sign, int(s))
	}
	apply := func(zone, sign []int, c change) {
		switch c.cause {
		case model.SampleUp:
			zone[c.index]++
		case model.SampleDown:
			zone[c.index]--
		case model.Activated:
			sign[c.index] = int(c.sign)
		case model.Dropped:
			sign[c.index] = 0
		}
	}
	before := k.change
	if k.Kind == Turning {
		before--
	}
	for _, c := range pc.changes[:before] {
		apply(b.zone, b.sign, c)
	}
	b.zone2, b.sign2 = append([]int(nil), b.zone...), append([]int(nil), b.sign...)
	c := change{cause: model.Cause(k.Cause), index: k.Index}
	if c.cause == model.Activated {
		c.sign = -model.Sign(b.gradient(b.zone)[c.index])
	}
	apply(b.zone2, b.sign2, c)
	return b
}

func (b *brute) columns() int { return len(b.sign) }

func (b *brute) x(i, j int) float64 {
	if j == b.p.X.Cols {
		return 1
	}
	return b.p.X.Data[i*b.p.X.Stride+j]
}

// sample returns m φ and its derivatives in u and in the age.
func (b *brute) sample(i int, zone []int) (f, fu, fa, u, slope float64) {
	for j := range b.columns() {
		u += b.x(i, j) * b.k.Theta[j]
	}
	loss, slope, curvature := b.p.Loss.Eval(u, b.p.Y[i])
	v, dv, da := b.p.Regularizer.Weight(zone[i], loss, b.k.Age)
	m := b.p.multiplicity(i)
	return m * v * slope, m * (dv*slope*slope + v*curvature), m * da * slope, u, slope
}

func (b *brute) gradient(zone []int) []float64 {
	g := make([]float64, b.columns())
	for i := range b.p.Y {
		f, _, _, _, _ := b.sample(i, zone)
		for j := range g {
			g[j] += f * b.x(i, j)
		}
	}
	return g
}

// continues reports whether H is positive definite on an assignment and the
// path moves there as the event says: before the crossing towards it, behind it
// away from it.
func (b *brute) continues(behind bool) bool {
	rate, whole, dage, ok := b.rates(behind)
	return ok && b.towards(rate, whole, dage) >= 0
}

// rates returns the rates of the coordinates on an assignment, and H and the
// derivative of the gradient in the age over all coordinates; false where H is
// not positive definite.
func (b *brute) rates(behind bool) (rate []float64, whole *mat.SymDense, dage []float64, ok bool) {
	zone, signs := b.zone, b.sign
	if behind {
		zone, signs = b.zone2, b.sign2
	}
	var active []int
	for j, s := range signs {
		if s != 0 || j == b.p.X.Cols {
			active = append(active, j)
		}
	}
	p, k := b.columns(), len(active)
	whole, dage = mat.NewSymDense(p, nil), make([]float64, p)
	for i := range b.p.Y {
		_, fu, fa, _, _ := b.sample(i, zone)
		for r := range p {
			dage[r] += fa * b.x(i, r)
			for q := r; q < p; q++ {
				whole.SetSym(r, q, whole.At(r, q)+fu*b.x(i, r)*b.x(i, q))
			}
		}
	}
	rate = make([]float64, p)
	if k > 0 {
		h, rhs := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
		for r, j := range active {
			rhs.SetVec(r, -dage[j])
			for q := r; q < k; q++ {
				h.SetSym(r, q, whole.At(j, active[q]))
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(h, false) || eigen.Values(nil)[0] <= 0 {
			return nil, nil, nil, false
		}
		var x mat.VecDense
		if err := x.SolveVec(h, rhs); err != nil {
			if _, poor := errors.AsType[mat.Condition](err); !poor {
				return nil, nil, nil, false
			}
		}
		for r, j := range active {
			rate[j] = x.AtVec(r)
		}
	}
	return rate, whole, dage, true
}

// towards returns the speed at which the event function moves on in the
// direction of the crossing.
func (b *brute) towards(rate []float64, whole *mat.SymDense, dage []float64) float64 {
	i := b.k.Index
	switch b.k.Cause {
	case SampleUp, SampleDown:
		_, _, _, _, slope := b.sample(i, b.zone)
		var du float64
		for j, w := range rate {
			du += b.x(i, j) * w
		}
		lower := min(b.zone[i], b.zone2[i])
		_, threshold := b.p.Regularizer.Threshold(lower, b.k.Age)
		if b.k.Cause == SampleDown {
			return threshold - slope*du
		}
		return slope*du - threshold
	case Dropped:
		// Before: the coefficient falls to zero. Behind: the gradient falls
		// back below the L1 weight.
		if rate[i] != 0 {
			return -rate[i] * float64(b.sign[i])
		}
		return float64(b.sign[i]) * b.gradientRate(i, rate, whole, dage)
	default:
		// Before: the gradient rises to the L1 weight. Behind: the coefficient
		// leaves zero with the opposite sign.
		if rate[i] != 0 {
			return rate[i] * float64(b.sign2[i])
		}
		return -float64(b.sign2[i]) * b.gradientRate(i, rate, whole, dage)
	}
}

// flat reports whether an event function reaches its boundary at a rate that
// is rounding, as those of tied coordinates do.
func (b *brute) flat() bool {
	if b.k.Cause != Activated && b.k.Cause != Dropped {
		return false
	}
	tied, l1 := 0, b.p.Penalty.L1
	for j, g := range b.gradient(b.zone)[:b.p.X.Cols] {
		if j == b.k.Index || (b.sign[j] == 0 && math.Abs(math.Abs(g)-l1) <= 1e-9*l1) {
			tied++
		}
	}
	return tied > 1 || (b.k.Cause == Dropped && b.shares()) || (b.k.Cause == Activated && b.stands())
}

// stands reports whether the gradient of the coordinate that is activated stays
// where it is before, as that of one tied with an active coordinate does.
func (b *brute) stands() bool {
	rate, whole, dage, ok := b.rates(false)
	if !ok {
		return false
	}
	sum, size := dage[b.k.Index], math.Abs(dage[b.k.Index])
	for q, w := range rate {
		term := whole.At(b.k.Index, q) * w
		sum += term
		size += math.Abs(term)
	}
	return math.Abs(sum) <= 1e-9*size
}

// shares reports whether the coordinate's column is a multiple of another's on
// the samples of weight.
func (b *brute) shares() bool {
	j := b.k.Index
	for o := range b.p.X.Cols {
		var jj, oo, jo float64
		for i := range b.p.Y {
			if _, fu, _, _, _ := b.sample(i, b.zone); fu != 0 {
				jj += b.x(i, j) * b.x(i, j)
				oo += b.x(i, o) * b.x(i, o)
				jo += b.x(i, j) * b.x(i, o)
			}
		}
		if o != j && jo*jo >= jj*oo*(1-1e-9) {
			return true
		}
	}
	return false
}

func (b *brute) gradientRate(j int, rate []float64, whole *mat.SymDense, dage []float64) float64 {
	sum := dage[j]
	for q, w := range rate {
		sum += whole.At(j, q) * w
	}
	return sum
}
