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

// half is a regularizer of a user's own: half of the age is compared with the loss.
type half struct{ gaga.Linear }

func (half) Threshold(_ int, age float64) (loss, slope float64) { return age / 2, 0.5 }

func (half) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	return gaga.Linear{}.Weight(k, loss, age/2)
}

func (half) Integral(loss, age float64) float64 { return gaga.Linear{}.Integral(loss, age/2) }

// TestSpan compares ranges with the closed form of one feature: the plain fit leaves losses from
// 0.93 to 17, and the outlier, once out, has 63.
func TestSpan(t *testing.T) {
	t.Parallel()
	smallest := math.Pow(2-fit(0, 1, 2, 3), 2) // of x = 1
	largest := math.Pow(4*fit(0, 1, 2, 3), 2)  // of x = 4
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
		{half{}, func(loss float64) float64 { return 2 * loss }},
	} {
		span, err := baselines.FindSpan(t.Context(), column(c.regularizer))
		if err != nil {
			t.Fatal(err)
		}
		if want := c.age(smallest); math.Abs(span.First/want-1) > 1e-9 {
			t.Errorf("%s: the first sample comes in at %v, want %v", c.regularizer.Name(), span.First, want)
		}
		if _, keeps := c.regularizer.(gaga.LOG); !keeps && !(span.Whole > 1.5*c.age(largest) && span.Last > c.age(outlier)) {
			t.Errorf("%s: %+v, and the outlier can come in up to %v", c.regularizer.Name(), span, c.age(outlier))
		}
		if span.Whole > 2*c.age(outlier) || span.Last < span.Whole {
			t.Errorf("%s: %+v goes far beyond %v", c.regularizer.Name(), span, c.age(outlier))
		}
	}
}

// bounded is a regularizer that keeps losses from 3 on out at every age.
type bounded struct{ gaga.Hard }

func (bounded) Threshold(_ int, age float64) (loss, slope float64) {
	return 3 * age / (1 + age), 3 / ((1 + age) * (1 + age))
}

func (bounded) Integral(loss, age float64) float64 { return min(loss, 3*age/(1+age)) }

// TestSpanOfBoundedThreshold wants the range to end where the age changes nothing any more.
func TestSpanOfBoundedThreshold(t *testing.T) {
	t.Parallel()
	span, err := baselines.FindSpan(t.Context(), column(bounded{}))
	if err != nil || !(span.Whole > 10 && span.Whole < 1e4) {
		t.Errorf("%+v, %v", span, err)
	}
}

// TestSpanHoldsPaths wants all samples in at the end of the path over the range, no event in a
// path that goes a thousand times farther, and the same range each time.
func TestSpanHoldsPaths(t *testing.T) {
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
					span, err := baselines.FindSpan(t.Context(), p)
					if err != nil {
						t.Fatal(err)
					}
					if again, err := baselines.FindSpan(t.Context(), p); err != nil || again != span {
						t.Errorf("%+v, then %+v, %v", span, again, err)
					}
					path, err := gaga.Track(t.Context(), p, gaga.Options{Age: gaga.Range{Min: span.First, Max: 1000 * span.Last}})
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range path.Events() {
						if e.Age > span.Last {
							t.Errorf("seed %d, %s loss, C %v, %s: an event at %v of %+v", seed, p.Loss.Name(), c, r.Name(), e.Age, span)
						}
					}
					knots := path.Knots()
					if last := knots[len(knots)-1]; path.Status() != gaga.Complete || last.Discarded > 0 {
						t.Errorf("seed %d, %s loss, C %v, %s: %v, and %d samples are out at the end of %+v", seed, p.Loss.Name(), c, r.Name(), path.Status(), last.Discarded, span)
					}
				}
			}
		}
	}
}

// TestSpanWithoutLoss wants a range where the plain fit has no loss.
func TestSpanWithoutLoss(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 4, Cols: 1, Stride: 1, Data: []float64{-3, -1, 1, 3}}
	p := gaga.SVM(x, []float64{-1, -1, 1, 1}, nil, 1e3, nil)
	p.Regularizer = gaga.Linear{}
	span, err := baselines.FindSpan(t.Context(), p)
	if want := (baselines.Span{First: 1, Tenth: 1, Whole: 2, Last: 8}); err != nil || span != want {
		t.Errorf("%+v, %v", span, err)
	}
	ages := span.Ages(41)
	if len(ages) != 41 || ages[0] != 1 || ages[40] != 8 || !slices.IsSorted(ages) || len(slices.Compact(ages)) != 41 {
		t.Errorf("ages %v", ages)
	}
}
