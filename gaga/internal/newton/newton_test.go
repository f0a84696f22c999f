package newton_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/internal/convex"
)

// linear is the weight 1 - l/λ below the age.
type linear struct{}

func (linear) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (linear) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k > 0 {
		return 0, 0, 0
	}
	return 1 - loss/age, -1 / age, loss / (age * age)
}

func (linear) Integral(loss, age float64) float64 {
	loss = math.Min(loss, age)
	return loss - loss*loss/(2*age)
}

func series(zone int, age float64) model.Series {
	if zone > 0 {
		return model.Series{F: [4]float64{age / 2}, Rate: [4]float64{0.5}}
	}
	return model.Series{F: [4]float64{2: 1, 3: -1 / (2 * age)}, Rate: [4]float64{3: 1 / (2 * age * age)}}
}

type squared struct{}

func (squared) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type hinge struct{ c float64 }

func (h hinge) Eval(u, y float64) (loss, slope, curvature float64) {
	if y*u < 1 {
		return h.c * (1 - y*u), -h.c * y, 0
	}
	return 0, 0, 0
}

// problem has one sample, x = y = 1, and no intercept.
func problem(criterion model.Criterion, l2 float64, kernel convex.Kernel) *model.Problem {
	zones := []model.Zone{{Name: "easy"}, {Name: "discarded"}}
	p := &model.Problem{
		Samples:   model.Samples{N: 1, P: 1, X: blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}, Y: []float64{1}, M: []float64{1}, Total: 1, Kernel: kernel},
		Penalty:   model.Penalty{L1: []float64{0}, L2: []float64{l2}},
		Criterion: criterion,
		Zoning:    model.NewZoning(linear{}, zones, series, criterion.Kinked()),
	}
	if kernel == nil {
		p.Rows = p.X.Data
		return p
	}
	p.P = 2
	p.L1, p.L2 = []float64{0, 0}, []float64{l2, l2}
	return p
}

// setting is a condition whose solution is known.
type setting struct {
	condition condition.Condition
	zone      uint8
	u         func(age float64) float64 // the predictor of the solution
	theta     float64                   // θ_0 for the predictor 1
}

const l2, cost = 0.5, 0.7

func settings() map[string]setting {
	least := model.Criterion{Loss: squared{}, Squared: true}
	// l2 u + 2 (1 - (u-1)²/λ) (u-1) = 0, the root next to the fit with weight 1.
	smooth := func(age float64) float64 {
		f := func(u float64) float64 { return l2*u + 2*(1-(u-1)*(u-1)/age)*(u-1) }
		lo, hi := 1-math.Sqrt(age/3), 1.0 // f grows between
		for range 200 {
			if mid := 0.5 * (lo + hi); f(mid) < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		return hi
	}
	machine := model.Criterion{Loss: hinge{cost}, Cost: cost}
	kernelized := problem(machine, 2, convex.Linear{})
	// 2 u = C (1 - C (1-u)/λ): with the penalty 2 the sample is below the margin.
	below := func(age float64) float64 { return (cost - cost*cost/age) / (2 - cost*cost/age) }
	return map[string]setting{
		"moments": {condition.NewPrimal(problem(least, l2, nil)), 0, smooth, 1},
		"direct":  {condition.NewPlain(problem(model.Criterion{Loss: squared{}}, l2, nil)), 0, smooth, 1},
		"margins": {condition.NewPrimal(problem(machine, 2, nil)), 2, below, 1},
		"kernel":  {condition.NewKernel(kernelized, convex.NewKernelRows(kernelized.X, kernelized.Kernel, 0)), 2, below, 1},
	}
}

// begin puts the sample into its zone and returns a point with a predictor.
func (s setting) begin(age, u float64) *model.Point {
	pt := model.NewPoint(s.condition.State().Problem)
	pt.Age, pt.Theta[0] = age, u*s.theta
	s.condition.Place([]uint8{s.zone}, []float64{u}, pt.Theta)
	s.condition.Choose()
	return pt
}

func TestCorrect(t *testing.T) {
	for name, s := range settings() {
		t.Run(name, func(t *testing.T) {
			n := newton.New(s.condition)
			for _, age := range []float64{3, 3.1, 10, 40, 4} {
				pt := s.begin(age, s.u(age)+0.02)
				if !n.Correct(pt) {
					t.Fatalf("age %v: not corrected", age)
				}
				if off := math.Abs(pt.Theta[0] - s.u(age)); off > 1e-13 {
					t.Errorf("age %v: %v, want %v", age, pt.Theta[0], s.u(age))
				}
			}
		})
	}
}

// A point within the corrector's tolerance of a solution is left as it is, and said to be one;
// refined it is the solution.
func TestRefine(t *testing.T) {
	for name, s := range settings() {
		t.Run(name, func(t *testing.T) {
			n := newton.New(s.condition)
			const age, off = 10, 4e-15
			pt := s.begin(age, s.u(age)+0.02)
			if !n.Correct(pt) || n.Entered() {
				t.Fatalf("from afar: entered %v at a solution", n.Entered())
			}
			pt = s.begin(age, s.u(age)+off)
			if !n.Correct(pt) || !n.Entered() {
				t.Fatalf("from a solution: entered %v", n.Entered())
			}
			if moved := math.Abs(pt.Theta[0] - s.theta*s.u(age)); moved < 0.5*off {
				t.Fatalf("corrected to %g: the test needs a point within the tolerance", moved)
			}
			if !n.Refine(pt) {
				t.Fatal("not refined")
			}
			if left := math.Abs(pt.Theta[0] - s.theta*s.u(age)); left > 0.25*off {
				t.Errorf("%g off after refining", left)
			}
		})
	}
}

// Without a solution near, or where that is no minimum, there is no correction.
func TestCorrectFails(t *testing.T) {
	s := settings()["moments"]
	n := newton.New(s.condition)
	// Below the age of the fold the condition has one root, beyond the threshold.
	if pt := s.begin(0.02, 0.9); n.Correct(pt) {
		t.Errorf("corrected to %v, where no solution is in the zone", pt.Theta[0])
	}
	// The middle one of three roots is a maximum.
	f := func(u float64) float64 { return l2*u + 2*(1-(u-1)*(u-1)/3)*(u-1) }
	lo, hi := -0.7, 0.0 // f falls between
	for range 200 {
		if mid := 0.5 * (lo + hi); f(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	if pt := s.begin(3, lo+1e-4); n.Correct(pt) {
		t.Errorf("corrected to %v, a maximum", pt.Theta[0])
	}
}

// at is the event that the predictor comes to a value, from below it with side -1.
type at struct {
	condition condition.Condition
	value     float64
	side      float64
}

func (e at) See(pt *model.Point, _ bool) { e.condition.Predict(pt.U, pt.Theta) }

func (e at) Solved(*model.Point) {}

func (e at) Gradient(pt *model.Point, g []float64) (value, size, dage float64) {
	e.condition.Row(g, 0)
	g[0] *= e.side
	return e.side * (pt.U[0] - e.value), 1, 0
}

func TestLocate(t *testing.T) {
	for name, s := range settings() {
		t.Run(name, func(t *testing.T) {
			n := newton.New(s.condition)
			const age = 7.3
			pt := s.begin(7.1, s.u(7.1))
			if !n.Correct(pt) {
				t.Fatal("the beginning is not corrected")
			}
			s.condition.Tangent(pt)
			left := *pt
			pt.Age = 7.25
			if !n.Locate(pt, &left, at{s.condition, s.u(age), -1}, 10) {
				t.Fatal("not located")
			}
			if math.Abs(pt.Age-age) > 1e-9 || math.Abs(pt.Theta[0]-s.u(age)) > 1e-12 {
				t.Errorf("located %v at age %v, want %v at %v", pt.Theta[0], pt.Age, s.u(age), age)
			}
			if pt := s.begin(7.25, s.u(7.25)); name == "kernel" && n.Locate(pt, &left, at{s.condition, s.u(age), 1}, 10) {
				t.Errorf("located at age %v, where the event function rises", pt.Age)
			}
			if pt := s.begin(7, s.u(7)); n.Locate(pt, &left, at{s.condition, s.u(age), -1}, 7.2) {
				t.Errorf("located at age %v, beyond the end 7.2", pt.Age)
			}
		})
	}
}

func TestStraight(t *testing.T) {
	s := settings()["moments"]
	n := newton.New(s.condition)
	if pt := s.begin(40, s.u(40)+1e-3); !n.Correct(pt) || !n.Straight(pt) {
		t.Error("a short way to a minimum with little bend is not straight")
	}
	// The Newton step from near the inflection is several times too long.
	age := 3.0
	if pt := s.begin(age, 1-0.98*math.Sqrt(age/3)); n.Correct(pt) && n.Straight(pt) {
		t.Error("a way from where the Hessian is nearly singular is straight")
	}
}
