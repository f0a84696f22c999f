package gaga_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// Random problems of all models and regularizers, bent data and extreme parameters among
// them. Where At has no error its point satisfies the optimality condition, computed from
// the problem alone, and is the one of a path with a knot there; no landing is above the
// point that the path left, unless a gap is between.
func TestPromises(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	var all, down tally
	if needs.Long() {
		for seed := range uint64(10_000) {
			all.add(t, seed, gaga.Up)
			down.add(t, seed, gaga.Down)
		}
	} else {
		for seed := range uint64(300) {
			all.add(t, seed, gaga.Up)
			down.add(t, seed, gaga.Down)
		}
		for _, broken := range []uint64{605, 1633, 1705, 1897, 2529, 4384, 9700} { // a promise, once
			all.add(t, broken, gaga.Up)
		}
		for _, broken := range []uint64{329, 2227, 5532} {
			down.add(t, broken, gaga.Down)
		}
	}
	for _, all := range []tally{all, down} {
		t.Logf("%+v", all)
		if all.refused*1000 > all.ages {
			t.Errorf("At has an error at %d of %d ages", all.refused, all.ages)
		}
		if all.ages < 10*all.problems || all.landings < all.problems {
			t.Error("too little was looked at")
		}
	}
}

// tally counts what random problems come to.
type tally struct {
	problems, complete, early, events int
	landings, gaps, rises             int
	ages, refused, wrong, elsewhere   int     // at which At was called, has an error, no partial optimum, or another than the path
	residual, rise                    float64 // the largest, of a landing's objective relative to it
	slowest                           time.Duration
}

func (a *tally) add(t *testing.T, seed uint64, direction gaga.Direction) {
	rng := rand.New(rand.NewPCG(seed, 38))
	p, ages, what := anyProblem(rng)
	begin := time.Now()
	what += ", " + direction.String()
	path, err := gaga.Track(t.Context(), p, gaga.Options{Age: ages, MaxEvents: 2000, Direction: direction})
	a.slowest = max(a.slowest, time.Since(begin))
	a.problems++
	switch {
	case err != nil:
		t.Errorf("seed %d, %s: %v", seed, what, err)
		return
	case path.Status() == gaga.Complete:
		a.complete++
	default:
		a.early++
		t.Logf("seed %d, %s: %s", seed, what, path.Reason())
	}
	o := newOptimality(p)
	knots := path.Knots()
	for k := 1; k < len(knots); k++ {
		from, to := knots[k-1], knots[k]
		if to.Kind != gaga.Start {
			continue
		}
		a.landings++
		before, after := o.implicitObjective(from.Theta, to.Age), o.implicitObjective(to.Theta, to.Age)
		rise := (after - before) / before
		if inGaps(path, from.Age, to.Age) {
			a.gaps++
			continue
		}
		a.rise = math.Max(a.rise, rise)
		if !(rise <= 1e-8) {
			a.rises++
			t.Errorf("seed %d, %s: the landing at age %v raises the objective from %v to %v (%s)", seed, what, to.Age, before, after, from.Detail)
		}
	}
	a.events += len(path.Events())
	covered := path.Range()
	if !(covered.Max > covered.Min) {
		return
	}
	at := make([]float64, 20)
	for k := range at {
		at[k] = covered.Min + (covered.Max-covered.Min)*rng.Float64()
		if k%2 == 0 {
			at[k] = covered.Min * math.Pow(covered.Max/covered.Min, rng.Float64())
		}
	}
	exact, err := gaga.Track(t.Context(), p, gaga.Options{Age: ages, Grid: at, MaxEvents: 2000, Direction: direction})
	if err != nil {
		t.Errorf("seed %d, %s, with a grid: %v", seed, what, err)
		return
	}
	for _, age := range at {
		theta, err := path.At(age)
		if _, ok := errors.AsType[*gaga.GapError](err); ok {
			continue
		}
		a.ages++
		if err != nil {
			a.refused++
			t.Logf("seed %d, %s: %v", seed, what, err)
			continue
		}
		off := o.violation(theta, age)
		if !(off <= 1e-8) {
			off = newOptimality(p).violation(theta, age) // open multipliers are looked for from where they stood
		}
		a.residual = math.Max(a.residual, off)
		if !(off <= 1e-8) {
			a.wrong++
			t.Errorf("seed %d, %s: residual %.2g at age %v", seed, what, off, age)
		}
		if want, err := exact.At(age); err == nil {
			if d := o.predictorsApart(want, theta); !(d <= 1e-6) && sameEvents(path, exact) {
				a.elsewhere++
				t.Errorf("seed %d, %s: age %v: %v, %v with a knot there", seed, what, age, theta, want)
			}
		}
	}
}

// predictorsApart returns the largest difference of a sample's predictors at two points,
// relative to the largest predictor, or to 1.
func (o *optimality) predictorsApart(a, b []float64) (off float64) {
	size := 1.0
	first := slices.Clone(o.predict(a))
	for i, u := range o.predict(b) {
		off = math.Max(off, math.Abs(u-first[i]))
		size = math.Max(size, math.Max(math.Abs(u), math.Abs(first[i])))
	}
	return off / size
}

func sameEvents(a, b *gaga.Path) bool {
	return slices.EqualFunc(a.Events(), b.Events(), func(x, y gaga.Event) bool {
		return x.Kind == y.Kind && x.Cause == y.Cause && x.Index == y.Index && math.Abs(x.Age-y.Age) <= 1e-7*x.Age
	})
}

func inGaps(p *gaga.Path, from, to float64) bool {
	for _, g := range p.Gaps() {
		if g.From <= from && to <= g.To {
			return true
		}
	}
	return false
}

// implicitObjective returns G_λ(θ).
func (o *optimality) implicitObjective(theta []float64, age float64) (sum float64) {
	p := o.p
	b := theta[len(theta)-1]
	for i, u := range o.predict(theta) {
		loss, _, _ := o.loss(u, p.Y[i])
		sum += o.multiplicity(i) * p.Regularizer.Integral(loss, age)
		if p.Kernel != nil { // ‖w‖² = Σ_i α_i y_i (u_i - b)
			sum += 0.5 * p.Penalty.L2 * theta[i] * p.Y[i] * (u - b)
		}
	}
	if p.Kernel == nil {
		for _, w := range theta[:len(theta)-1] {
			sum += p.Penalty.L1*math.Abs(w) + 0.5*p.Penalty.L2*w*w
		}
	}
	return sum
}

// predict returns the predictors at θ, in memory of its own.
func (o *optimality) predict(theta []float64) []float64 {
	n, b := o.p.X.Rows, theta[len(theta)-1]
	for i := range n {
		o.u[i] = b
	}
	u, rows, w := blas64.Vector{N: n, Inc: 1, Data: o.u}, o.p.X, theta[:len(theta)-1]
	if o.p.Kernel != nil {
		rows, w = o.kernel, o.f
		for i, y := range o.p.Y {
			w[i] = theta[i] * y
		}
	}
	blas64.Gemv(blas.NoTrans, 1, rows, blas64.Vector{N: len(w), Inc: 1, Data: w}, 1, u)
	return o.u
}

// anyProblem draws a problem of any model and regularizer, and ages.
func anyProblem(rng *rand.Rand) (p *gaga.Problem, ages gaga.Range, what string) {
	n, d := 1+rng.IntN(60), 1+rng.IntN(6)
	if rng.IntN(10) > 0 {
		n = 3 + rng.IntN(58)
	}
	pick := func(values ...float64) float64 { return values[rng.IntN(len(values))] }
	between := func(low, high float64) float64 { return low * math.Pow(high/low, rng.Float64()) }
	extreme := rng.IntN(3) == 0
	model := []string{"ridge", "lasso", "elastic net", "logistic", "svm", "svm rbf"}[rng.IntN(6)]
	classes := model == "logistic" || model == "svm" || model == "svm rbf"
	x, y := make([]float64, n*d), make([]float64, n)
	kind := rng.IntN(4)
	for i := range x {
		switch x[i] = rng.NormFloat64(); kind {
		case 0:
			x[i] = float64(rng.IntN(5) - 2)
		case 1:
			if extreme {
				x[i] = float64(rng.IntN(2))
			}
		}
	}
	noise := between(0.1, 3)
	for i := range y {
		for j := range d {
			y[i] += x[i*d+j] * float64(1+j%3) / 3
		}
		y[i] += noise * rng.NormFloat64()
		if kind == 0 {
			y[i] = math.Round(y[i])
		}
		if rng.IntN(12) == 0 {
			y[i] = -3 * y[i]
		}
		if classes {
			y[i] = math.Copysign(1, y[i])
		}
	}
	bent := "plain"
	column := func(j int, f func(i int) float64) {
		for i := range n {
			x[i*d+j] = f(i)
		}
	}
	switch rng.IntN(22) {
	case 0, 1:
		bent = "repeated rows"
		for i := n / 2; i < n; i++ {
			copy(x[i*d:(i+1)*d], x[(i-n/2)*d:])
			if rng.IntN(2) == 0 {
				y[i] = y[i-n/2]
			}
		}
	case 2:
		bent = "collinear columns"
		column(d-1, func(i int) float64 { return 2 * x[i*d] })
	case 3:
		bent = "constant column"
		column(0, func(int) float64 { return 1 })
	case 4:
		bent = "one target"
		for i := range y {
			y[i] = y[0]
		}
	case 5:
		bent = "an outlier"
		for j := range d {
			x[j] *= 100
		}
	case 6:
		bent = "zeros"
		column(0, func(int) float64 { return 0 })
	case 7:
		bent = "large features"
		by := between(10, 1e4)
		for i := range x {
			x[i] *= by
		}
	case 8:
		bent = "columns of other scales"
		by := between(1e-3, 10)
		column(0, func(i int) float64 { return by * x[i*d] })
		column(d-1, func(i int) float64 { return x[i*d+d-1] / by })
	case 9:
		bent = "small features"
		for i := range x {
			x[i] *= 1e-3
		}
	}
	var m []float64
	if rng.IntN(4) == 0 {
		m = make([]float64, n)
		for i := range m {
			m[i] = pick(1, 2, 3, 0.5+3.5*rng.Float64())
		}
	}
	alpha, c, gamma := between(1e-3, 1), between(0.05, 20), between(0.05, 2)
	a, mix, order := between(0.3, 4), between(0.2, 2), pick(1.2, 1.3, 1.5, 1.8, 2.5)
	if extreme {
		alpha, c, gamma = between(1e-5, 10), between(1e-3, 1e3), between(0.005, 50)
		a, mix, order = between(0.01, 100), between(0.01, 50), pick(1.2, 1.25, 3, 5, 10)
	}
	features := blas64.General{Rows: n, Cols: d, Stride: d, Data: x}
	switch model {
	case "ridge":
		p = gaga.Ridge(features, y, m, alpha)
	case "lasso":
		p = gaga.Lasso(features, y, m, 0.3*alpha)
	case "elastic net":
		p = gaga.ElasticNet(features, y, m, 0.3*alpha, pick(0.1, 0.5, 0.9))
	case "logistic":
		p = gaga.LogisticRegression(features, y, m, c)
	case "svm":
		p = gaga.SVM(features, y, m, c, nil)
	case "svm rbf":
		p = gaga.SVM(features, y, m, c, gaga.RBF{Gamma: gamma})
	}
	p.Intercept = rng.IntN(2) == 0
	p.Regularizer = []gaga.Regularizer{
		gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: order}, gaga.Mixture{Gamma: mix}, gaga.LOG{A: a},
	}[rng.IntN(5)]
	ages.Min = between(1e-3, 0.5)
	if classes && rng.IntN(2) == 0 {
		ages.Min *= c
	}
	ages.Max = ages.Min * between(10, 1e4)
	return p, ages, fmt.Sprintf("%s, %#v, %d x %d, %s, intercept %v, extreme %v", model, p.Regularizer, n, d, bent, p.Intercept, extreme)
}
