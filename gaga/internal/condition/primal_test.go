package condition

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// scatter gives each sample a zone at random, of which up to pins are pinned.
func scatter(random *rand.Rand, c Condition, pins int) {
	s := c.State()
	zones := make([]uint8, s.N)
	for i := range zones {
		zones[i] = uint8(random.IntN(len(s.Zones)))
		if zones[i] == model.Pinned {
			if pins--; pins < 0 {
				zones[i] = uint8(s.Kinks)
			}
		}
	}
	c.Place(zones, make([]float64, s.N), nil)
	c.Choose()
}

// The factorization that follows pinned samples and zones one by one solves the system,
// and judges it, as one made anew does.
func TestNullSpaceFollowsChanges(t *testing.T) {
	t.Parallel()
	solved, refused := 0, 0
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 6))
		of := setting{n: 60, d: 8, loss: hingeLoss{0.3 + random.Float64()}, l2: 1, intercept: true}
		of.cost = of.loss.(hingeLoss).C
		of.regularizer = []regularizer{mixture{0}, hard{}, mixture{0.3}, power{}}[seed%4]
		of.series = seed%4 < 3
		s := NewPrimal(of.problem(random))
		pt := model.NewPoint(s.State().Problem)
		pt.Age = 20 * (0.5 + random.Float64())
		for j := range pt.Theta {
			pt.Theta[j] = 0.1 * random.NormFloat64()
		}
		scatter(random, s, 5)
		for range 40 {
			i, up := random.IntN(s.N), random.IntN(2) == 0
			if up && int(s.Zone[i]) == len(s.Zones)-1 || !up && s.Zone[i] == 0 {
				continue
			}
			s.Shift(i, up, pt.Theta)
			s.Choose()
			s.Predict(pt.U, pt.Theta)
			s.Assemble(pt)
			ok := s.Factorize()
			b := make([]float64, s.Unknowns())
			for r := range b {
				b[r] = random.NormFloat64()
			}
			x := slices.Clone(b)
			if ok {
				s.Solve(x)
				solved++
			} else {
				refused++
			}
			anew := newNullSpace(s.pins)
			if again := anew.factorize(); again != ok {
				t.Fatalf("seed %d: positive definite %v, anew %v, with %d pinned", seed, ok, again, len(s.Pins))
			}
			if ok {
				checkSolution(t, s, x, b)
				a, c := s.Leverage(i), anew.quadratic(s.Gather(make([]float64, s.P), s.Samples.Row(i)))
				if math.Abs(a-c) > 1e-8*(1+math.Abs(c)) {
					t.Errorf("seed %d: leverage %v, anew %v", seed, a, c)
				}
			}
		}
	}
	if solved < 200 || refused < 50 {
		t.Errorf("%d systems solved, %d refused: too few to tell", solved, refused)
	}
}

// checkSolution checks that J x is b.
func checkSolution(t *testing.T, s *Primal, x, b []float64) {
	t.Helper()
	k := len(s.Active)
	image := make([]float64, len(b))
	blas64.Symv(1, symmetric(k, s.Hess[:k*k]), dense.Vector(x[:k]), 0, dense.Vector(image[:k]))
	for q, i := range s.Pins {
		for r, j := range s.Active {
			g := -s.Y[i] * s.Samples.Row(i)[j]
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

// Policies say what factors are for.
func TestPolicy(t *testing.T) {
	t.Parallel()
	want := []Policy{
		{Tight: tolerance.Tight, Limit: tolerance.CorrectorSteps, Quick: 3, Summed: true},
		{Tight: tolerance.Tight, Limit: tolerance.ChordSteps, Quick: 3, Slow: 0.25, Held: true},
		{Tight: tolerance.Tight, Limit: tolerance.ChordSteps, Quick: 3, Slow: 0.25, Held: true},
		{Tight: tolerance.Tight, Limit: tolerance.CorrectorSteps, Quick: 3, Slow: math.Inf(1), Summed: true},
		{Tight: tolerance.Tight, Limit: tolerance.CorrectorSteps, Quick: 3, Slow: math.Inf(1), Summed: true},
		{Tight: tolerance.Tight, Limit: tolerance.CorrectorSteps, Quick: 3, Slow: 1e-6},
	}
	kernel := Policy{Tight: 1e-13, Limit: 30, Quick: 7, Slow: 0.3, Held: true, Trusted: true}
	for k, of := range settings {
		f, ok := newFixture(of.setting, 1)
		if !ok {
			t.Fatalf("%s: no strict minimum", of.name)
		}
		expected := kernel
		if k < len(want) {
			expected = want[k]
		}
		if got := f.Policy(); got != expected {
			t.Errorf("%s: %+v, want %+v", of.name, got, expected)
		}
		expected.Held = false
		if f.Renew(); f.Policy() != expected {
			t.Errorf("%s renewed: %+v, want %+v", of.name, f.Policy(), expected)
		}
	}
}

// The active coordinates can be set beside the signs, as the unknowns of a condition
// that is assembled with known losses and of which H is changed by its caller.
func TestActiveCoordinatesAndHessianOfTheCaller(t *testing.T) {
	t.Parallel()
	of := setting{n: 40, d: 5, loss: squaredLoss{}, regularizer: power{}, l2: 0.1, intercept: true}
	f, ok := newFixture(of, 3)
	if !ok {
		t.Fatal("no strict minimum")
	}
	s := f.Condition.(*Primal)
	plain := NewPlain(s.State().Problem)
	if plain.Terms().Summed() {
		t.Errorf("plain terms are %T", plain.Terms())
	}
	s.Active = append(s.Active[:0], 1, 3)
	s.gather()
	for j := range f.pt.Theta {
		if j != 1 && j != 3 {
			f.pt.Theta[j] = 0
		}
	}
	s.Predict(f.pt.U, f.pt.Theta)
	s.State().Evaluate(f.pt)
	s.Collect(f.pt)
	if !s.Factorize() || s.Unknowns() != 2 {
		t.Fatalf("no strict minimum in %d coordinates", s.Unknowns())
	}
	j := f.jacobian()
	same(t, "H", s.Hess[:2], j[0], 1e-6)
	s.Hess[0], s.Hess[1], s.Hess[3] = 2, 1, 3
	s.Diag[0], s.Diag[1] = 2, 3
	if !s.Decompose() {
		t.Fatal("the matrix is positive definite")
	}
	b := []float64{4, 7}
	s.Solve(b)
	same(t, "solution", b, []float64{1, 2}, 1e-14)
	s.Hess[1] = 3
	if s.Decompose() || s.Policy().Held {
		t.Error("an indefinite matrix has a factor")
	}
}

// Where nothing determines the free coordinates they stay, and count in predictors.
func TestFrozenCoordinates(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 2))
	s := NewPrimal(setting{n: 10, d: 2, loss: squaredLoss{}, regularizer: power{}, l1: 1, intercept: true}.problem(random))
	zones := make([]uint8, s.N)
	for i := range zones {
		zones[i] = 1
	}
	s.Place(zones, make([]float64, s.N), nil)
	s.Choose()
	if !s.Frozen || s.Unknowns() != 0 {
		t.Fatalf("frozen %v with %d unknowns", s.Frozen, s.Unknowns())
	}
	pt := model.NewPoint(s.State().Problem)
	pt.Age, pt.Theta[2] = 1, 5
	s.Predict(pt.U, pt.Theta)
	for _, u := range pt.U {
		if u != 5 {
			t.Fatalf("predictors %v, want 5", pt.U)
		}
	}
	s.Assemble(pt)
	if !s.Factorize() || s.Residual(pt) != 0 {
		t.Errorf("the residual is %v where all samples are discarded", s.Residual(pt))
	}
	s.Tangent(pt)
	if pt.Rate[2] != 0 {
		t.Errorf("the intercept moves at the rate %v", pt.Rate[2])
	}
}
