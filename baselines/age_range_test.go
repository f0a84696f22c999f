package baselines_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// halved is a regularizer of a user's own: half of the age is compared with the loss.
type halved struct{ gaga.Linear }

func (halved) Threshold(_ int, age float64) (loss, slope float64) { return age / 2, 0.5 }

func (halved) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	return gaga.Linear{}.Weight(k, loss, age/2)
}

func (halved) Integral(loss, age float64) float64 { return gaga.Linear{}.Integral(loss, age/2) }

// TestFindAges compares ages with a search in closed form, sample by sample.
func TestFindAges(t *testing.T) {
	t.Parallel()
	const alpha, n = 0.3, 41
	for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}} {
		for seed := range uint64(6) {
			rng := rand.New(rand.NewPCG(seed, 11))
			s := plane(rng, 30, 4, false, 0.25)
			for i := range s.y {
				s.y[i] += 3 * rng.NormFloat64()
				s.multiplicity = append(s.multiplicity, float64(1+i%3))
			}
			p := gaga.Ridge(s.x, s.y, s.multiplicity, alpha)
			p.Regularizer = r
			got, err := baselines.FindAges(t.Context(), p, nil, n)
			if err != nil {
				t.Fatal(err)
			}
			e := s.expanded()
			rows := len(e.y)
			weights, in, ages := slices.Repeat([]float64{1}, rows), rows/2, []float64(nil)
			for {
				squares := e.squares(e.ridge(weights, alpha))
				sorted := slices.Sorted(slices.Values(squares))
				if len(ages) > 0 {
					in, _ = slices.BinarySearch(sorted, ages[len(ages)-1])
					if in == rows {
						break
					}
					in += int(math.Ceil(float64(rows-in)/float64(max(n-1-len(ages), 1)) - 1e-9))
				}
				next := sorted[rows-1] * (1 + 2e-6)
				if at, _ := slices.BinarySearch(sorted, sorted[in-1]*(1+1e-9)); at < rows {
					next = sorted[at] // after the copies of the same sample
				}
				ages = append(ages[:min(len(ages), n-2)], (sorted[in-1]+next)/2)
				for i, square := range squares {
					weights[i] = weight(r, square, ages[len(ages)-1])
				}
			}
			if last := ages[len(ages)-1]; len(got) != n || math.Abs(got[n-1]/(4*last)-1) > 1e-6 {
				t.Errorf("%s, seed %d: %d ages up to %v, want %d up to 4 times %v", r.Name(), seed, len(got), got[len(got)-1], n, last)
			}
			for _, age := range ages { // those that are left over come between
				if k, _ := slices.BinarySearch(got, age*(1-1e-6)); k == len(got) || got[k] > age*(1+1e-6) {
					t.Errorf("%s, seed %d: age %v of the search is not among %v", r.Name(), seed, age, got)
				}
			}
			if math.Abs(got[0]/ages[0]-1) > 1e-6 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != n {
				t.Errorf("%s, seed %d: ages %v, want %v first", r.Name(), seed, got, ages[0])
			}
		}
	}
}

// TestAgesOfRegularizers wants the first age to be that of the same loss.
func TestAgesOfRegularizers(t *testing.T) {
	t.Parallel()
	w := fit(0, 1, 2, 3)
	losses := []float64{math.Pow(2-w, 2), math.Pow(4-2*w, 2), math.Pow(6-3*w, 2), math.Pow(4*w, 2)}
	slices.Sort(losses)
	half := (losses[1] + losses[2]) / 2
	outlier := math.Pow(4*fit(0, 1, 2), 2)
	for _, c := range []struct {
		regularizer gaga.Regularizer
		age         func(loss float64) float64 // at which a loss is within the last threshold
	}{
		{gaga.Hard{}, func(loss float64) float64 { return loss }},
		{gaga.Linear{}, func(loss float64) float64 { return loss }},
		{gaga.Polynomial{Order: 1.35}, func(loss float64) float64 { return loss }},
		{gaga.LOG{A: 1}, func(loss float64) float64 { return loss }},
		{gaga.Mixture{Gamma: 0.5}, math.Sqrt},
		{halved{}, func(loss float64) float64 { return 2 * loss }},
	} {
		ages, err := baselines.FindAges(t.Context(), column(c.regularizer), nil, 41)
		if err != nil {
			t.Fatal(err)
		}
		if want := c.age(half); math.Abs(ages[0]/want-1) > 1e-9 {
			t.Errorf("%s: half of the samples are in from %v, want %v", c.regularizer.Name(), ages[0], want)
		}
		if last := ages[len(ages)-1]; !(last > c.age(losses[3]) && last < 5*c.age(outlier)) {
			t.Errorf("%s: ages up to %v, and the outlier can come in up to %v", c.regularizer.Name(), last, c.age(outlier))
		}
	}
}

// TestAgesKeepClasses wants half of the rows of both classes with a loss to be in at the first age, where
// one class is rare, and searches at ages where 5 to 95 % of the rows are in.
func TestAgesKeepClasses(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	s := newSample(200, 2)
	for i := range s.y {
		s.y[i] = -1
		if i < 40 {
			s.y[i] = 1
		}
		for j := range 2 {
			s.x.Data[2*i+j] = rng.NormFloat64() + 0.5*s.y[i]
		}
	}
	for _, p := range []*gaga.Problem{gaga.LogisticRegression(s.x, s.y, nil, 1), gaga.SVM(s.x, s.y, nil, 1, nil)} {
		p.Regularizer = gaga.Linear{}
		ages, err := baselines.FindAges(t.Context(), p, nil, 41)
		if err != nil {
			t.Fatal(err)
		}
		a, err := gaga.NewAlternation(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.FitAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		losses := make([]float64, 200)
		a.Losses(losses)
		for _, class := range [][]float64{losses[:40], losses[40:]} {
			in, of := 0, 0
			for _, loss := range class {
				if loss > 1e-9 {
					of++
					if loss <= ages[0] {
						in++
					}
				}
			}
			if 2*in < of {
				t.Errorf("%s: %d of %d rows of a class with a loss are in at the first age", p.Loss.Name(), in, of)
			}
		}
		path, err := baselines.ACS(t.Context(), p, ages, baselines.ACSOptions{})
		if err != nil {
			t.Fatal(err)
		}
		between := 0
		for _, knot := range path.Knots {
			if in := 200 - knot.Discarded; in >= 10 && in <= 190 {
				between++
			}
		}
		if between < 10 {
			t.Errorf("%s: 5 to 95 %% of the rows are in at %d of %d ages", p.Loss.Name(), between, len(path.Knots))
		}
	}
}

// TestAgesBeginWithBothClasses wants search to keep both classes from the first age on where alternation
// from half of the rows leaves one, and an age a thirtieth of the rows earlier not to.
func TestAgesBeginWithBothClasses(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := newSample(120, 3)
		for i := range s.y {
			s.y[i] = float64(2*(i%2) - 1)
			for j := range 3 {
				s.x.Data[3*i+j] = rng.NormFloat64() + s.y[i]
			}
		}
		p := gaga.LogisticRegression(s.x, s.y, nil, 0.05)
		p.Regularizer = gaga.Linear{}
		ages, err := baselines.FindAges(t.Context(), p, nil, 41)
		if err != nil {
			t.Fatal(err)
		}
		a, err := gaga.NewAlternation(p)
		if err != nil {
			t.Fatal(err)
		}
		losses := make([]float64, 120)
		keeps := func(rows int) bool {
			if err := a.FitAll(t.Context()); err != nil {
				t.Fatal(err)
			}
			age := ages[0]
			if a.Losses(losses); rows > 0 {
				slices.Sort(losses)
				k, _ := slices.BinarySearch(losses, age)
				age = losses[k-rows]
			}
			_, err := a.Converge(t.Context(), age, 1e-6, 1000)
			return err == nil
		}
		if !keeps(0) || keeps(4) {
			t.Errorf("seed %d: from the first age %v both classes stay: %v, and 4 rows earlier: %v", seed, ages[0], keeps(0), keeps(4))
		}
		path, err := gaga.Track(t.Context(), p, gaga.Options{Age: gaga.Range{Min: ages[0], Max: ages[40]}})
		if err != nil || len(path.Gaps()) > 0 || path.Knots()[0].Age > ages[0] {
			t.Errorf("seed %d: gaps %v, %v", seed, path.Gaps(), err)
		}
	}
}

// bounded is a regularizer that keeps losses from 3 on out at every age.
type bounded struct{ gaga.Hard }

func (bounded) Threshold(_ int, age float64) (loss, slope float64) {
	return 3 * age / (1 + age), 3 / ((1 + age) * (1 + age))
}

func (bounded) Integral(loss, age float64) float64 { return min(loss, 3*age/(1+age)) }

// TestAgesOfBoundedThreshold wants the range to end where the age changes nothing any more.
func TestAgesOfBoundedThreshold(t *testing.T) {
	t.Parallel()
	ages, err := baselines.FindAges(t.Context(), column(bounded{}), nil, 41)
	if last := ages[len(ages)-1]; err != nil || !(last > 10 && last < 1e4) {
		t.Errorf("%v, %v", ages, err)
	}
}

// TestAgesHoldPaths wants all samples in at the end of the path over the ages, and the same ages
// each time.
func TestAgesHoldPaths(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	seeds := uint64(2)
	if needs.Long() {
		seeds = 12
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 7))
		const n, d = 50, 20 // few samples for the features: those that are out have large losses
		x := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
		y, labels := make([]float64, n), make([]float64, n)
		for i := range n {
			for j := range d {
				x.Data[i*d+j] = rng.NormFloat64()
			}
			y[i] = x.Data[i*d] + 0.1*rng.NormFloat64()
			if i%4 == 0 {
				y[i] = 10 * rng.NormFloat64()
			}
			labels[i] = math.Copysign(1, y[i])
		}
		for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.35}, gaga.LOG{A: 1}, gaga.Mixture{Gamma: 0.5}} {
			for _, c := range []float64{0.1, 1, 10} {
				for _, p := range []*gaga.Problem{gaga.Lasso(x, y, nil, 0.01/c), gaga.SVM(x, labels, nil, c, nil), gaga.LogisticRegression(x, labels, nil, c)} {
					p.Regularizer = r
					ages, err := baselines.FindAges(t.Context(), p, nil, 41)
					if err != nil {
						t.Fatal(err)
					}
					if again, err := baselines.FindAges(t.Context(), p, nil, 41); err != nil || !slices.Equal(again, ages) {
						t.Errorf("%v, then %v, %v", ages, again, err)
					}
					path, err := gaga.Track(t.Context(), p, gaga.Options{Age: gaga.Range{Min: ages[0], Max: ages[len(ages)-1]}})
					if err != nil {
						t.Fatal(err)
					}
					knots := path.Knots()
					if last := knots[len(knots)-1]; path.Status() != gaga.Complete || last.Discarded > 0 {
						t.Errorf("seed %d, %s loss, C %v, %s: %v, and %d samples are out at the end of %v", seed, p.Loss.Name(), c, r.Name(), path.Status(), last.Discarded, ages)
					}
				}
			}
		}
	}
}

// TestAgesWithoutLoss wants ages where the plain fit has no loss.
func TestAgesWithoutLoss(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 4, Cols: 1, Stride: 1, Data: []float64{-3, -1, 1, 3}}
	p := gaga.SVM(x, []float64{-1, -1, 1, 1}, nil, 1e3, nil)
	p.Regularizer = gaga.Linear{}
	ages, err := baselines.FindAges(t.Context(), p, nil, 41)
	if err != nil || !slices.Equal(ages, []float64{1, 4}) {
		t.Errorf("%v, %v", ages, err)
	}
}
