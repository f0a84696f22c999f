package audit

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/convex"
)

// squares is the loss (u - y)², hinge the loss max(0, 1 - yu).
type squares struct{}

func (squares) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type hinge struct{}

func (hinge) Eval(u, y float64) (loss, slope, curvature float64) {
	if loss = 1 - y*u; loss <= 0 {
		return 0, 0, 0
	}
	return loss, -y, 0
}

// linear is the regularizer with the weights max(0, 1 - l/λ).
type linear struct{}

func (linear) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (linear) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1 - loss/age, -1 / age, loss / (age * age)
	}
	return 0, 0, 0
}

func (linear) Integral(loss, age float64) float64 {
	loss = math.Min(loss, age)
	return loss - loss*loss/(2*age)
}

// fixture is a point of a path that a case may break.
type fixture struct {
	p      *model.Problem
	st     *model.State
	pt     *model.Point
	floor  []float64
	behind model.Crossing
}

func newFixture(loss model.Loss, cost float64, p int, rows [][]float64, y []float64, kernel convex.Kernel, age float64) *fixture {
	n, d := len(y), len(rows[0])
	x := blas64.General{Rows: n, Cols: d, Stride: d}
	for _, row := range rows {
		x.Data = append(x.Data, row...)
	}
	m := make([]float64, n)
	for i := range m {
		m[i] = 1
	}
	problem := &model.Problem{
		Samples:   model.Samples{N: n, P: p, X: x, Y: y, M: m, Total: float64(n), Kernel: kernel},
		Penalty:   model.Penalty{L1: make([]float64, p), L2: make([]float64, p)},
		Criterion: model.Criterion{Loss: loss, Cost: cost, Squared: cost == 0},
		Zoning:    model.NewZoning(linear{}, []model.Zone{{Name: "easy"}, {Name: "discarded"}}, nil, cost > 0),
	}
	if kernel == nil {
		problem.Rows = x.Data
	} else {
		for j := range p - 1 {
			problem.L2[j] = 1
		}
	}
	f := &fixture{p: problem, st: model.NewState(problem, 2*p), pt: model.NewPoint(problem), floor: make([]float64, p)}
	f.pt.Age = age
	return f
}

// zoned makes these the zones, the unknowns and the pinned samples.
func (f *fixture) zoned(zones []uint8, active, pins []int) {
	copy(f.st.Zone, zones)
	f.st.Count()
	f.st.Active, f.st.Pins = active, pins
}

// ridge is the fit of one coefficient to (1, y) and an outlier at the age 1. The first
// sample has the residual off, from which its weight 1 - off² and the penalty follow:
// L2 θ = -2 off (1 - off²). H is L2 + 2(1 - 3 off²).
func ridge(y, off float64) *fixture {
	f := newFixture(squares{}, 0, 1, [][]float64{{1}, {1}}, []float64{y, y + 10}, nil, 1)
	theta := y + off
	f.p.L2[0] = -2 * off * (1 - off*off) / theta
	f.pt.Theta[0] = theta
	f.pt.Rate[0] = -2 * off * off * off / (f.p.L2[0] + 2*(1-3*off*off))
	f.zoned([]uint8{0, 1}, []int{0}, nil)
	return f
}

// farFrom0 is the exact fit of a line to samples around 2^20, at an age at which all have weight.
func farFrom0() *fixture {
	const far = 1 << 20
	f := newFixture(squares{}, 0, 2, [][]float64{{far - 1, 1}, {far + 1, 1}, {far - 2, 1}, {far + 2, 1}}, []float64{-1, 1, -2, 2}, nil, 1e9)
	f.p.Intercept = true
	f.pt.Theta[0], f.pt.Theta[1] = 1, -far
	f.zoned([]uint8{0, 0, 0, 0}, []int{0, 1}, nil)
	return f
}

// lasso is the fit of two coefficients to two samples, each with a column of its own, at
// the age 1. The first has the residual -1/2, and L1 = 3/4 follows; the second coefficient
// is zero, as its gradient is 2·0.3·(1 - 0.09) < L1.
func lasso() *fixture {
	f := newFixture(squares{}, 0, 2, [][]float64{{1, 0}, {0, 1}}, []float64{2, 0.3}, nil, 1)
	f.p.L1[0], f.p.L1[1] = 0.75, 0.75
	f.pt.Theta[0], f.st.Sign[0] = 1.5, 1
	f.pt.Rate[0] = 0.5
	f.pt.Grad[0], f.pt.Grad[1] = -0.75, -0.6*0.91
	f.pt.DGrad[1] = -0.6 * 0.09
	f.zoned([]uint8{0, 0}, []int{0}, nil)
	return f
}

// machine is a support vector machine without an intercept at the age 1, with the
// solution w = (1, 0). Sample 0 is at the margin, 3 beyond it, 4 discarded. Samples 1 and
// 2 have the loss 1/2 and with it this weight. So the multiplier of sample 0 is 1/2. H is
// 1/2 and 1 - 2 tilt² on its diagonal, else 0.
func machine(tilt float64, kernel convex.Kernel) *fixture {
	rows := [][]float64{{1, 0}, {0.5, tilt}, {0.5, -tilt}, {2, 0}, {-3, 0}}
	y := []float64{1, 1, 1, 1, 1}
	zones := []uint8{model.Pinned, 2, 2, model.Satisfied, 3}
	if kernel == nil {
		f := newFixture(hinge{}, 1, 2, rows, y, nil, 1)
		f.p.L2[0], f.p.L2[1] = 1, 1
		f.pt.Theta[0] = 1
		f.pt.Dual[0], f.pt.DDual[0] = 0.5, -0.5
		f.zoned(zones, []int{0, 1}, []int{0})
		return f
	}
	f := newFixture(hinge{}, 1, 6, rows, y, kernel, 1)
	f.floor = nil
	copy(f.pt.Theta, []float64{0.5, 0.5, 0.5, 0, 0, 0})
	copy(f.pt.Rate, []float64{-0.5, 0.5, 0.5, 0, 0, 0})
	f.zoned(zones, []int{0, 1, 2}, nil)
	return f
}

func TestCheck(t *testing.T) {
	t.Parallel()
	squared := func() *fixture { return ridge(1, -0.5) }
	vectors := func() *fixture { return machine(0.5, nil) }
	kernel := func() *fixture { return machine(0.5, convex.Linear{}) }
	cause := func(c model.Cause, index int) func(*fixture) {
		return func(f *fixture) { f.behind = model.Crossing{Cause: c, Index: index} }
	}
	zone := func(i int, z uint8) func(*fixture) { return func(f *fixture) { f.st.Zone[i] = z } }
	theta := func(j int, w float64) func(*fixture) { return func(f *fixture) { f.pt.Theta[j] = w } }
	none := func(*fixture) {}
	for name, of := range map[string]struct {
		of     func() *fixture
		change func(*fixture)
		want   string // in what Check returns; "" where it must pass
	}{
		"squares":                          {squared, none, ""},
		"squares, rounding":                {squared, theta(0, 0.5*(1+1e-12)), ""},
		"squares, zone ends":               {squared, zone(1, 0), "sample 1 with loss 110.25 is in zone 0, which ends at 1"},
		"squares, zone begins":             {squared, zone(0, 1), "sample 0 with loss 0.25 is in zone 1, which begins at 1"},
		"squares, NaN":                     {squared, theta(0, math.NaN()), "coefficient 0 is NaN"},
		"squares, residual":                {squared, theta(0, 0.5*(1+1e-7)), "the residual in coordinate 0"},
		"squares, saddle":                  {func() *fixture { return ridge(10, -0.9) }, none, "not a strict minimum"},
		"squares, no curvature":            {squared, func(f *fixture) { f.p.L2[0] = 0; f.p.X.Data[0], f.p.X.Data[1] = 0, 0; f.st.Zone[0] = 1; f.p.Y[0] = 8 }, "unknown 0 has no terms"},
		"squares, enters":                  {squared, cause(model.SampleDown, 0), ""},
		"squares, leaves and turns back":   {squared, cause(model.SampleUp, 1), "turns back"},
		"squares, enters and turns back":   {squared, func(f *fixture) { f.pt.Rate[0] = -2; f.behind = model.Crossing{Cause: model.SampleDown} }, "turns back"},
		"lasso":                            {lasso, none, ""},
		"lasso, wrong sign":                {lasso, func(f *fixture) { f.st.Sign[0] = -1 }, "coefficient 0 has the sign -1 and the value 1.5"},
		"lasso, inactive":                  {lasso, theta(1, 1e-3), "coefficient 1 is inactive and has the value 0.001"},
		"lasso, active residual":           {lasso, theta(0, 1.4), "the residual in coordinate 0"},
		"lasso, inactive residual":         {lasso, func(f *fixture) { f.p.Y[1] = 0.6 }, "the residual in coordinate 1"},
		"lasso, floor":                     {lasso, func(f *fixture) { f.pt.Theta[0] += 1e-6; f.floor[0] = 1e4 }, ""},
		"lasso, activated":                 {lasso, cause(model.Activated, 0), ""},
		"lasso, activated and turns back":  {lasso, func(f *fixture) { f.pt.Rate[0] = -1; f.behind = model.Crossing{Cause: model.Activated} }, "turns back"},
		"lasso, dropped and turns back":    {lasso, cause(model.Dropped, 1), "turns back"},
		"lasso, dropped":                   {lasso, func(f *fixture) { f.pt.DGrad[1] *= -1; f.behind = model.Crossing{Cause: model.Dropped, Index: 1} }, ""},
		"machine":                          {vectors, none, ""},
		"machine, satisfied":               {vectors, zone(1, model.Satisfied), "sample 1 is satisfied with the defect 0.5"},
		"machine, first zone":              {vectors, zone(3, 2), "sample 3 is in the regularizer's first zone with the defect -1"},
		"machine, pinned":                  {vectors, zone(1, model.Pinned), "sample 1 is pinned with the defect 0.5"},
		"machine, multiplier":              {vectors, func(f *fixture) { f.pt.Dual[0] = 1.5 }, "sample 0 is pinned with the multiplier 1.5, its bounds are 0 and 1"},
		"machine, negative multiplier":     {vectors, func(f *fixture) { f.pt.Dual[0] = -0.5 }, "sample 0 is pinned with the multiplier -0.5"},
		"machine, zone ends":               {vectors, zone(4, 2), "sample 4 with loss 4 is in zone 0"},
		"machine, residual":                {vectors, func(f *fixture) { f.pt.Dual[0] = 0.6 }, "the residual in coordinate 0"},
		"machine, saddle":                  {func() *fixture { return machine(1, nil) }, none, "not a strict minimum"},
		"machine, saddle without its pins": {func() *fixture { return machine(1, nil) }, func(f *fixture) { f.st.Pins = nil }, "not a strict minimum"},
		"machine, pinned from above":       {vectors, cause(model.SampleDown, 0), ""},
		"machine, pinned and turns back":   {vectors, cause(model.SampleUp, 0), "turns back"},
		"machine, past the kink and back":  {vectors, func(f *fixture) { f.pt.Rate[0] = -1; f.behind = model.Crossing{Cause: model.SampleDown, Index: 3} }, "turns back"},
		"machine, past the kink":           {vectors, func(f *fixture) { f.pt.Rate[0] = 1; f.behind = model.Crossing{Cause: model.SampleDown, Index: 3} }, ""},
		"machine, unpinned and back":       {vectors, func(f *fixture) { f.pt.Rate[0] = 1; f.behind = model.Crossing{Cause: model.SampleUp, Index: 1} }, "turns back"},
		"machine, unpinned":                {vectors, func(f *fixture) { f.pt.Rate[0] = -1; f.behind = model.Crossing{Cause: model.SampleUp, Index: 1} }, ""},
		"far from 0":                       {farFrom0, none, ""},
		"far from 0, residual":             {farFrom0, func(f *fixture) { f.pt.Theta[0], f.pt.Theta[1] = 1+1e-6, -(1+1e-6)*(1<<20) }, "the residual in coordinate 0"},
		"kernel":                           {kernel, none, ""},
		"kernel, zone ends":                {kernel, zone(4, 2), "sample 4 with loss 4 is in zone 0"},
		"kernel, pinned":                   {kernel, zone(1, model.Pinned), "sample 1 is pinned with the defect 0.5"},
		"kernel, NaN":                      {kernel, theta(5, math.NaN()), "coefficient 5 is NaN"},
		"kernel, residual":                 {kernel, func(f *fixture) { f.pt.Theta[3], f.pt.Theta[0] = 0.1, 0.3 }, "sample 3 has the multiplier 0.1, its loss says 0"},
		"kernel, sum":                      {kernel, func(f *fixture) { f.p.Intercept = true }, "the multipliers with their signs sum to 1.5"},
		"kernel, frozen sum":               {kernel, func(f *fixture) { f.p.Intercept, f.st.Frozen = true, true }, ""},
		"kernel, saddle":                   {func() *fixture { return machine(1, convex.Linear{}) }, none, "not a strict minimum"},
		"kernel, pinned from above":        {kernel, cause(model.SampleDown, 0), ""},
		"kernel, pinned and turns back":    {kernel, cause(model.SampleUp, 0), "turns back"},
		"kernel, discarded and turns back": {kernel, func(f *fixture) { f.pt.Rate[5] = 2; f.behind = model.Crossing{Cause: model.SampleUp, Index: 4} }, "turns back"},
		"kernel, discarded":                {kernel, func(f *fixture) { f.pt.Rate[5] = -2; f.behind = model.Crossing{Cause: model.SampleUp, Index: 4} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := of.of()
			of.change(f)
			broken := New(f.p).Check(f.st, f.pt, f.floor, f.behind)
			if (broken == "") != (of.want == "") || !strings.Contains(broken, of.want) {
				t.Errorf("Check returns %q, want %q", broken, of.want)
			}
		})
	}
}
