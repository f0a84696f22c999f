package convex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// smoothKKT recomputes the largest violation of the optimality conditions from
// their definition, relative to the terms of each gradient, where those of a
// slope count with what rounding of the predictor's own terms makes of it.
func smoothKKT(p linearProblem, loss Loss, o SmoothOptions, theta []float64) float64 {
	n, d := p.x.Rows, p.x.Cols
	slope, size := make([]float64, n), make([]float64, n)
	for i, v := range p.weights {
		if v == 0 {
			continue
		}
		terms := math.Abs(theta[d])
		for j := range d {
			terms += math.Abs(p.x.Data[i*p.x.Stride+j] * theta[j])
		}
		_, s, c := loss.Eval(p.score(i, theta), p.y[i])
		slope[i], size[i] = v*s, v*(math.Abs(s)+c*terms)
	}
	worst := 0.0
	for j := range d + 1 {
		if j == d && !o.Intercept {
			continue
		}
		gradient, scale := 0.0, 0.0
		for i := range n {
			x := 1.0
			if j < d {
				x = p.x.Data[i*p.x.Stride+j]
			}
			gradient += slope[i] * x
			scale += size[i] * math.Abs(x)
		}
		off := math.Abs(gradient)
		if j < d {
			gradient += o.L2 * theta[j]
			scale += o.L2*math.Abs(theta[j]) + o.L1
			off = max(0, math.Abs(gradient)-o.L1)
			if theta[j] != 0 {
				off = math.Abs(gradient + math.Copysign(o.L1, theta[j]))
			}
		}
		worst = max(worst, relative(off, scale))
	}
	return worst
}

func smoothProblem(seed uint64, size [2]int, labels bool) linearProblem {
	p := randomLinear(seed, size[0], size[1])
	if labels {
		p = p.labels()
	}
	return p
}

func TestSmoothMeetsOptimalityConditions(t *testing.T) {
	t.Parallel()
	for _, l := range smoothLosses {
		for seed, size := range linearTestSizes[:7] { // the others take long
			t.Run(fmt.Sprintf("%s/%dx%d", l.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				p := smoothProblem(uint64(seed), size, l.labels)
				for _, penalty := range [][2]float64{{0, 1}, {0, 1e-3}, {1, 0}, {0.1, 0.1}, {5, 30}} {
					for _, intercept := range []bool{false, true} {
						o := SmoothOptions{L1: penalty[0], L2: penalty[1], Intercept: intercept}
						solver := NewSmooth(p.x, p.y, l.loss, o)
						certificate, err := solver.Solve(context.Background(), p.weights)
						if kkt := smoothKKT(p, l.loss, o, solver.Theta()); err != nil || !(kkt <= 2*Tolerance) {
							t.Errorf("%+v: KKT violation %.2g, certificate %+v, error %v", o, kkt, certificate, err)
						}
					}
				}
			})
		}
	}
}

// Spoiled problems, with weights that change from one solve to the next.
func TestSmoothOnSpoiledProblems(t *testing.T) {
	t.Parallel()
	solved := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		n, d := 5+r.IntN(60), 1+r.IntN(30)
		for _, l := range smoothLosses {
			p := smoothProblem(seed, [2]int{n, d}, l.labels)
			how := p.spoil(r)
			o := SmoothOptions{L1: math.Pow(10, 2-5*r.Float64()), L2: math.Pow(10, 2-5*r.Float64()), Intercept: r.IntN(2) == 0}
			switch r.IntN(3) {
			case 0:
				o.L1 = 0
			case 1:
				o.L2 = 0
			}
			solver := NewSmooth(p.x, p.y, l.loss, o)
			for range 2 {
				certificate, err := solver.Solve(context.Background(), p.weights)
				kkt := smoothKKT(p, l.loss, o, solver.Theta())
				switch {
				case l.labels && o.Intercept && p.oneClass() && errors.Is(err, ErrNoMinimum):
				case err != nil || kkt > 2e-9: // what rounding leaves to the check
					t.Errorf("seed %d, %s, %dx%d, %+v, %v: %+v, KKT violation %.2g, error %v", seed, l.name, n, d, o, how, certificate, kkt, err)
				default:
					solved++
				}
				p.changeWeights(r)
			}
		}
	}
	if solved < 1400 {
		t.Errorf("solved %d problems, want most of 1500", solved)
	}
}

// ridgeNormalEquations solves (Σ v x xᵀ + L2/2 I) θ = Σ v y x, with a column of
// ones that is not penalized where there is an intercept.
func ridgeNormalEquations(p linearProblem, l2 float64, intercept bool) []float64 {
	n, d := p.x.Rows, p.x.Cols
	k := d
	if intercept {
		k++
	}
	a, b := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
	row := make([]float64, k)
	for i := range n {
		copy(row, p.x.Data[i*p.x.Stride:][:d])
		if intercept {
			row[d] = 1
		}
		for j, x := range row {
			for l, z := range row {
				a.Set(j, l, a.At(j, l)+p.weights[i]*x*z)
			}
			b.SetVec(j, b.AtVec(j)+p.weights[i]*x*p.y[i])
		}
	}
	for j := range d {
		a.Set(j, j, a.At(j, j)+l2/2)
	}
	var theta mat.VecDense
	if err := theta.SolveVec(a, b); err != nil {
		panic(err)
	}
	out := make([]float64, d+1)
	copy(out, theta.RawVector().Data)
	return out
}

func TestRidgeSolvesNormalEquations(t *testing.T) {
	t.Parallel()
	for seed, size := range linearTestSizes {
		for _, l2 := range []float64{0.01, 1, 100} {
			for _, intercept := range []bool{false, true} {
				p := randomLinear(uint64(seed), size[0], size[1])
				solver := NewSmooth(p.x, p.y, squared{}, SmoothOptions{L2: l2, Intercept: intercept})
				solveLinear(t, solver, p.weights)
				for j, want := range ridgeNormalEquations(p, l2, intercept) {
					if got := solver.Theta()[j]; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
						t.Errorf("%v, L2 %v, intercept %v: parameter %d is %v, want %v", size, l2, intercept, j, got, want)
					}
				}
			}
		}
	}
}

// bruteElasticNet is cyclic coordinate descent on the residuals until no
// coefficient moves.
func bruteElasticNet(p linearProblem, o SmoothOptions) []float64 {
	n, d := p.x.Rows, p.x.Cols
	theta, residual := make([]float64, d+1), make([]float64, n)
	copy(residual, p.y)
	for range 200_000 {
		moved := 0.0
		for j := range d + 1 {
			if j == d && !o.Intercept {
				continue
			}
			value := func(i int) float64 {
				if j == d {
					return 1
				}
				return p.x.Data[i*p.x.Stride+j]
			}
			xr, xx := 0.0, 0.0
			for i, v := range p.weights {
				xr += 2 * v * value(i) * residual[i]
				xx += 2 * v * value(i) * value(i)
			}
			z := xr + xx*theta[j]
			next := z / xx
			if j < d {
				next = math.Copysign(max(0, math.Abs(z)-o.L1), z) / (xx + o.L2)
			}
			change := next - theta[j]
			theta[j] = next
			for i := range residual {
				residual[i] -= change * value(i)
			}
			moved = max(moved, math.Abs(change))
		}
		if moved < 1e-15 {
			break
		}
	}
	return theta
}

func TestElasticNetAgainstCoordinateDescent(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{30, 4}, {80, 12}, {25, 40}} {
		for _, intercept := range []bool{false, true} {
			for _, penalty := range [][2]float64{{1, 5}, {10, 1}, {0.3, 20}} {
				p := randomLinear(21, size[0], size[1])
				o := SmoothOptions{L1: penalty[0], L2: penalty[1], Intercept: intercept}
				solver := NewSmooth(p.x, p.y, squared{}, o)
				solveLinear(t, solver, p.weights)
				for j, want := range bruteElasticNet(p, o) {
					if got := solver.Theta()[j]; math.Abs(got-want) > 1e-11 || (got == 0) != (math.Abs(want) < 1e-15) {
						t.Errorf("%v, %+v: parameter %d is %v, want %v", size, o, j, got, want)
					}
				}
			}
		}
	}
}

// Where a special solver fits, both find the same.
func TestSmoothAgainstTheOtherSolvers(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{50, 8}, {331, 10}, {30, 60}} {
		for _, intercept := range []bool{false, true} {
			p := randomLinear(22, size[0], size[1])
			n := float64(size[0])
			pairs := map[string][2]Solver{
				"lasso":    {NewLasso(p.x, p.y, 0.02, n, intercept), NewSmooth(p.x, p.y, squared{}, SmoothOptions{L1: 0.04 * n, Intercept: intercept})},
				"logistic": {NewLogistic(p.x, p.labels().y, 2, intercept), NewSmooth(p.x, p.labels().y, logLoss{2}, SmoothOptions{L2: 1, Intercept: intercept})},
			}
			if size[0] > size[1] {
				pairs["least squares"] = [2]Solver{NewLasso(p.x, p.y, 0, n, intercept), NewSmooth(p.x, p.y, squared{}, SmoothOptions{Intercept: intercept})}
			}
			for name, pair := range pairs {
				solveLinear(t, pair[0], p.weights)
				solveLinear(t, pair[1], p.weights)
				for j, want := range pair[0].Theta() {
					if got := pair[1].Theta()[j]; math.Abs(got-want) > 1e-11 {
						t.Errorf("%s %v: parameter %d is %v, want %v", name, size, j, got, want)
					}
				}
			}
		}
	}
}

// For the squared loss the first step is exact: once the working set is right
// only rounding is left.
func TestSmoothSolvesSquaredLossInOneStep(t *testing.T) {
	t.Parallel()
	p := randomLinear(23, 300, 12)
	solver := NewSmooth(p.x, p.y, squared{}, SmoothOptions{L2: 1, Intercept: true})
	if certificate := solveLinear(t, solver, p.weights); certificate.Iterations > 2 {
		t.Errorf("%d steps", certificate.Iterations)
	}
}

func TestSmoothWithoutMinimum(t *testing.T) {
	t.Parallel()
	p := randomLinear(24, 40, 3).labels()
	one := p.labels()
	one.weights = make([]float64, len(p.y))
	for i, y := range p.y {
		one.weights[i] = max(0, y)
	}
	separable := p.labels()
	for i := range separable.y {
		separable.y[i] = math.Copysign(1, p.x.Data[3*i]+0.3)
	}
	dependent := randomLinear(25, 40, 3)
	for i := range 40 {
		dependent.x.Data[3*i] = 2 * dependent.x.Data[3*i+1]
	}
	for name, test := range map[string]struct {
		p    linearProblem
		loss Loss
		o    SmoothOptions
		want error
	}{
		"one class":                    {one, logLoss{1}, SmoothOptions{L1: 1, L2: 1, Intercept: true, OneSided: true}, ErrOneClass},
		"one class, not known":         {one, logLoss{1}, SmoothOptions{L1: 1, L2: 1, Intercept: true}, ErrNoMinimum},
		"one class, not known, ridge":  {one, logLoss{1}, SmoothOptions{L2: 1, Intercept: true}, ErrNoMinimum},
		"one class, exponential":       {one, exponential{}, SmoothOptions{L2: 1, Intercept: true}, ErrNoMinimum},
		"one class, reciprocal":        {one, reciprocal{}, SmoothOptions{L2: 1, Intercept: true}, ErrNoMinimum},
		"separable":                    {separable, logLoss{1}, SmoothOptions{Intercept: true}, ErrNoMinimum},
		"separable, exponential":       {separable, exponential{}, SmoothOptions{Intercept: true}, ErrNoMinimum},
		"dependent":                    {dependent, squared{}, SmoothOptions{}, ErrSingular},
		"dependent, pseudo-Huber":      {dependent, pseudoHuber{1}, SmoothOptions{Intercept: true}, ErrSingular},
		"one class, penalized":         {one, logLoss{1}, SmoothOptions{L2: 1, OneSided: true}, nil},
		"one class, attained":          {one, squaredHinge{}, SmoothOptions{L2: 1, Intercept: true}, nil},
		"one class, attained, no L2":   {one, squaredHinge{}, SmoothOptions{L1: 1, Intercept: true}, nil},
		"dependent, with an L1 weight": {dependent, squared{}, SmoothOptions{L1: 1}, nil},
	} {
		solver := NewSmooth(test.p.x, test.p.y, test.loss, test.o)
		certificate, err := solver.Solve(context.Background(), test.p.weights)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v (%+v)", name, err, test.want, certificate)
		}
		if err == nil {
			continue
		}
		for _, v := range solver.Theta() {
			if v != 0 {
				t.Errorf("%s: θ = %v, want the last solution, 0", name, solver.Theta())
				break
			}
		}
	}
	if !errors.Is(ErrNoMinimum, ErrSingular) || errors.Is(ErrSingular, ErrNoMinimum) {
		t.Error("an ErrNoMinimum counts as an ErrSingular, not the other way round")
	}
}

func TestSmoothRefusesBadInput(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 2}}
	for name, bad := range map[string]func(){
		"L1":      func() { NewSmooth(x, []float64{1, 0}, squared{}, SmoothOptions{L1: -1}) },
		"L2":      func() { NewSmooth(x, []float64{1, 0}, squared{}, SmoothOptions{L2: math.NaN()}) },
		"finite":  func() { NewSmooth(x, []float64{1, 0}, squared{}, SmoothOptions{L1: math.Inf(1)}) },
		"lengths": func() { NewSmooth(x, []float64{1}, squared{}, SmoothOptions{}) },
	} {
		mustPanic(t, name, bad)
	}
}

// Where the terms of predictors cancel, rounding of these is more than rounding of the
// predictors: two samples of opposite targets, which leave the others at 0, have the solution
// (-w, 0, w, 0, 0) with w = 2v/(2v + L2).
func TestSmoothCancels(t *testing.T) {
	t.Parallel()
	const l2, v = 0.48040431673569906, 1e-3
	x := blas64.General{Rows: 4, Cols: 5, Stride: 5, Data: []float64{0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1}}
	p := NewSmooth(x, []float64{0, 1, -1, 0}, squared{}, SmoothOptions{L2: l2, Intercept: true})
	for _, v := range []float64{1, v} {
		certificate, err := p.Solve(t.Context(), []float64{1, v, v, 1})
		if err != nil || !(certificate.KKT <= Tolerance) {
			t.Fatalf("weights %v: %v, violation %v", v, err, certificate.KKT)
		}
		w := 2 * v / (2*v + l2)
		for j, want := range []float64{-w, 0, w, 0, 0, 0} {
			if got := p.Theta()[j]; math.Abs(got-want) > 1e-14 {
				t.Errorf("weights %v: parameter %d is %v, want %v", v, j, got, want)
			}
		}
	}
}

// A method without a gap does not report one.
func TestToleranceErrorWithoutGap(t *testing.T) {
	t.Parallel()
	for gap, want := range map[float64]bool{math.NaN(): false, 0.5: true} {
		if text := (&ToleranceError{"m", Certificate{Gap: gap}}).Error(); strings.Contains(text, "gap") != want || strings.Contains(text, "NaN") {
			t.Errorf("gap %v: %q", gap, text)
		}
	}
}
