package condition

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/convex"
)

// A linear kernel says what the features say; with an intercept also far from the origin,
// where its rows are those of centered features.
func TestLinearKernelIsPrimal(t *testing.T) {
	t.Parallel()
	solved := 0
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 3))
		of := setting{n: 30, d: 6, loss: hingeLoss{1.5}, cost: 1.5, regularizer: mixture{0.4}, series: true, l2: 3}
		of.intercept = seed >= 20
		p := of.problem(random)
		if of.intercept {
			for i := range p.N {
				for j := range of.d {
					p.X.Data[i*of.d+j] += 3
					p.Rows[i*p.P+j] += 3
				}
			}
		}
		linear := *p
		linear.Kernel, linear.P, linear.Rows = convex.Linear{}, p.N+1, nil
		linear.L1, linear.L2 = make([]float64, p.N+1), make([]float64, p.N+1)
		for j := range linear.L2 {
			linear.L2[j] = 3
		}
		if of.intercept {
			linear.L2[p.N] = 0
		}
		a := &fixture{Condition: NewPrimal(p), random: random}
		b := &fixture{Condition: NewKernel(&linear, convex.NewKernelRows(p.X, convex.Linear{}, 0)), random: random}
		age := 100 * (1 + random.Float64())
		zones, pins := make([]uint8, p.N), 3
		for i := range zones {
			if zones[i] = uint8(random.IntN(len(p.Zones))); zones[i] == model.Pinned {
				if pins--; pins < 0 {
					zones[i] = model.Satisfied
				}
			}
		}
		ok := true
		for _, f := range []*fixture{a, b} {
			f.s = f.State()
			f.pt = model.NewPoint(f.s.Problem)
			f.pt.Age = age
			f.Place(zones, make([]float64, p.N), f.pt.Theta)
			f.Choose()
			ok = f.correct(f.pt) && ok
		}
		if !ok {
			continue
		}
		solved++
		a.Tangent(a.pt)
		b.Tangent(b.pt)
		same(t, "predictors", a.pt.U, b.pt.U, 1e-9)
		same(t, "rates of the predictors", a.pt.DU, b.pt.DU, 1e-7)
		for i, z := range zones {
			of := func(c Condition) float64 { return c.Leverage(i) }
			if z == model.Pinned {
				same(t, "multiplier", []float64{a.pt.Dual[i]}, []float64{3 * b.pt.Dual[i]}, 1e-9)
				of = func(c Condition) float64 { return c.Release(i) }
			}
			same(t, "leverage", []float64{of(a)}, []float64{of(b)}, 1e-7)
		}
		same(t, "penalty", []float64{a.Penalty(a.pt.Theta, nil)}, []float64{b.Penalty(b.pt.Theta, b.pt.U)}, 1e-9)
	}
	if solved < 24 {
		t.Errorf("only %d of 40 partitions have a strict minimum", solved)
	}
}

// Solutions by the factor of another point, which nobody has asked whether it serves,
// are corrected.
func TestKernelCorrectsSolutions(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		for _, k := range []int{6, 7, 8} {
			f, ok := newFixture(settings[k].setting, seed)
			if !ok {
				continue
			}
			pt := f.at(t, 0.6*f.pt.Age)
			if !f.correct(f.pt) {
				t.Fatal("the solution is lost")
			}
			f.pt = pt
			f.assemble(pt)
			checkLeverages(t, f)

			if f.pt = f.at(t, pt.Age/0.6); !f.correct(pt) {
				t.Fatal("the solution is lost")
			}
			f.assemble(f.pt)
			f.Tangent(f.pt)
			want := eliminate(f.jacobian(), f.s.Dage[:f.s.Unknowns()])
			for r := range want {
				want[r] = -want[r]
			}
			same(t, "rates", f.rate(f.pt), want, 1e-6)
		}
	}
}

// A factor is not trusted where the point has lost its strictness, however it was lost.
func TestKernelDistrustsFactor(t *testing.T) {
	t.Parallel()
	lost, kept := 0, 0
	for seed := range uint64(30) {
		for _, k := range []int{6, 7, 8} {
			f, ok := newFixture(settings[k].setting, seed)
			if !ok {
				continue
			}
			kernel := f.Condition.(*Kernel)
			random := rand.New(rand.NewPCG(seed, 21))
			for range 10 {
				// The age falls, which lets all δ fall, until no minimum is left.
				f.pt.Age *= 0.5 + 0.4*random.Float64()
				f.assemble(f.pt)
				trusts := f.Factorize()
				kernel.stale = true
				if anew := f.Factorize(); anew != trusts {
					t.Fatalf("seed %d: strict %v by the factor that was held, %v by a new one", seed, trusts, anew)
				} else if !anew {
					lost++
					break
				}
				kept++
			}
		}
	}
	if lost < 30 || kept < 30 {
		t.Errorf("%d points lost, %d kept: too few to tell", lost, kept)
	}
}

// Where there is no factor there are no numbers, and no panic.
func TestNoFactorNoNumbers(t *testing.T) {
	t.Parallel()
	f, ok := newFixture(settings[6].setting, 1)
	if !ok {
		t.Fatal("no strict minimum")
	}
	k := f.Condition.(*Kernel)
	f.pt.Age *= 1e-3 // all δ are tiny: J has positive eigenvalues
	f.assemble(f.pt)
	if k.Factorize() {
		t.Fatal("a strict minimum: the test needs none")
	}
	if leverage := k.Leverage(k.Active[k.front]); !math.IsNaN(leverage) {
		t.Errorf("leverage %v without a factor", leverage)
	}
}
