package gaga

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// randomMachine draws a linear support vector machine's problem with gaussian
// data, some multiplicities and, now and then, a column of zeros.
func randomMachine(rng *rand.Rand, n, d int, r Regularizer) *Problem {
	x, y, m := make([]float64, n*d), make([]float64, n), make([]float64, n)
	empty := -1
	if rng.IntN(3) == 0 {
		empty = rng.IntN(d)
	}
	for i := range n {
		for j := range d {
			if j != empty {
				x[i*d+j] = rng.NormFloat64()
			}
		}
		y[i], m[i] = 1, float64(1+rng.IntN(3))
		if rng.IntN(2) == 0 {
			y[i] = -1
		}
	}
	p := SVM(general(n, d, x), y, m, 0.3+rng.Float64(), nil)
	p.Regularizer = r
	return p
}

// scatter gives each sample a zone at random, of which up to pins are pinned.
func scatter(rng *rand.Rand, s *primal, pins int) {
	zones := make([]uint8, s.n)
	for i := range zones {
		zones[i] = uint8(rng.IntN(len(s.zones)))
		if zones[i] == pinned {
			if pins--; pins < 0 {
				zones[i] = uint8(s.kinks)
			}
		}
	}
	s.setZones(zones, make([]float64, s.n))
	s.reactivate()
}

// The sums over zones must say what the sums over samples say, also after many
// changes of zone.
func TestMarginsAreSumsOverSamples(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		r := []Regularizer{Linear{}, Hard{}}[seed%2]
		p := randomMachine(rng, 40, 5, r)
		sums, samples := newPrimal(p), newPrimal(p)
		if sums.margins == nil {
			t.Fatalf("no zone sums under %s", r.Name())
		}
		samples.setTerms(newDirect(samples))
		scatter(rng, sums, 3)
		samples.setZones(sums.zone, make([]float64, sums.n))
		pt, other := newPoint(sums.system), newPoint(samples.system)
		for range 25 {
			i, up := rng.IntN(sums.n), rng.IntN(2) == 0
			if up && int(sums.zone[i]) < len(sums.zones)-1 || !up && sums.zone[i] > 0 {
				sums.shift(i, up, nil)
				samples.shift(i, up, nil)
			}
		}
		sums.reactivate()
		samples.reactivate()
		pt.age = 10 + 10*rng.Float64() // all weights positive
		other.age = pt.age
		for j := range pt.theta {
			if !sums.zero[j] {
				pt.theta[j] = 0.5 * rng.NormFloat64()
			}
		}
		copy(other.theta, pt.theta)
		for i := range pt.dual {
			pt.dual[i] = rng.Float64()
		}
		copy(other.dual, pt.dual)
		samples.predict(other.u, other.theta)
		sums.assemble(pt)
		samples.assemble(other)
		sums.curve()
		samples.curve()
		k, unknowns := len(sums.active), sums.unknowns()
		same := func(what string, a, b []float64) {
			t.Helper()
			for r := range a {
				if math.Abs(a[r]-b[r]) > 1e-12*(float64(sums.n)+math.Abs(b[r])) {
					t.Errorf("seed %d: %s[%d] is %v, over the samples %v", seed, what, r, a[r], b[r])
				}
			}
		}
		same("residual", sums.residual[:unknowns], samples.residual[:unknowns])
		same("scale", sums.scale[:unknowns], samples.scale[:unknowns])
		same("derivative in the age", sums.dage[:unknowns], samples.dage[:unknowns])
		same("diagonal", sums.diag[:k], samples.diag[:k])
		for r := range k {
			same("H", sums.hess[r*k+r:(r+1)*k], samples.hess[r*k+r:(r+1)*k])
		}
		// The penalty's part is the same, so that the zones' losses decide. The sum
		// takes a sample's loss by its zone's formula, the integral by the loss.
		want := sums.penalty(pt.theta, nil)
		for i, z := range sums.zone {
			loss, _, _ := sums.eval(z, other.u[i], sums.y[i])
			switch {
			case int(z) < sums.kinks:
			case int(z) == len(sums.zones)-1:
				want += sums.m[i] * r.Integral(sums.inside(int(z)-sums.kinks, pt.age), pt.age)
			case r.Name() == "linear":
				want += sums.m[i] * (loss - loss*loss/(2*pt.age))
			default:
				want += sums.m[i] * loss
			}
		}
		same("objective", []float64{sums.value(pt)}, []float64{want})
	}
}

// The factorization that follows pinned samples and zones one by one must solve
// the system, and judge it, as one made anew does.
func TestPinsFollowChanges(t *testing.T) {
	t.Parallel()
	solved, refused := 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 6))
		r := []Regularizer{Linear{}, Hard{}, Mixture{Gamma: 0.7}, LOG{A: 1}}[seed%4]
		s := newPrimal(randomMachine(rng, 60, 8, r))
		pt := newPoint(s.system)
		pt.age = 20 * (0.5 + rng.Float64())
		for j := range pt.theta {
			pt.theta[j] = 0.1 * rng.NormFloat64()
		}
		scatter(rng, s, 5)
		for range 40 {
			i, up := rng.IntN(s.n), rng.IntN(2) == 0
			if up && int(s.zone[i]) == len(s.zones)-1 || !up && s.zone[i] == 0 {
				continue
			}
			s.shift(i, up, pt.theta)
			s.reactivate()
			s.predict(pt.u, pt.theta)
			s.assemble(pt)
			ok := s.factorize()
			b := make([]float64, s.unknowns())
			for r := range b {
				b[r] = rng.NormFloat64()
			}
			x := append([]float64(nil), b...)
			if ok {
				s.solve(x)
				solved++
			} else {
				refused++
			}
			fresh := newPins(s.p)
			fresh.gather(s)
			if again := fresh.factorize(s); again != ok {
				t.Fatalf("seed %d: positive definite %v, anew %v, with %d pinned", seed, ok, again, len(s.multipliers))
			}
			if ok {
				checkSolution(t, s, x, b)
				a, c := s.variance(i), fresh.quadratic(s.gather(make([]float64, s.p), s.sample(i)))
				if math.Abs(a-c) > 1e-8*(1+math.Abs(c)) {
					t.Errorf("seed %d: variance %v, anew %v", seed, a, c)
				}
			}
		}
	}
	if solved < 200 || refused < 50 {
		t.Errorf("%d systems solved, %d refused: too few to tell", solved, refused)
	}
}

// checkSolution checks that J x is b.
func checkSolution(t *testing.T, s *primal, x, b []float64) {
	t.Helper()
	k := len(s.active)
	image := make([]float64, len(b))
	blas64.Symv(1, symmetric(k, s.hess[:k*k]), vector(x[:k]), 0, vector(image[:k]))
	for q, i := range s.multipliers {
		for r, j := range s.active {
			g := -s.y[i] * s.sample(i)[j]
			image[r] += g * x[k+q]
			image[k+q] += g * x[r]
		}
	}
	size := 1.0
	for _, v := range x {
		size = math.Max(size, math.Abs(v))
	}
	for r := range b {
		if math.Abs(image[r]-b[r]) > 1e-8*size {
			t.Errorf("equation %d of %d: %v, want %v", r, len(b), image[r], b[r])
		}
	}
}
