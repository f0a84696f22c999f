package gaga_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// shapes are kinds of data on which paths have gone wrong.
var shapes = []struct {
	name string
	bend func(s *sample, rng *rand.Rand)
}{
	{"plain", func(*sample, *rand.Rand) {}},
	{"levels", func(s *sample, rng *rand.Rand) { // grades, ratings, counts
		top := float64(1 + rng.IntN(9))
		low, high := math.Inf(1), math.Inf(-1)
		for _, y := range s.y {
			low, high = min(low, y), max(high, y)
		}
		offset := float64(rng.IntN(4))
		for i, y := range s.y {
			s.y[i] = offset + math.Round(top*(y-low)/max(high-low, 1e-9))
		}
	}},
	{"ties", func(s *sample, rng *rand.Rand) { // columns of few whole numbers, repeated rows
		for j := range s.d {
			if top := float64(1 + rng.IntN(4)); rng.IntN(3) > 0 {
				s.column(j, func(i int) float64 { return math.Round(top * s.x[i*s.d+j] / 2) })
			}
		}
		for i := s.n / 2; i < s.n; i++ {
			if from := i - s.n/2; rng.IntN(2) == 0 {
				copy(s.x[i*s.d:(i+1)*s.d], s.x[from*s.d:])
				if rng.IntN(2) == 0 {
					s.y[i] = s.y[from]
				}
			}
		}
	}},
	{"shifted", func(s *sample, rng *rand.Rand) { // coordinates, years
		for j := range s.d {
			if by := logUniform(rng, 1e3, 1e8); rng.IntN(3) > 0 || j == 0 {
				s.column(j, func(i int) float64 { return s.x[i*s.d+j] + by })
			}
		}
	}},
	{"wide", func(*sample, *rand.Rand) {}},
	{"constant", func(s *sample, rng *rand.Rand) {
		value := []float64{0, 1, -3, 1e4}[rng.IntN(4)]
		s.column(rng.IntN(s.d), func(int) float64 { return value })
	}},
}

// mended are seeds, of 100,000 problems, of which paths once were wrong.
var mended = map[string][]uint64{
	"plain":    {298, 4383, 5834, 13665},
	"levels":   {15, 5964, 13570, 16663},
	"ties":     {2703, 3573, 8819, 9655, 14665, 14695, 16201},
	"shifted":  {1641, 4804, 9923, 12611},
	"constant": {419, 4675, 6263, 6719, 11269, 11754, 15858},
}

// drawShape draws a problem of any model and regularizer of a shape of shapes, and ages.
func drawShape(seed uint64, shape int) (p *gaga.Problem, ages gaga.Range, rng *rand.Rand, what string) {
	rng = rand.New(rand.NewPCG(seed, uint64(560+shape)))
	n, d, kind := 4+rng.IntN(57), 1+rng.IntN(6), rng.IntN(7)
	if rng.IntN(3) > 0 {
		n = 4 + rng.IntN(20)
	}
	name := shapes[shape].name
	switch {
	case name == "levels" && seed%40 == 0: // crowds at one target
		n, d, kind = 200+rng.IntN(700), 2+rng.IntN(5), rng.IntN(3)
	case name == "wide":
		n = 4 + rng.IntN(13)
		d = n + 1 + rng.IntN(2*n)
	}
	s := &sample{n: n, d: d, x: make([]float64, n*d), y: make([]float64, n)}
	noise := logUniform(rng, 0.05, 2)
	for i := range s.x {
		s.x[i] = rng.NormFloat64()
	}
	for i := range s.y {
		s.y[i] = noise * rng.NormFloat64()
		for j := range min(d, 5) {
			s.y[i] += s.x[i*d+j] * float64(1+j%3) / 2
		}
		if rng.IntN(6) == 0 {
			s.y[i] += 4 * rng.NormFloat64()
		}
	}
	shapes[shape].bend(s, rng)
	if kind >= 3 {
		mean := 0.0
		for _, y := range s.y {
			mean += y / float64(n)
		}
		for i, y := range s.y {
			s.y[i] = math.Copysign(1, y-mean)
		}
		s.y[0], s.y[1] = 1, -1
	}
	if rng.IntN(4) == 0 {
		s.m = make([]float64, n)
		for i := range s.m {
			s.m[i] = float64(1 + rng.IntN(3))
		}
	}
	p = drawPair(rng, s, kind)
	p.Intercept = name == "shifted" || rng.IntN(3) > 0
	low := logUniform(rng, 1e-3, 1)
	if e := newExamination(p); e.search.FitAll(context.Background()) == nil {
		low = ageOf(e.search, n, rng)
	}
	if _, root := p.Regularizer.(gaga.Mixture); root { // its thresholds are about λ²
		low = math.Sqrt(low)
	}
	ages = gaga.Range{Min: low, Max: low * logUniform(rng, 5, 1e4)}
	return p, ages, rng, fmt.Sprintf("%s seed %d: %d x %d, %#v, %v, %#v, penalty %+v, intercept %v", name, seed, n, d, p.Loss, p.Kernel, p.Regularizer, p.Penalty, p.Intercept)
}

// ageOf returns an age about as large as a loss of the fit.
func ageOf(a *gaga.Alternation, n int, rng *rand.Rand) float64 {
	losses := make([]float64, n)
	a.Losses(losses)
	most := 0.0
	for _, loss := range losses {
		most = max(most, loss)
	}
	return max(losses[rng.IntN(n)], 1e-3*most, 1e-6) * logUniform(rng, 0.03, 3)
}

// drawPair returns a sample's problem of model kind 0 to 6 and a random regularizer.
func drawPair(rng *rand.Rand, s *sample, kind int) (p *gaga.Problem) {
	x := blas64.General{Rows: s.n, Cols: s.d, Stride: s.d, Data: s.x}
	c, alpha := logUniform(rng, 0.01, 10), logUniform(rng, 1e-3, 0.5)
	switch kind {
	case 0:
		p = gaga.Ridge(x, s.y, s.m, 20*alpha)
	case 1:
		p = gaga.Lasso(x, s.y, s.m, alpha)
	case 2:
		p = gaga.ElasticNet(x, s.y, s.m, alpha, 0.1+0.8*rng.Float64())
	case 3, 4:
		p = gaga.LogisticRegression(x, s.y, s.m, c)
		if kind == 4 {
			p.Penalty.L1 = logUniform(rng, 0.01, 1)
		}
	case 5:
		p = gaga.SVM(x, s.y, s.m, c, nil)
	case 6:
		p = gaga.SVM(x, s.y, s.m, c, gaga.RBF{Gamma: logUniform(rng, 0.05, 5) / float64(s.d)})
	}
	p.Regularizer = []gaga.Regularizer{
		gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1 + logUniform(rng, 0.2, 4)},
		gaga.Mixture{Gamma: logUniform(rng, 0.05, 5)}, gaga.LOG{A: logUniform(rng, 0.1, 30)},
	}[rng.IntN(5)]
	return p
}

// Paths of random problems of every model, regularizer and shape of data are what package gaga
// promises, examined by other means: every knot and 20 ages between are partial optima and minima,
// from which alternation does not descend; no landing is above the point left; a path that ends
// early does so where alternation ends too. Columns that are shifted change nothing, except where
// the optimum is not unique. With AGEPATH_LONG=1 there are 100,000 problems; AGEPATH_SHAPE=NAME,
// AGEPATH_PROBLEMS=N of a shape and AGEPATH_SEED=N choose others.
func TestExamined(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	problems := uint64(150)
	if needs.Long() {
		problems = 100_000 / uint64(len(shapes))
	}
	if set, err := strconv.ParseUint(os.Getenv("AGEPATH_PROBLEMS"), 10, 64); err == nil {
		problems = set
	}
	for shape, info := range shapes {
		if only := os.Getenv("AGEPATH_SHAPE"); only != "" && only != info.name {
			continue
		}
		t.Run(info.name, func(t *testing.T) {
			t.Parallel()
			seeds := slices.Clone(mended[info.name])
			for seed := range problems {
				seeds = append(seeds, seed)
			}
			if seed, err := strconv.ParseUint(os.Getenv("AGEPATH_SEED"), 10, 64); err == nil {
				seeds = []uint64{seed}
			}
			var all examined
			for _, seed := range seeds {
				if err := all.add(t.Context(), seed, shape); err != nil {
					all.wrong++
					t.Error(err)
				}
			}
			t.Logf("%+v", all)
			if 100*all.elsewhere > all.compared+200 {
				t.Errorf("%d of %d paths go elsewhere where columns are not shifted", all.elsewhere, all.compared)
			}
		})
	}
}

// examined counts paths.
type examined struct {
	complete, early, wrong, events int
	compared, elsewhere            int // with the problem without shift
}

func (a *examined) add(ctx context.Context, seed uint64, shape int) error {
	p, ages, rng, what := drawShape(seed, shape)
	between := make([]float64, 20)
	for k := range between {
		between[k] = rng.Float64()
	}
	bounded, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	o := gaga.Options{Age: ages, MaxEvents: 20_000, MaxAlternations: 20_000, Direction: gaga.Direction(seed % 2)}
	path, err := gaga.Track(bounded, p, o)
	e := newExamination(p)
	if err == nil {
		err = e.path(ctx, path, ages, between)
	}
	if err != nil {
		return fmt.Errorf("%s, %v, ages %v: %w", what, o.Direction, ages, err)
	}
	a.events += len(path.Events())
	if path.Status() != gaga.Complete {
		a.early++
		return nil
	}
	a.complete++
	if shapes[shape].name != "shifted" {
		return nil
	}
	a.compared++
	if other, err := gaga.Track(bounded, e.p, o); err != nil || other.Status() != gaga.Complete || !e.alike(path, other, between) {
		a.elsewhere++
	}
	return nil
}

// alike reports whether the path of the problem without shift has the same predictors, except at
// single ages next to events.
func (e *examination) alike(path, other *gaga.Path, between []float64) bool {
	apart, covered := 0, path.Range()
	for _, x := range between {
		age := covered.Min * math.Pow(covered.Max/covered.Min, x)
		a, failed := path.At(age)
		b, err := other.At(age)
		if (failed == nil) != (err == nil) {
			apart++
		} else if err == nil {
			if off := e.predictorsApart(e.moved(a), b); off > 1e-6+10*e.blur {
				apart++
			}
		}
	}
	return apart <= 1
}
