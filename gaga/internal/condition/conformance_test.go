package condition

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/internal/convex"
)

// settings are problems that between them have every implementation of Condition with
// every kind of terms.
var settings = []struct {
	name string
	setting
	summed, affine bool // the terms work from sums over zones; J is constant
}{
	{"squared moments", setting{n: 120, d: 5, loss: squaredLoss{}, regularizer: mixture{0.4}, series: true, l1: 0.3, l2: 0.1, intercept: true}, true, false},
	{"squared direct", setting{n: 40, d: 5, loss: squaredLoss{}, regularizer: power{}, l1: 0.3, l2: 0.1, intercept: true}, false, false},
	{"squared direct dense", setting{n: 40, d: 5, loss: squaredLoss{}, regularizer: power{}, l2: 0.1}, false, false},
	{"hinge margins", setting{n: 40, d: 6, loss: hingeLoss{1.5}, cost: 1.5, regularizer: mixture{0.4}, series: true, l2: 2, intercept: true}, true, true},
	{"hinge margins of constant weights", setting{n: 40, d: 6, loss: hingeLoss{1.5}, cost: 1.5, regularizer: hard{}, series: true, l2: 2}, true, true},
	{"hinge direct", setting{n: 40, d: 6, loss: hingeLoss{1.5}, cost: 1.5, regularizer: power{}, l2: 6, intercept: true}, false, false},
	{"kernel", setting{n: 40, d: 3, loss: hingeLoss{1.5}, cost: 1.5, regularizer: mixture{0.4}, series: true, l2: 2, intercept: true, kernel: convex.RBF{Gamma: 0.5}}, false, false},
	{"kernel of varying weights", setting{n: 40, d: 3, loss: hingeLoss{1.5}, cost: 1.5, regularizer: power{}, l2: 2, intercept: true, kernel: convex.RBF{Gamma: 0.5}}, false, false},
	{"kernel without intercept", setting{n: 40, d: 3, loss: hingeLoss{1.5}, cost: 1.5, regularizer: mixture{0.4}, series: true, l2: 2, kernel: convex.RBF{Gamma: 0.5}}, false, false},
}

// fixture is a condition at a solution on a random partition, which is factorized.
type fixture struct {
	Condition
	s      *model.State
	pt     *model.Point
	random *rand.Rand
}

// newFixture returns false where the partition drawn has no strict minimum.
func newFixture(of setting, seed uint64) (*fixture, bool) {
	random := rand.New(rand.NewPCG(seed, 11))
	f := &fixture{Condition: of.condition(random), random: random}
	f.s = f.State()
	f.pt = model.NewPoint(f.s.Problem)
	f.pt.Age = 200 * (0.75 + 0.5*random.Float64())
	zones, pins := make([]uint8, f.s.N), 3
	for i := range zones {
		zones[i] = uint8(random.IntN(len(f.s.Zones)))
		if f.s.Kinked() && zones[i] == model.Pinned {
			if pins--; pins < 0 {
				zones[i] = uint8(f.s.Kinks)
			}
		}
	}
	for j := range f.pt.Theta {
		if f.s.Kernel == nil {
			f.pt.Theta[j] = 0.3 * random.NormFloat64()
		}
		if f.s.L1[j] > 0 {
			if f.s.Sign[j] = float64(random.IntN(3) - 1); f.s.Sign[j] == 0 {
				f.pt.Theta[j] = 0
			}
		}
		if p, primal := f.Condition.(*Primal); primal && p.Zero(j) {
			f.s.Sign[j], f.pt.Theta[j] = 0, 0
		}
	}
	u := make([]float64, f.s.N)
	f.PredictAll(u, f.pt.Theta)
	f.Place(zones, u, f.pt.Theta)
	f.Choose()
	if p, primal := f.Condition.(*Primal); primal {
		if m, moments := p.Terms().(*sums.Moments); moments {
			m.Measure(u, f.pt.Age)
			if !f.correct(f.pt) {
				return f, false
			}
			f.PredictAll(u, f.pt.Theta)
			m.Measure(u, f.pt.Age)
		}
	}
	return f, f.correct(f.pt)
}

// assemble assembles at pt, where the unknowns are set.
func (f *fixture) assemble(pt *model.Point) {
	if !f.Policy().Summed {
		f.Predict(pt.U, pt.Theta)
	}
	f.Assemble(pt)
}

// correct is Newton's method with a factor at each step.
func (f *fixture) correct(pt *model.Point) bool {
	for range 40 {
		f.assemble(pt)
		f.Renew()
		if !f.Factorize() {
			return false
		}
		if f.s.Relative() < 1e-12 {
			return true
		}
		step := slices.Clone(f.s.Residual[:f.s.Unknowns()])
		f.Solve(step)
		f.s.Step(pt, step, 1)
	}
	return false
}

// at returns the solution at another age.
func (f *fixture) at(t *testing.T, age float64) *model.Point {
	t.Helper()
	pt := f.copy()
	pt.Age = age
	if !f.correct(pt) {
		t.Fatalf("no solution at age %v, near that at %v", age, f.pt.Age)
	}
	return pt
}

// copy returns a copy of the point's age and unknowns.
func (f *fixture) copy() *model.Point {
	pt := model.NewPoint(f.s.Problem)
	pt.Age = f.pt.Age
	copy(pt.Theta, f.pt.Theta)
	copy(pt.Dual, f.pt.Dual)
	copy(pt.U, f.pt.U)
	return pt
}

// unit returns the vector over the unknowns that is 1 in one of them.
func (f *fixture) unit(q int) []float64 {
	e := make([]float64, f.s.Unknowns())
	e[q] = 1
	return e
}

// difference returns the derivative of the residual along a change of pt, by central
// differences.
func (f *fixture) difference(change func(pt *model.Point, by float64)) []float64 {
	const h = 1e-5
	side := func(by float64) []float64 {
		pt := f.copy()
		change(pt, by)
		f.assemble(pt)
		return slices.Clone(f.s.Residual[:f.s.Unknowns()])
	}
	d, low := side(h), side(-h)
	for r := range d {
		d[r] = (d[r] - low[r]) / (2 * h)
	}
	f.assemble(f.pt)
	return d
}

// jacobian returns J's rows, by differences of the residual.
func (f *fixture) jacobian() [][]float64 {
	k := f.s.Unknowns()
	j := make([][]float64, k)
	for r := range j {
		j[r] = make([]float64, k)
	}
	for q := range k {
		for r, v := range f.difference(func(pt *model.Point, by float64) { f.s.Step(pt, f.unit(q), -by) }) {
			j[r][q] = v
		}
	}
	return j
}

// rate returns the rates of pt over the unknowns.
func (f *fixture) rate(pt *model.Point) []float64 {
	rate := make([]float64, len(f.s.Active), f.s.Unknowns())
	f.s.Gather(rate, pt.Rate)
	for _, i := range f.s.Pins {
		rate = append(rate, pt.DDual[i])
	}
	return rate
}

// same checks that two vectors are the same.
func same(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d entries, want %d", what, len(got), len(want))
	}
	if off := off(got, want); !(off <= tolerance) {
		t.Errorf("%s: %v, want %v: off by %.3g", what, got, want, off)
	}
}

// checks are what every condition must do.
var checks = []struct {
	name  string
	check func(t *testing.T, f *fixture)
}{
	{"Solve", checkSolve},
	{"Lowest and Products", checkLowest},
	{"Tangent", checkTangent},
	{"Tangent behind", checkTangentBehind},
	{"leverages", checkLeverages},
	{"factor of another age", checkHeld},
	{"Shift", checkShift},
	{"Predict", checkPredict},
	{"Follow", checkFollow},
	{"Secant", checkSecant},
	{"Row", checkRow},
	{"Extrapolate and Interpolate", checkInterpolate},
	{"Residual", checkResidual},
	{"Value", checkValue},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, of := range settings {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			solved := 0
			for seed := range uint64(12) {
				f, ok := newFixture(of.setting, seed)
				if !ok {
					continue
				}
				if p, primal := f.Condition.(*Primal); primal && (p.Terms().Summed() != of.summed || p.Terms().Affine() != of.affine) {
					t.Fatalf("the terms are %T", p.Terms())
				}
				solved++
				for _, c := range checks {
					f, _ := newFixture(of.setting, seed)
					t.Run(fmt.Sprintf("%s/%d", c.name, seed), func(t *testing.T) { c.check(t, f) })
				}
			}
			if solved < 8 {
				t.Errorf("only %d of 12 partitions have a strict minimum", solved)
			}
		})
	}
}

// Solve inverts the Jacobian.
func checkSolve(t *testing.T, f *fixture) {
	b := make([]float64, f.s.Unknowns())
	for r := range b {
		b[r] = f.random.NormFloat64()
	}
	x := slices.Clone(b)
	f.Solve(x)
	same(t, "J⁻¹b", x, eliminate(f.jacobian(), b), 1e-6)
	if p, primal := f.Condition.(*Primal); primal && f.s.Kinks == 0 {
		want := dot(b[:len(f.s.Active)], x)
		if got := p.Quadratic(slices.Clone(b)); math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("bᵀH⁻¹b is %v, want %v", got, want)
		}
	}
}

// At a strict minimum the least curvature is positive, the direction of it keeps pinned samples
// pinned, and products of samples are those of their rows.
func checkLowest(t *testing.T, f *fixture) {
	f.assemble(f.pt)
	direction := make([]float64, f.s.P)
	least, ok := f.Lowest(direction)
	if ok && !(least > 0) {
		t.Errorf("least curvature %v at a strict minimum", least)
	}
	du := make([]float64, f.s.N)
	f.PredictAll(du, direction)
	var pins []int
	for i, z := range f.s.Zone {
		if f.s.Kinked() && z == model.Pinned {
			pins = append(pins, i)
			if math.Abs(du[i]) > 1e-3*largest(du) {
				t.Errorf("pinned sample %d moves by %v of %v", i, du[i], largest(du))
			}
		}
	}
	if len(pins) == 0 {
		return
	}
	k, got, row := len(pins), f.Products(pins), make([]float64, f.s.Unknowns())
	for r, i := range pins {
		for c, j := range pins[:r+1] {
			want := 0.0
			if f.s.Kernel == nil {
				f.Row(row, i)
				other := slices.Clone(row)
				f.Row(other, j)
				want = f.s.Y[i] * f.s.Y[j] * dot(row, other)
			} else {
				f.Row(row, i)
				want = f.s.Y[i] * row[f.UnknownOf(j)]
				if f.s.Intercept {
					want += f.s.Y[i] * f.s.Y[j]
				}
			}
			same(t, "product", []float64{got[r*k+c]}, []float64{want}, 1e-12)
		}
	}
}

// Predictors that follow a step of the factor of another point are those of its end.
func checkFollow(t *testing.T, f *fixture) {
	pt := f.copy()
	pt.Age *= 1.1
	f.assemble(pt)
	image := make([]float64, f.s.Unknowns())
	for r := range image {
		image[r] = 0.01 * f.random.NormFloat64()
	}
	step := slices.Clone(image)
	f.Solve(step)
	f.s.Step(pt, step, 1)
	if !f.Image(image, step) {
		return
	}
	f.Follow(pt, image)
	for _, i := range f.s.Active {
		if i < f.s.N {
			same(t, "predictor", []float64{pt.U[i]}, []float64{f.PredictOne(i, pt.Theta)}, 1e-9)
		}
	}
}

// Rates from a point beside are those of the tangent but for the square of the way there.
func checkSecant(t *testing.T, f *fixture) {
	f.Tangent(f.pt)
	pt := f.at(t, f.pt.Age*(1+1e-4))
	f.assemble(pt)
	if !f.Factorize() {
		t.Fatal("no factor")
	}
	f.Secant(pt, f.pt)
	rate, du := slices.Clone(pt.Rate), slices.Clone(pt.DU)
	f.Tangent(pt)
	same(t, "rates", rate, pt.Rate, 1e-5)
	same(t, "rates of the predictors", du, pt.DU, 1e-5)
	f.Secant(pt, pt)
	same(t, "rates at no distance", pt.Rate, rate, 1e-5)
}

// The rates solve J rate = -dage, and are those of the solutions beside.
func checkTangent(t *testing.T, f *fixture) {
	dage := f.difference(func(pt *model.Point, by float64) { pt.Age += by })
	same(t, "derivative in the age", f.s.Dage[:f.s.Unknowns()], dage, 1e-6)
	f.Tangent(f.pt)
	want := eliminate(f.jacobian(), f.s.Dage[:f.s.Unknowns()])
	for r := range want {
		want[r] = -want[r]
	}
	same(t, "rates", f.rate(f.pt), want, 1e-6)
	checkFollowing(t, f, f.pt)

	const h = 1e-3
	before, after := f.at(t, f.pt.Age-h), f.at(t, f.pt.Age+h)
	slopes := func(low, high []float64) []float64 {
		d := slices.Clone(high)
		for r := range d {
			d[r] = (d[r] - low[r]) / (2 * h)
		}
		return d
	}
	same(t, "rate of θ", f.pt.Rate, slopes(before.Theta, after.Theta), 1e-7)
	if len(f.s.Pins) > 0 {
		for q, i := range f.s.Pins {
			same(t, "rate of a multiplier", []float64{f.rate(f.pt)[len(f.s.Active)+q]}, []float64{(after.Dual[i] - before.Dual[i]) / (2 * h)}, 1e-7)
		}
	}
	p, primal := f.Condition.(*Primal)
	if !primal || f.s.Kinked() || len(f.s.Active) == f.s.P {
		return
	}
	// Gradients, too, where coordinates can become active.
	gradient := func(pt *model.Point) []float64 {
		f.assemble(pt)
		a, _ := p.Activations()
		g, border := make([]float64, f.s.P), make([]float64, f.s.P)
		for j := range g {
			g[j], _, _ = a.Coordinate(j)
			g[j] += f.s.L2[j] * pt.Theta[j]
			diagonal, magnitude := p.Border(border, j)
			if magnitude < diagonal*(1-1e-6) {
				t.Errorf("coordinate %d: the diagonal %v is more than the sum of its positive terms %v", j, diagonal, magnitude)
			}
		}
		return g
	}
	same(t, "gradient", f.pt.Grad, gradient(f.pt), 1e-10)
	same(t, "rate of the gradient", f.pt.DGrad, slopes(gradient(before), gradient(after)), 1e-6)
}

// checkFollowing checks what follows from θ and its rates at pt.
func checkFollowing(t *testing.T, f *fixture, pt *model.Point) {
	t.Helper()
	u := make([]float64, f.s.N)
	f.PredictAll(u, pt.Rate)
	same(t, "rates of the predictors", pt.DU, u, 1e-9)
	for k, threshold := range pt.Threshold {
		want, rate := f.s.Regularizer.Threshold(k, pt.Age)
		if threshold != want || pt.DThreshold[k] != rate {
			t.Errorf("threshold %d is %v at the rate %v, want %v and %v", k, threshold, pt.DThreshold[k], want, rate)
		}
	}
	for i, z := range f.s.Zone {
		loss, slope, curvature := f.s.Eval(z, f.PredictOne(i, pt.Theta), f.s.Y[i])
		same(t, "loss and its derivatives", []float64{pt.Loss[i], pt.Slope[i], pt.Curvature[i]}, []float64{loss, slope, curvature}, 1e-9)
	}
}

// moves returns samples with a direction in which they can change their zones.
func (f *fixture) moves(count int) (samples []int, up []bool) {
	for len(samples) < count {
		i, upwards := f.random.IntN(f.s.N), f.random.IntN(2) == 0
		if len(samples) < len(f.s.Pins) {
			i = f.s.Pins[len(samples)]
		}
		if to := int(f.s.Zone[i]) + 1; upwards && to < len(f.s.Zones) || !upwards && to > 1 {
			samples, up = append(samples, i), append(up, upwards)
		}
	}
	return samples, up
}

// look calls what the sign test of sample i's crossing calls.
func (f *fixture) look(i int) {
	if f.s.Kinked() && f.s.Zone[i] == model.Pinned {
		f.Release(i)
	} else {
		f.Leverage(i)
	}
}

// Behind a change of zone the rates are those that a new solution gives.
func checkTangentBehind(t *testing.T, f *fixture) {
	f.Tangent(f.pt)
	zones := slices.Clone(f.s.Zone)
	samples, up := f.moves(8)
	for q, i := range samples {
		pt := f.copy()
		f.Place(zones, predictorsFor(f), pt.Theta)
		f.Choose()
		if !f.correct(pt) {
			t.Fatal("no solution on the first partition")
		}
		f.Tangent(pt)
		f.look(i)
		f.Shift(i, up[q], pt.Theta)
		f.Choose()
		f.Assemble(pt)
		if !f.Factorize() {
			continue
		}
		f.Tangent(pt)
		rate, du := slices.Clone(pt.Rate), slices.Clone(pt.DU)
		f.Renew()
		if !f.Factorize() {
			t.Fatal("no new factor")
		}
		f.Tangent(pt)
		same(t, "rates behind a change of zone", rate, pt.Rate, 1e-6)
		same(t, "rates of the predictors", du, pt.DU, 1e-6)
	}
}

// predictorsFor returns the predictors for a Place that keeps the least scale, where the terms
// need them.
func predictorsFor(f *fixture) []float64 {
	if p, primal := f.Condition.(*Primal); primal {
		if _, moments := p.Terms().(*sums.Moments); moments {
			u := make([]float64, f.s.N)
			f.PredictAll(u, f.pt.Theta)
			return u
		}
	}
	return nil
}

// leverage returns the leverage of sample i on J without the unknowns that are left out.
func (f *fixture) leverage(j [][]float64, i, without int) float64 {
	row := make([]float64, f.s.Unknowns())
	f.Row(row, i)
	if without >= 0 {
		row = slices.Delete(row, without, without+1)
		j = slices.Delete(slices.Clone(j), without, without+1)
		for r := range j {
			j[r] = slices.Delete(slices.Clone(j[r]), without, without+1)
		}
	}
	form := dot(row, eliminate(j, row))
	if f.s.Kernel == nil {
		return form
	}
	diagonal := make([]float64, f.s.N)
	f.s.Kernel.Diagonal(diagonal, convex.NewPoints(f.s.X))
	return (diagonal[i] - form) / f.s.L2[0]
}

// Leverages are those of a dense solution.
func checkLeverages(t *testing.T, f *fixture) {
	j := f.jacobian()
	for i := range f.s.N {
		if f.s.Kinked() && f.s.Zone[i] == model.Pinned {
			same(t, "leverage of a pinned sample", []float64{f.Leverage(i)}, []float64{0}, 1e-7)
			same(t, "leverage without the pin", []float64{f.Release(i)}, []float64{f.leverage(j, i, f.UnknownOf(i))}, 1e-6)
			continue
		}
		same(t, "leverage", []float64{f.Leverage(i)}, []float64{f.leverage(j, i, -1)}, 1e-6)
	}
}

// At another age the factor is trusted, or made anew: either way all is as by a dense
// solution there.
func checkHeld(t *testing.T, f *fixture) {
	for _, ratio := range []float64{1.01, 1.1, 1.3} {
		pt := f.at(t, ratio*f.pt.Age)
		if !f.correct(f.pt) { // the factor is of this age
			t.Fatal("the solution is lost")
		}
		f.pt = pt
		f.assemble(f.pt)
		if !f.Factorize() {
			t.Fatalf("no strict minimum at %v times the age", ratio)
		}
		checkLeverages(t, f)
		f.assemble(f.pt)
		f.Tangent(f.pt)
		want := eliminate(f.jacobian(), f.s.Dage[:f.s.Unknowns()])
		for r := range want {
			want[r] = -want[r]
		}
		same(t, "rates", f.rate(f.pt), want, 1e-6)
	}
}

// byName returns entries over the unknowns by what they are of.
func (f *fixture) byName(x []float64) map[string]float64 {
	named := make(map[string]float64)
	for r, j := range f.s.Active {
		named[fmt.Sprint("entry ", j)] = x[r]
	}
	for q, i := range f.s.Pins {
		named[fmt.Sprint("pin ", i)] = x[len(f.s.Active)+q]
	}
	return named
}

// solution returns J⁻¹b by name, with an entry of b for each name. A factor that is only
// trusted is made anew where δ depends on the point.
func (f *fixture) solution() map[string]float64 {
	if f.Policy().Trusted && !f.s.Polynomial {
		f.Renew()
		f.Factorize()
	}
	b := make([]float64, f.s.Unknowns())
	for r, j := range f.s.Active {
		b[r] = math.Cos(float64(j))
	}
	for q, i := range f.s.Pins {
		b[len(f.s.Active)+q] = math.Sin(float64(i))
	}
	f.Solve(b)
	return f.byName(b)
}

// sameNamed checks that two maps are the same.
func sameNamed(t *testing.T, what string, got, want map[string]float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d unknowns, want %d", what, len(got), len(want))
	}
	size := 1.0
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for name, v := range want {
		if g, known := got[name]; !known || !(math.Abs(g-v) <= tolerance*size) {
			t.Errorf("%s of %s is %v, want %v", what, name, g, v)
		}
	}
}

// A change of zone is that of a condition placed anew, and is undone by its reverse.
func checkShift(t *testing.T, f *fixture) {
	residual := func() map[string]float64 { return f.byName(f.s.Residual[:f.s.Unknowns()]) }
	scale := func() map[string]float64 { return f.byName(f.s.Scale[:f.s.Unknowns()]) }
	before, scales, solution := residual(), scale(), f.solution()
	samples, up := f.moves(10)
	for q, i := range samples {
		pt := f.copy()
		f.Shift(i, up[q], pt.Theta)
		f.Choose()
		f.assemble(pt)
		ok := f.Factorize()
		fresh := &fixture{Condition: f.again(), random: f.random}
		fresh.s = fresh.State()
		copy(fresh.s.Sign, f.s.Sign)
		u := make([]float64, f.s.N)
		f.PredictAll(u, pt.Theta)
		fresh.Place(f.s.Zone, u, nil)
		fresh.Choose()
		fresh.assemble(pt)
		if again := fresh.Factorize(); again != ok {
			t.Errorf("sample %d moved: positive definite %v, anew %v", i, ok, again)
		}
		sameNamed(t, "residual behind a change", residual(), fresh.byName(fresh.s.Residual[:fresh.s.Unknowns()]), 1e-8)
		if ok {
			for _, l := range []int{i, (i + 1) % f.s.N} {
				same(t, "leverage behind a change", []float64{f.Leverage(l)}, []float64{fresh.Leverage(l)}, 1e-7)
			}
			sameNamed(t, "solution behind a change", f.solution(), fresh.solution(), 1e-8)
		}
		if f.s.Members[f.s.Zone[i]] != fresh.s.Members[f.s.Zone[i]] || f.s.Frozen != fresh.s.Frozen {
			t.Errorf("sample %d moved: members or frozen coordinates are others than anew", i)
		}

		copy(pt.Theta, f.pt.Theta)
		f.Shift(i, !up[q], pt.Theta)
		f.Choose()
		copy(pt.Theta, f.pt.Theta)
		f.assemble(pt)
		if !f.Factorize() {
			t.Fatalf("sample %d moved and back: no strict minimum", i)
		}
		sameNamed(t, "residual", residual(), before, 1e-8)
		sameNamed(t, "scale", scale(), scales, 2e-3) // those of terms may be of a point nearby
		sameNamed(t, "solution", f.solution(), solution, 1e-8)
	}
}

// again returns a new condition of the problem.
func (f *fixture) again() Condition {
	p := f.s.Problem
	if p.Kernel != nil {
		return NewKernel(p, convex.NewKernelRows(p.X, p.Kernel, 0))
	}
	return NewPrimal(p)
}

// Predictors of all samples are those of one by one, also of θ that differ little, many
// times.
func checkPredict(t *testing.T, f *fixture) {
	u, watched, pt := make([]float64, f.s.N), make([]float64, f.s.N), f.copy()
	for round := range 250 {
		f.s.Step(pt, f.unit(round%f.s.Unknowns()), 0.01*f.random.NormFloat64())
		f.PredictAll(u, pt.Theta)
		f.Predict(watched, pt.Theta)
		if round%10 == 0 {
			copy(pt.U, u)
			f.Assemble(pt)
		}
		for i := range u {
			if want := f.PredictOne(i, pt.Theta); math.Abs(u[i]-want) > 1e-10*(1+math.Abs(want)) {
				t.Fatalf("predictor %d is %v, want %v", i, u[i], want)
			}
		}
		same(t, "predictors of the watched samples", watched, u, 1e-10)
	}
	if p, primal := f.Condition.(*Primal); primal {
		few := []int{0, 3, f.s.N - 1}
		p.SetWatch(few)
		p.Predict(watched, pt.Theta)
		for slot, i := range few {
			same(t, "predictor of a watched sample", watched[slot:slot+1], u[i:i+1], 1e-12)
		}
	}
}

// Row is the derivative of a predictor, which is linear in the unknowns, and UnknownOf
// the place of a multiplier.
func checkRow(t *testing.T, f *fixture) {
	k := f.s.Unknowns()
	row := make([]float64, k)
	for i := range f.s.N {
		f.Row(row, i)
		for q := range k {
			pt := f.copy()
			f.s.Step(pt, f.unit(q), -1)
			want := f.PredictOne(i, pt.Theta) - f.PredictOne(i, f.pt.Theta)
			same(t, "derivative of a predictor", row[q:q+1], []float64{want}, 1e-10)
		}
		if f.s.Kinked() && f.s.Zone[i] == model.Pinned {
			pt := f.copy()
			f.s.Step(pt, f.unit(f.UnknownOf(i)), -1)
			pt.Dual[i]--
			same(t, "multipliers but the pinned sample's", pt.Dual, f.pt.Dual, 1e-12)
		}
	}
}

// The tangent and the interpolant are as far from the path as their orders say.
func checkInterpolate(t *testing.T, f *fixture) {
	f.Tangent(f.pt)
	const h = 2.0
	check := func(what string, pt *model.Point, tolerance float64) {
		t.Helper()
		want := f.at(t, pt.Age)
		same(t, what, pt.Theta, want.Theta, tolerance)
		for _, i := range f.s.Pins {
			same(t, what+": multiplier", pt.Dual[i:i+1], want.Dual[i:i+1], tolerance)
		}
		if f.s.Kernel != nil {
			u := make([]float64, f.s.N)
			f.PredictAll(u, pt.Theta)
			same(t, what+": predictors", pt.U, u, 1e-9)
		}
	}
	pt := f.copy()
	pt.Age += 0.01
	f.Extrapolate(pt, f.pt, 0.01)
	check("tangent", pt, 1e-5)
	b := f.at(t, f.pt.Age+h)
	f.Tangent(b)
	f.Interpolate(pt, f.pt, b, 0.25)
	pt.Age = f.pt.Age + 0.25*h
	check("interpolant", pt, 1e-5)
	theta := slices.Clone(pt.Theta)
	f.Interpolate(b, f.pt, b, 0.25)
	same(t, "interpolant into an end", b.Theta, theta, 0)
}

// The whole condition holds at a solution whose multipliers and inactive coordinates
// are within their bounds, and nowhere beside.
func checkResidual(t *testing.T, f *fixture) {
	holds := true
	if f.s.Kinked() {
		for i, z := range f.s.Zone {
			top := f.s.Bound * f.s.M[i]
			holds = holds && (z != model.Pinned || f.pt.Dual[i] >= 0 && f.pt.Dual[i] <= top)
		}
	}
	for j := range f.pt.Theta {
		if f.s.L1[j] == 0 {
			continue
		}
		a, _ := f.Condition.(*Primal).Activations()
		g, _, _ := a.Coordinate(j)
		holds = holds && (f.s.Sign[j] != 0 || math.Abs(g) <= f.s.L1[j])
	}
	if at := f.Residual(f.pt); holds && !(at <= 1e-10) || !holds && !(at > 1e-10) {
		t.Errorf("the residual is %v, the condition holds: %v", at, holds)
	}
	pt := f.copy()
	f.s.Step(pt, f.unit(0), 0.01)
	f.assemble(pt)
	if at := f.Residual(pt); !(at > 1e-6) {
		t.Errorf("the residual is %v away from the solution", at)
	}
}

// Where samples are in the zones of their losses the value is the implicit objective,
// and its derivatives are the equations.
func checkValue(t *testing.T, f *fixture) {
	pt := f.copy()
	u, zones := make([]float64, f.s.N), make([]uint8, f.s.N)
	f.PredictAll(u, pt.Theta)
	for round := range 2 { // with a kernel the multipliers of constant zones change
		for i, v := range u {
			loss, _, _ := f.s.Loss.Eval(v, f.s.Y[i])
			if zones[i] = uint8(f.s.Kinks + f.s.Of(loss, pt.Age)); f.s.Kinked() && loss == 0 {
				zones[i] = model.Satisfied
			}
		}
		if round == 0 {
			f.Place(zones, u, nil)
		}
	}
	f.Choose()
	f.assemble(pt)
	if f.Policy().Summed {
		f.Predict(pt.U, pt.Theta)
	}
	want := Objective(f, pt.Theta, u, pt.Age)
	if got := f.Value(pt); math.Abs(got-want) > 1e-10*math.Abs(want) {
		t.Errorf("value %v, want %v", got, want)
	}
	// The penalty by its definition.
	penalty := 0.0
	if f.s.Kernel != nil {
		gram := make([]float64, f.s.N*f.s.N)
		points := convex.NewPoints(f.s.X)
		f.s.Kernel.Block(blas64.General{Rows: f.s.N, Cols: f.s.N, Stride: f.s.N, Data: gram}, points, points)
		for i := range f.s.N {
			for j := range f.s.N {
				penalty += 0.5 * f.s.L2[0] * pt.Theta[i] * pt.Theta[j] * f.s.Y[i] * f.s.Y[j] * gram[i*f.s.N+j]
			}
		}
	} else {
		for j, w := range pt.Theta {
			penalty += f.s.L1[j]*math.Abs(w) + 0.5*f.s.L2[j]*w*w
		}
	}
	same(t, "penalty", []float64{f.Penalty(pt.Theta, u)}, []float64{penalty}, 1e-10)
}
