package sums

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agepath/agepath/gaga/internal/model"
)

// The sums over zones must say what the sums over samples say, also after many
// changes of zone.
func TestMarginsAreSumsOverSamples(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		r := []model.Regularizer{linear{}, hard{}}[seed%2]
		p := problemOf(rng, 40, 5, 0.3+rng.Float64(), r)
		a, b := scopeOf(p), scopeOf(p)
		sums, ok := NewPlain(a).(*Margins)
		if !ok {
			t.Fatalf("no zone sums under %T", r)
		}
		samples := NewDirect(b)
		zones, pins := make([]uint8, p.N), 3
		for i := range zones {
			zones[i] = uint8(rng.IntN(len(p.Zones)))
			if zones[i] == model.Pinned {
				if pins--; pins < 0 {
					zones[i] = uint8(p.Kinks)
				}
			}
		}
		a.place(sums, zones, nil)
		b.place(samples, zones, nil)
		for range 25 {
			i, up := rng.IntN(p.N), rng.IntN(2) == 0
			a.shift(sums, i, up, nil)
			b.shift(samples, i, up, nil)
		}
		pt := a.draw(rng, 0.5, 10+10*rng.Float64()) // all weights positive
		other := model.NewPoint(p)
		other.Age = pt.Age
		copy(other.Theta, pt.Theta)
		a.assemble(sums, pt)
		b.assemble(samples, other)
		what, size, k := fmt.Sprintf("seed %d: ", seed), float64(p.N), len(a.Active)
		compare(t, what, a, b, size)
		same(t, what+"scale", a.Scale[:k], b.Scale[:k], size)
		same(t, what+"diagonal", a.Diag[:k], b.Diag[:k], size)
		f := func() []float64 { return make([]float64, p.P) }
		ga, gb, sa, sb := f(), f(), f(), f()
		sums.Gradients(ga, sa)
		samples.Gradients(gb, sb)
		same(t, what+"gradients", ga, gb, size)
		same(t, what+"their sizes", sa, sb, size)
		// The sum takes a sample's loss by its zone's formula, the integral by the loss.
		want := 0.0
		for i, z := range a.Zone {
			loss, _, _ := p.Eval(z, other.U[i], p.Y[i])
			switch {
			case int(z) < p.Kinks:
			case int(z) == len(p.Zones)-1:
				want += p.M[i] * r.Integral(p.Inside(int(z)-p.Kinks, pt.Age), pt.Age)
			case r == linear{}:
				want += p.M[i] * (loss - loss*loss/(2*pt.Age))
			default:
				want += p.M[i] * loss
			}
		}
		same(t, what+"objective", []float64{sums.Objective()}, []float64{want}, size)
	}
}

// Moments must say what the sums over samples say, also after many changes of zone.
func TestMomentsAreSumsOverSamples(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		r := []series{linear{}, hard{}, root{}}[seed%3]
		p := problemOf(rng, 300, 5, 0, r)
		a, b := scopeOf(p), scopeOf(p)
		columns := slices.Clone(a.Active)
		sums, ok := New(a).(*Moments)
		if !ok {
			t.Fatalf("no moments under %T", r)
		}
		if _, constant := r.(hard); sums.Constant() != constant {
			t.Errorf("constant weights under %T: %v", r, sums.Constant())
		}
		if _, rough := r.(root); sums.SmoothWeights() == rough {
			t.Errorf("smooth weights under %T: %v", r, !rough)
		}
		samples := NewDirect(b)
		pt := a.draw(rng, 1, 0.5+rng.Float64())
		other := model.NewPoint(p)
		other.Age = pt.Age
		copy(other.Theta, pt.Theta)
		copy(other.Rate, pt.Rate)
		for round := range 3 {
			theta, rate := slices.Clone(pt.Theta), slices.Clone(pt.Rate)
			for j := range p.P { // ever more coordinates are active
				if !slices.Contains(columns[:1+round*(len(columns)-1)/2], j) {
					theta[j], rate[j] = 0, 0
				}
			}
			whole := slices.Clone(pt.Theta)
			a.activate(columns[:1+round*(len(columns)-1)/2])
			b.activate(a.Active)
			copy(pt.Theta, theta)
			copy(pt.Rate, rate)
			copy(other.Theta, theta)
			copy(other.Rate, rate)
			u, zones := a.predictors(pt.Theta), make([]uint8, p.N)
			for i := range zones {
				loss, _, _ := p.Loss.Eval(u[i], p.Y[i])
				zones[i] = uint8(p.Of(loss, pt.Age))
			}
			a.place(sums, zones, u)
			b.place(samples, zones, u)
			for i := range p.N { // a few leave their zones, and come back
				if rng.IntN(10) == 0 {
					for _, up := range []bool{zones[i] == 0, zones[i] != 0} {
						a.shift(sums, i, up, pt.Theta)
						b.shift(samples, i, up, pt.Theta)
					}
				}
			}
			a.assemble(sums, pt)
			if off := sums.Measure(u, pt.Age); !(off <= 1e-13) {
				t.Errorf("seed %d: the moments are off by %v", seed, off)
			}
			a.assemble(sums, pt)
			b.assemble(samples, other)
			what, size := fmt.Sprintf("seed %d: ", seed), 10*float64(p.N)
			compare(t, what, a, b, size)
			sa, sb := make([]float64, p.P), make([]float64, p.P)
			sums.Gradients(make([]float64, p.P), sa)
			samples.Gradients(make([]float64, p.P), sb)
			for j := range sb { // what passes through the weights is not in the moments'
				if !(sa[j] <= sb[j]*(1+1e-12) && sb[j] <= 1.1*sa[j]+float64(p.N)) {
					t.Errorf("%ssize %v, over the samples %v", what, sa[j], sb[j])
				}
				copy(sums.sizes, sb)
			}
			copy(sums.diags, absoluteDiagonal(samples.(*direct), b))
			compareActivations(t, what, sums, samples, pt, other, a, size)
			if round > 0 && sums.SmoothWeights() {
				sums.Extend(whole)
				checkWeighted(t, sums, pt, u)
			}
			copy(pt.Theta, whole)
			for _, j := range columns {
				pt.Theta[j] += 0.05 * rng.NormFloat64()
				pt.Rate[j] = rng.NormFloat64()
			}
		}
	}
}

// Fourth moments pay off by the number of coefficients, not of features.
func TestNewByCost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, d, support int
		moments       bool
	}{
		{3000, 50, 5, true}, {3000, 50, 50, false}, {3000, 50, 0, false}, {10000, 50, 50, true}, {2000, 100, 10, true}, {2000, 100, 100, false}, {1000, 30, 5, true}, {200, 5, 3, true},
	} {
		p := problemOf(rand.New(rand.NewPCG(1, 1)), c.n, c.d, 0, linear{})
		p.L1[0], p.Support = 1, c.support
		if _, moments := New(scopeOf(p)).(*Moments); moments != c.moments {
			t.Errorf("%+v: moments %v", c, moments)
		}
	}
}

// absoluteDiagonal returns Σ m|∂φ/∂u| x² of all coordinates.
func absoluteDiagonal(d *direct, s *Scope) []float64 {
	sums := make([]float64, s.P)
	for slot, i := range s.Watch {
		for j, x := range s.Row(i) {
			sums[j] += math.Abs(d.phiU[slot]) * x * x
		}
	}
	return sums
}

// checkWeighted checks the weighted second moments.
func checkWeighted(t *testing.T, sums *Moments, pt *model.Point, u []float64) {
	t.Helper()
	p, q := sums.s.Problem, sums.Q()
	got, want := make([]float64, q*q), make([]float64, q*q)
	sums.Weighted(got, pt.Theta, pt.Age)
	for i := range p.N {
		loss, _, _ := p.Loss.Eval(u[i], p.Y[i])
		v, _, _ := p.Weight(sums.s.Zone[i], loss, pt.Age)
		z := append(append([]float64(nil), p.Row(i)...), -p.Y[i])
		for a, x := range z {
			for b, y := range z {
				want[a*q+b] += p.M[i] * v * x * y
			}
		}
	}
	same(t, "weighted moments", got, want, 10*float64(p.N))
}

// Direct sums that follow zones, θ, active coordinates and watched samples must be those
// that are taken anew, and what a watched sample adds must not depend on the others.
func TestDirectFollowsChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 8))
		r := []model.Regularizer{linear{}, root{}, logarithm{a: 1}}[seed%3]
		p := problemOf(rng, 60, 5, float64(seed%2), r)
		a, b := scopeOf(p), scopeOf(p)
		kept := NewDirect(a)
		pt := a.draw(rng, 0.2, 30) // all weights positive
		a.place(kept, make([]uint8, p.N), nil)
		for range 60 {
			switch rng.IntN(6) {
			case 0:
				pt.Theta[a.Active[rng.IntN(len(a.Active))]] += 1e-3 * rng.NormFloat64()
			case 1:
				pt.Age *= 1.001
			case 2:
				if j := a.Active[0]; len(a.Active) > 2 {
					pt.Theta[j] = 0
					a.activate(append([]int(nil), a.Active[1:]...))
				}
			case 3:
				var some []int
				for i := range p.N {
					if rng.IntN(4) > 0 {
						some = append(some, i)
					}
				}
				a.watch(some)
			default:
				a.shift(kept, rng.IntN(p.N), rng.IntN(2) == 0, pt.Theta)
			}
			b.Watch = a.Watch
			b.activate(a.Active)
			anew := NewDirect(b)
			b.place(anew, a.Zone, nil)
			other := model.NewPoint(p)
			other.Age = pt.Age
			copy(other.Theta, pt.Theta)
			copy(other.Rate, pt.Rate)
			a.assemble(kept, pt)
			b.assemble(anew, other)
			what, size, k := fmt.Sprintf("seed %d: ", seed), 10*float64(p.N), len(a.Active)
			compare(t, what, a, b, size)
			compareActivations(t, what, kept, anew, pt, other, a, size)
			for r, scale := range a.Scale[:k] {
				if !(math.Abs(scale-b.Scale[r]) <= 0.05*b.Scale[r]+1e-12) {
					t.Errorf("%sscale %v, anew %v", what, scale, b.Scale[r])
				}
			}
		}
	}
}
