package window

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// A window has few samples, but for those that are as good as at a boundary.
func TestFit(t *testing.T) {
	t.Parallel()
	spread := func(n int, from, to float64) (near []float64) { // evenly on the logarithm
		for i := range n {
			near = append(near, from*math.Pow(to/from, (float64(i)+0.5)/float64(n)))
		}
		return near
	}
	for _, c := range []struct {
		name        string
		near        []float64
		least, most float64 // length
	}{
		{"even", spread(10000, 1e-3, 10), 5e-4, 2e-3},
		{"a tie", append(make([]float64, 5000), spread(10000, 1e-3, 10)...), 5e-4, 2e-3},
		{"a crowd nearby, then none", append(spread(5000, 1e-8, 1e-6), spread(10000, 0.1, 10)...), 0.05, 0.25},
	} {
		w := &Window{approach: approach{limit: math.Inf(1), near: c.near}, last: 20, line: line{age: 1}, extent: extent{length: 0.5}}
		w.fit(tolerance.WindowFew, tolerance.WindowMany)
		if w.length < c.least || w.length > c.most {
			t.Errorf("%s: the window is %v long, want %v to %v", c.name, w.length, c.least, c.most)
		}
	}
}

type squaredLoss struct{}

func (squaredLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type hingeLoss struct{}

func (hingeLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	if y*u >= 1 {
		return 0, 0, 0
	}
	return 1 - y*u, -y, 0
}

// linear has the weights max(0, 1 - l/λ).
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

func linearSeries(zone int, age float64) model.Series {
	if zone == 0 {
		return model.Series{F: [4]float64{2: 1, 3: -0.5 / age}, Rate: [4]float64{3: 0.5 / (age * age)}}
	}
	return model.Series{F: [4]float64{age / 2}, Rate: [4]float64{0.5}}
}

// random draws a problem of n samples, whose sums are moments, zone sums of the hinge loss
// or, without a series, expanded.
func random(rng *rand.Rand, n int, kinked, series bool) *model.Problem {
	const d = 3
	s := model.Samples{N: n, P: d + 1, Rows: make([]float64, n*(d+1)), Y: make([]float64, n), M: make([]float64, n), Total: float64(n), Intercept: true}
	for i := range n {
		row := s.Row(i)
		for j := range d {
			row[j] = rng.NormFloat64() * float64(1+j)
		}
		row[d], s.M[i] = 1, 1
		if s.Y[i] = row[0] + 0.5*rng.NormFloat64(); kinked {
			s.Y[i] = math.Copysign(1, s.Y[i])
		}
	}
	s.X = blas64.General{Rows: n, Cols: d, Stride: d + 1, Data: s.Rows}
	p := &model.Problem{Samples: s, Penalty: model.Penalty{L1: make([]float64, d+1), L2: make([]float64, d+1)}}
	weights := p.L1
	p.Criterion = model.Criterion{Loss: squaredLoss{}, Squared: true}
	if kinked {
		weights, p.Criterion = p.L2, model.Criterion{Loss: hingeLoss{}, Cost: 1, OneSided: true}
	}
	for j := range d {
		weights[j] = 1
	}
	f := linearSeries
	if !series {
		f = nil
	}
	p.Zoning = model.NewZoning(linear{}, []model.Zone{{Name: "easy"}, {Name: "discarded"}}, f, kinked)
	return p
}

// site is a window and a point where it can be opened, in the zones of its losses.
type site struct {
	*condition.Primal
	*Window
	pt *model.Point
}

func newSite(t *testing.T, rng *rand.Rand, p *model.Problem) site {
	t.Helper()
	c := condition.NewPrimal(p)
	w, ok := New(c, 20).(*Window)
	if !ok {
		t.Fatal("the terms have no window")
	}
	pt, s := model.NewPoint(p), c.State()
	pt.Age = 1.3
	for j := range p.P {
		pt.Theta[j], pt.Rate[j] = 0.3*rng.NormFloat64(), 0.2*rng.NormFloat64()
		s.Sign[j] = s.SignOf(j, pt.Theta[j])
	}
	u := make([]float64, p.N)
	c.PredictAll(u, pt.Theta)
	c.Place(zonesOf(s, u, pt.Age), u, pt.Theta)
	c.Choose()
	w.WatchNone(u, pt.Age)
	return site{c, w, pt}
}

// zonesOf returns the zones of the samples by their losses.
func zonesOf(s *model.State, u []float64, age float64) []uint8 {
	zones := make([]uint8, s.N)
	for i, ui := range u {
		loss, _, _ := s.Loss.Eval(ui, s.Y[i])
		if zones[i] = uint8(s.Kinks + s.Of(loss, age)); s.Kinked() && loss == 0 {
			zones[i] = model.Satisfied
		}
	}
	return zones
}

// unwatched returns a sample that is not watched and not in its zone at a point, -1 where
// there is none.
func (f site) unwatched(pt *model.Point) int {
	s := f.State()
	u := make([]float64, s.N)
	f.PredictAll(u, pt.Theta)
	watched := make([]bool, s.N)
	for _, i := range s.Watch {
		watched[i] = true
	}
	for i, z := range zonesOf(s, u, pt.Age) {
		if z != s.Zone[i] && !watched[i] {
			return i
		}
	}
	return -1
}

// probe looks at points in and about a window that was opened at left, of a length. It returns
// a sample that is not watched and not in its zone, -1 where there is none, and how many points
// were inside.
func (f site) probe(rng *rand.Rand, left *model.Point, length float64, times int) (i, inside int) {
	pt := model.NewPoint(f.State().Problem)
	for range times {
		h := length * (0.3 + rng.Float64())
		off := make([]float64, len(pt.Theta))
		for j := range off {
			off[j] = rng.NormFloat64() / f.scale[j]
		}
		part := 2 * rng.Float64() * f.moved / f.Distance(nil, off)
		if math.IsInf(f.moved, 1) {
			part = rng.Float64() * 1e-3
		}
		pt.Age = left.Age + h
		for j, w := range left.Theta {
			pt.Theta[j] = w + h*left.Rate[j] + part*off[j]
		}
		if !f.Inside(pt) {
			continue
		}
		inside++
		if i = f.unwatched(pt); i >= 0 {
			return i, inside
		}
	}
	return -1, inside
}

// Inside a window only watched samples change their zones.
func TestWindowHoldsCrossings(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name           string
		kinked, series bool
	}{{"moments", false, true}, {"margins", true, true}} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			inside, few := 0, 0
			for seed := range uint64(12) {
				rng := rand.New(rand.NewPCG(seed, 41))
				f := newSite(t, rng, random(rng, 2200, kind.kinked, kind.series))
				left := f.pt
				length := f.Ahead(left)
				if again := f.Ahead(left); again > length*(1+1e-12) || !(length > 0) || !f.Inside(left) {
					t.Fatalf("seed %d: %v ages ahead, then %v", seed, length, again)
				}
				s := f.State()
				if len(f.samples) < s.N/2 {
					few++
				}
				i, seen := f.probe(rng, left, length, 200)
				if inside += seen; i >= 0 {
					t.Fatalf("seed %d: sample %d changes its zone inside the window", seed, i)
				}
			}
			if inside < 500 || few < 6 {
				t.Errorf("only %d points inside, %d windows with few samples", inside, few)
			}
		})
	}
}

// Inside windows that are opened one after the other, only watched
// samples change their zones. The path turns, and leaves the tangents.
func TestWindowsHoldCrossings(t *testing.T) {
	t.Parallel()
	for _, kinked := range []bool{false, true} {
		inside := 0
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 43))
			f := newSite(t, rng, random(rng, 8000, kinked, true))
			left := f.pt
			for range 30 {
				f.condition.Assemble(left)
				before := slices.Clone(f.State().Watch)
				length := f.Ahead(left)
				if s := f.State(); !slices.Equal(s.Watch, before) && s.At != nil {
					t.Fatal("other samples are watched, and the sums still count as those of a point")
				}
				i, seen := f.probe(rng, left, length, 30)
				if inside += seen; i >= 0 {
					t.Fatalf("hinge %t, seed %d: sample %d changes its zone inside the window", kinked, seed, i)
				}
				f.proceed(rng, left, length)
			}
		}
		if inside < 1000 {
			t.Errorf("hinge %t: only %d points inside", kinked, inside)
		}
	}
}

// proceed moves left to the end of a window, off its tangent, and turns it.
func (f site) proceed(rng *rand.Rand, left *model.Point, length float64) {
	s := f.State()
	off := make([]float64, s.P)
	for j := range off {
		off[j] = rng.NormFloat64() / f.scale[j]
	}
	speed, size := f.Distance(nil, left.Rate), f.Distance(nil, off)
	left.Age += length
	for j, rate := range left.Rate {
		left.Theta[j] += length * (rate + 0.05*speed/size*off[j])
		left.Rate[j] += 0.03 * speed / size * off[j]
	}
	u := make([]float64, s.N)
	f.PredictAll(u, left.Theta)
	for i, z := range zonesOf(s, u, left.Age) {
		for z != s.Zone[i] {
			f.Shift(i, z > s.Zone[i], left.Theta)
		}
	}
}

// In a neighbourhood only watched samples change their zones, in any direction, whichever
// coordinates move.
func TestSurround(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 43))
		f := newSite(t, rng, random(rng, 2000, false, true))
		f.Widen(true)
		if !f.Surround(f.pt) || !f.Inside(f.pt) {
			t.Fatalf("seed %d: no neighbourhood", seed)
		}
		if watched := len(f.State().Watch); watched > tolerance.WindowMany {
			t.Errorf("seed %d: %d samples are watched", seed, watched)
		}
		pt := model.NewPoint(f.State().Problem)
		pt.Age = f.pt.Age
		inside := 0
		for range 200 {
			for j, w := range f.pt.Theta {
				pt.Theta[j] = w + f.moved*rng.NormFloat64()/(2*f.scale[j])
			}
			if !f.Inside(pt) {
				continue
			}
			inside++
			if i := f.unwatched(pt); i >= 0 {
				t.Fatalf("seed %d: sample %d changes its zone in the neighbourhood", seed, i)
			}
		}
		if inside < 20 {
			t.Errorf("seed %d: only %d points inside", seed, inside)
		}
		pt.Age *= 1 + 1e-9
		copy(pt.Theta, f.pt.Theta)
		if f.Inside(pt) {
			t.Errorf("seed %d: the neighbourhood holds another age", seed)
		}
	}
}

// A window of other coordinates than can move is closed, unless it bounds all.
func TestWindowOfOtherCoordinates(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 47))
	f := newSite(t, rng, random(rng, 2000, false, true))
	for _, all := range []bool{false, true} {
		f.Widen(all)
		f.Ahead(f.pt)
		f.State().Sign[1] = 0
		f.Choose()
		if f.Inside(f.pt) != all {
			t.Errorf("a window of all coordinates (%v) is open: %v", all, !all)
		}
		f.State().Sign[1] = 1
		f.Choose()
	}
	f.Ahead(f.pt)
	if f.Close(); f.Inside(f.pt) {
		t.Error("a closed window is open")
	}
}

// Without a window zone sums need no samples.
func TestWatchNone(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 53))
	for _, kinked := range []bool{false, true} {
		f := newSite(t, rng, random(rng, 2200, kinked, true))
		if watched := len(f.State().Watch); watched != 0 {
			t.Errorf("%d samples are watched", watched)
		}
		if f.Inside(f.pt) {
			t.Error("the window is open")
		}
	}
	if _, ok := New(condition.NewPlain(random(rng, 50, false, true)), 2).(Everything); !ok {
		t.Error("plain sums have a window")
	}
}

// Windows leave room for as many jumps as there have been.
func TestJumped(t *testing.T) {
	t.Parallel()
	w := &Window{Ruler: NewRuler(&random(rand.New(rand.NewPCG(1, 59)), 50, false, true).Samples)}
	from, to := &model.Point{Theta: make([]float64, 4)}, &model.Point{Theta: []float64{1, 0, 0, 0}}
	length := w.Distance(from.Theta, to.Theta)
	for range 200 {
		w.Jumped(from, to, 0.5)
	}
	if w.jumped != length || math.Abs(w.drift-length/0.5) > 1e-4*w.drift {
		t.Errorf("leap %v and drift %v, want %v and %v", w.jumped, w.drift, length, length/0.5)
	}
	w.Jumped(from, from, 0)
	if w.jumped >= length || math.IsNaN(w.drift) {
		t.Errorf("behind no jump at all leap %v and drift %v", w.jumped, w.drift)
	}
}

// Windows become longer with the ages that pass without a jump: after the last event a path is at
// any later age in few steps.
func TestWindowsAfterTheLastJump(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 67))
	f := newSite(t, rng, random(rng, 2000, false, true))
	f.Window.last = 1e13
	clear(f.pt.Rate)
	f.pt.Age = 1e3 // beyond all losses
	u := make([]float64, f.State().N)
	f.PredictAll(u, f.pt.Theta)
	f.Place(make([]uint8, f.State().N), u, f.pt.Theta)
	if i := slices.IndexFunc(zonesOf(f.State(), u, f.pt.Age), func(zone uint8) bool { return zone != 0 }); i >= 0 {
		t.Fatalf("sample %d has a loss above %v", i, f.pt.Age)
	}
	to := &model.Point{Age: f.pt.Age, Theta: slices.Clone(f.pt.Theta)}
	to.Theta[0]++
	for range 200 {
		f.Jumped(f.pt, to, 0.5)
	}
	windows := 0
	for ; f.pt.Age < f.Window.last && windows < 1000; windows++ {
		f.pt.Age += f.Ahead(f.pt)
	}
	if windows == 1000 {
		t.Errorf("after 1000 windows the path is at the age %g of %g", f.pt.Age, f.Window.last)
	}
}

// A step in θ moves no predictor by more than its length times the row's norm.
func TestRuler(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 61))
	p := random(rng, 200, false, true)
	for i := range p.N {
		p.Row(i)[1] = 0 // a column without a scale
	}
	r := NewRuler(&p.Samples)
	for _, columns := range [][]int{nil, {0, 3}, {2}, nil} {
		norms := r.Norms(columns)
		a, b := make([]float64, p.P), make([]float64, p.P)
		for j := range p.P {
			a[j] = rng.NormFloat64()
		}
		copy(b, a)
		moved := columns
		if moved == nil {
			moved = r.every
		}
		for _, j := range moved {
			b[j] += rng.NormFloat64()
		}
		length := r.Distance(a, b)
		for i := range p.N {
			var du float64
			for j, x := range p.Row(i) {
				du += x * (b[j] - a[j])
			}
			if math.Abs(du) > norms[i]*length*(1+1e-12) {
				t.Errorf("columns %v: the predictor of sample %d moves by %v, more than %v", columns, i, du, norms[i]*length)
			}
		}
	}
}
