package gaga_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// Three samples at 0 and two at 1, fitted by one number θ. With both groups in, the condition is
// λ = N(θ)/D(θ), N = 2(1-θ)³ - 3θ³, D = 2 - 5θ; with the second one out, θ = 0 while λ <= 1. There
// its return jumps, 1 - 2·2/3 < 0, to the other root of N = D, which is 1/5. The branch of both ends
// where (N/D)' = 0, that is (5θ-2)³ = -3: a path down jumps there, at N/∛3 < 1, to θ = 0.
func TestHysteresis(t *testing.T) {
	t.Parallel()
	p := gaga.LeastSquares(blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 1}}, []float64{0, 1}, []float64{3, 2})
	p.Regularizer = gaga.Linear{}
	root := math.Cbrt(3)
	fold := (2 - root) / 5
	back := (2*math.Pow(1-fold, 3) - 3*math.Pow(fold, 3)) / root
	for _, c := range []struct {
		direction      gaga.Direction
		age, from, to  float64
		cause          gaga.Cause
		first, last    float64 // θ at both ends
		firstAge, gone float64
	}{
		{direction: gaga.Up, age: 1, from: 0, to: 0.2, cause: gaga.SampleDown},
		{direction: gaga.Down, age: back, from: fold, to: 0, cause: gaga.Fold},
	} {
		path := track(t, p, gaga.Options{Age: gaga.Range{Min: 0.5, Max: 100}, Direction: c.direction})
		if path.Direction() != c.direction || path.Range() != (gaga.Range{Min: 0.5, Max: 100}) {
			t.Errorf("%v: direction %v, ages %v", c.direction, path.Direction(), path.Range())
		}
		var jumps []gaga.Knot
		knots := path.Knots()
		for i, k := range knots {
			if k.Kind == gaga.Jump {
				jumps = append(jumps, k, knots[i+1])
			}
		}
		if len(jumps) != 2 {
			t.Fatalf("%v: events %+v, want one jump", c.direction, path.Events())
		}
		from, to := jumps[0], jumps[1]
		if math.Abs(from.Age-c.age) > 1e-9 || from.Cause != c.cause || math.Abs(from.Theta[0]-c.from) > 1e-6 {
			t.Errorf("%v: %v at age %v, θ = %v, want %v at %v, %v", c.direction, from.Cause, from.Age, from.Theta[0], c.cause, c.age, c.from)
		}
		if beyond := (to.Age - from.Age) / from.Age; math.Abs(math.Abs(beyond)-1e-9) > 1e-11 || (beyond > 0) != (c.direction == gaga.Up) || math.Abs(to.Theta[0]-c.to) > 1e-7 {
			t.Errorf("%v: lands at θ = %v, a relative %v further, want %v", c.direction, to.Theta[0], beyond, c.to)
		}
		// Between the two jumps each path is on its own branch, outside they agree.
		for age, want := range map[float64]float64{0.9: 0, (back + 1) / 2: map[gaga.Direction]float64{gaga.Up: 0, gaga.Down: math.NaN()}[c.direction], 2: math.NaN()} {
			theta, err := path.At(age)
			if err != nil {
				t.Error(err)
				continue
			}
			x := theta[0]
			if math.IsNaN(want) {
				if off := 2*math.Pow(1-x, 3) - 3*math.Pow(x, 3) - age*(2-5*x); !(math.Abs(off) < 1e-9) || !(x > fold) {
					t.Errorf("%v: θ = %v at age %v", c.direction, x, age)
				}
			} else if x != want {
				t.Errorf("%v: θ = %v at age %v, want %v", c.direction, x, age, want)
			}
		}
	}
}

// On a continuous piece that paths in both directions reach they have the same points, and the
// same events, each the reverse of the other.
func TestDirectionsShareTheirPieces(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	problems := 300
	if needs.Long() {
		problems = 10_000
	}
	var all sharing
	defer func() { t.Logf("%+v", all) }()
	for seed := range problems {
		p, ages, what := drawModel(rand.New(rand.NewPCG(uint64(seed), 56)))
		if !tiedRows(p) { // of equal samples any may be the one at the margin
			all.add(t, p, ages, fmt.Sprint(seed, ": ", what))
		}
	}
	cells := smallCells()
	for _, r := range acceptanceRegularizers[:5] { // enough rows for windows
		cells = append(cells, cell{"lasso", r.name, "diabetes", 0.3, 1})
	}
	for _, c := range append(cells, cell{"svm", "linear", "breast_cancer", 0.3, 1}) {
		all.add(t, c.problem(t), c.options().Age, c.String())
	}
	if all.shared < problems || all.events < 5*problems {
		t.Error("too little was looked at")
	}
	if all.blurred*100 > all.events || all.lost*500 > all.events {
		t.Errorf("%d of %d events differ by more than 1e-9, %d have no reverse", all.blurred, all.events, all.lost)
	}
}

// tiedRows reports whether two samples have equal features.
func tiedRows(p *gaga.Problem) bool {
	seen := map[string]bool{}
	for i := range p.X.Rows {
		seen[fmt.Sprint(p.X.Data[i*p.X.Stride:][:p.X.Cols])] = true
	}
	return len(seen) < p.X.Rows
}

// sharing counts pieces between jumps of either direction.
type sharing struct {
	shared, apart, gaps int
	events, points      int
	blurred, lost       int     // events without a reverse at the same age to 1e-9, to 1e-7
	age, theta          float64 // the largest relative differences
}

func (s *sharing) add(t *testing.T, p *gaga.Problem, ages gaga.Range, what string) {
	t.Helper()
	var paths [2]*gaga.Path
	for _, d := range []gaga.Direction{gaga.Up, gaga.Down} {
		path, err := gaga.Track(t.Context(), p, gaga.Options{Age: ages, Direction: d, MaxAlternations: 20_000})
		if err != nil {
			t.Errorf("%s, %v: %v", what, d, err)
			return
		}
		if len(path.Knots()) == 0 {
			return
		}
		paths[d] = path
	}
	up, down := paths[gaga.Up], paths[gaga.Down]
	low, high := max(up.Range().Min, down.Range().Min), min(up.Range().Max, down.Range().Max)
	cuts := []float64{low, high}
	for _, path := range paths {
		for _, k := range path.Knots() {
			if (k.Kind == gaga.Start || k.Kind == gaga.Jump) && k.Age > low && k.Age < high {
				cuts = append(cuts, k.Age)
			}
		}
	}
	slices.Sort(cuts)
	o := newOptimality(p)
	for k := 1; k < len(cuts); k++ {
		if a, b := cuts[k-1], cuts[k]; b > a*(1+1e-6) {
			s.piece(t, o, up, down, a, b, what)
		}
	}
}

func (s *sharing) piece(t *testing.T, o *optimality, up, down *gaga.Path, a, b float64, what string) {
	for k, x := range []float64{0.5, 0.1, 0.3, 0.7, 0.9} {
		age := a * math.Pow(b/a, x)
		one, err := up.At(age)
		other, wrong := down.At(age)
		if err := errors.Join(err, wrong); err != nil {
			if _, ok := errors.AsType[*gaga.GapError](err); ok {
				s.gaps++
			} else {
				t.Errorf("%s: %v", what, err)
			}
			return
		}
		off := o.predictorsApart(one, other)
		if o.p.Kernel == nil { // else multipliers are as uncertain as the kernel matrix is singular
			off = apart(one, other)
		}
		if k == 0 && off > 1e-6 {
			s.apart++
			return
		}
		s.points++
		s.theta = max(s.theta, off)
		if !(off <= 1e-8) {
			t.Errorf("%s: up and down are %.2g apart at age %v, between %v and %v", what, off, age, a, b)
			return
		}
	}
	s.shared++
	s.match(t, o, up, down, a, b, what)
	s.match(t, o, down, up, a, b, what)
}

var opposite = map[gaga.Cause]gaga.Cause{
	gaga.SampleUp: gaga.SampleDown, gaga.SampleDown: gaga.SampleUp, gaga.Activated: gaga.Dropped, gaga.Dropped: gaga.Activated,
}

// match looks for each event of a path inside a piece among those of the other. Where all
// coefficients vanish, as once the last weights do, rounding decides who is at the margin.
func (s *sharing) match(t *testing.T, o *optimality, path, other *gaga.Path, a, b float64, what string) {
	for _, e := range path.Knots() {
		if e.Kind != gaga.Turning || !(e.Age > a*(1+1e-8) && e.Age < b*(1-1e-8)) {
			continue
		}
		bare := make([]float64, len(e.Theta))
		bare[len(bare)-1] = e.Theta[len(bare)-1]
		if _, hinge := o.p.Loss.(gaga.Hinge); hinge && o.predictorsApart(e.Theta, bare) <= 1e-9 {
			continue
		}
		s.events++
		nearest := math.Inf(1)
		for _, o := range other.Events() {
			if o.Index == e.Index && o.Cause == opposite[e.Cause] {
				nearest = min(nearest, math.Abs(o.Age-e.Age)/e.Age)
			}
		}
		if nearest > 1e-9 {
			s.blurred++
		}
		if !(nearest <= 1e-7) {
			s.lost++
			t.Logf("%s: %v has %s at age %v, the other direction only %.2g off", what, path.Direction(), e.Detail, e.Age, nearest)
			continue
		}
		s.age = max(s.age, nearest)
	}
}

// Plain alternation at dense descending ages, each warm-started from the one before, follows a path
// down: between jumps to the same points, and at each jump, which it sees in the same step, almost
// always to the same landing. It finds no descent that the path has missed.
func TestDownIsAlternation(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	problems := 24
	if needs.Long() {
		problems = 3000
	}
	var all descending
	defer func() { t.Logf("%+v", all) }()
	for seed := range problems {
		p, ages, what := drawModel(rand.New(rand.NewPCG(uint64(seed), 57)))
		all.add(t, p, ages, fmt.Sprint(seed, ": ", what))
	}
	if all.ages < 100*problems || all.jumps < problems/2 {
		t.Error("too little was looked at")
	}
	if all.elsewhere*20 > all.jumps {
		t.Errorf("%d of %d jumps land elsewhere", all.elsewhere, all.jumps)
	}
	if all.missed > 0 {
		t.Errorf("the path misses %d jumps of alternation", all.missed)
	}
	if !(all.objective <= 1e-8) {
		t.Errorf("objectives differ by %.2g", all.objective)
	}
}

// descending counts the steps of alternation down a path.
type descending struct {
	ages, jumps, elsewhere, missed int
	coarse, slow, ends             int
	objective                      float64 // the largest difference, relative to both and that of θ = 0
	side                           float64 // of a displaced intercept, 0 without one
}

func (d *descending) add(t *testing.T, p *gaga.Problem, ages gaga.Range, what string) {
	path, err := gaga.Track(t.Context(), p, gaga.Options{Age: ages, Direction: gaga.Down, MaxAlternations: 20_000})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	a, err := gaga.NewAlternation(p)
	if err != nil {
		t.Fatal(err)
	}
	if path.Status() != gaga.Complete || a.FitAll(t.Context()) != nil {
		return
	}
	o := newOptimality(p)
	if d.side = 0; p.Intercept {
		d.side = 1
	}
	const ratio = 0.99
	for before, age := ages.Max/ratio, ages.Max; age > ages.Min; before, age = age, age*ratio {
		theta, err := path.At(age)
		if _, ok := errors.AsType[*gaga.GapError](err); ok {
			// Alternation ends there, too, or a little earlier or later.
			if d.ends++; d.settle(t, a, age*ratio) && !a.Discards(age) && !d.oneClass(p, a, age) {
				t.Logf("%s: the path ends at age %v, alternation goes on", what, path.Range().Min)
				d.missed++
			}
			return
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		d.ages++
		jumps := jumpsBetween(path, age, before)
		d.jumps += jumps
		switch {
		case !d.settle(t, a, age):
			d.slow++
		case o.predictorsApart(a.Theta(), theta) <= 1e-5:
			one, other := o.implicitObjective(a.Theta(), age), o.implicitObjective(theta, age)
			whole := o.implicitObjective(make([]float64, len(theta)), age)
			d.objective = max(d.objective, math.Abs(one-other)/(one+other+whole))
			continue
		case jumps > 0:
			d.elsewhere++
		case d.fine(t, a, path, o, age, before):
			d.coarse++
		default:
			t.Logf("%s: alternation leaves the path between ages %v and %v", what, before, age)
			d.missed++
			return
		}
		a.SetTheta(theta)
	}
}

// settle reports whether alternation at an age converges from next to where it is: it would stay at
// a saddle.
func (d *descending) settle(t *testing.T, a *gaga.Alternation, age float64) bool {
	beside := slices.Clone(a.Theta())
	beside[len(beside)-1] += 1e-8 * min(1, age) * d.side
	a.SetTheta(beside)
	_, err := a.Converge(t.Context(), age, 1e-12, 20_000)
	return err == nil
}

// oneClass reports whether alternation has left one class where a fit needs both.
func (d *descending) oneClass(p *gaga.Problem, a *gaga.Alternation, age float64) bool {
	if _, needs := p.Loss.(gaga.Logistic); !needs || !p.Intercept {
		return false
	}
	losses, sides := make([]float64, p.X.Rows), [2]float64{}
	a.Losses(losses)
	gaga.Weights(p.Regularizer, losses, age)
	for i, v := range losses {
		sides[int(1+p.Y[i])/2] += v
	}
	return min(sides[0], sides[1]) <= 1e-9*max(sides[0], sides[1])
}

// fine reports whether alternation in a hundred steps from the path's point before comes to the
// path's: one step was too long.
func (d *descending) fine(t *testing.T, a *gaga.Alternation, path *gaga.Path, o *optimality, age, before float64) bool {
	theta, err := path.At(min(before, path.Range().Max))
	if err != nil {
		t.Error(err)
		return false
	}
	a.SetTheta(theta)
	for k := 1.0; k <= 100; k++ {
		if !d.settle(t, a, before*math.Pow(age/before, k/100)) {
			return true
		}
	}
	theta, err = path.At(age)
	return err == nil && o.predictorsApart(a.Theta(), theta) <= 1e-5
}

func jumpsBetween(path *gaga.Path, low, high float64) (n int) {
	for _, k := range path.Knots() {
		if k.Kind == gaga.Jump && k.Age >= low && k.Age < high {
			n++
		}
	}
	return n
}
