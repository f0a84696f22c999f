package gaga_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// residualLoss is (u - y)², as a package of its own would write it.
type residualLoss struct{}

func (residualLoss) Name() string { return "residual" }
func (residualLoss) Kinked() bool { return false }
func (residualLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	r := u - y
	return r * r, 2 * r, 2
}

// SquaredResidual makes it a gaga.SquaredLoss.
func (residualLoss) SquaredResidual() {}

// marginLoss is max(0, 1 - yu).
type marginLoss struct{}

func (marginLoss) Name() string   { return "margin" }
func (marginLoss) Kinked() bool   { return true }
func (marginLoss) Cost() float64  { return 1 } // a gaga.HingeLoss
func (marginLoss) Attained() bool { return true }
func (marginLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	if g := 1 - y*u; g > 0 {
		return g, -y, 0
	}
	return 0, 0, 0
}

// fading is the regularizer f = λ(v²/2 - v): weight 1 - l/λ below the age.
type fading struct{}

func (fading) Name() string { return "fading" }
func (fading) Zones() []gaga.Zone {
	return []gaga.Zone{{Kind: gaga.Easy}, {Kind: gaga.Discarded}}
}
func (fading) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (fading) Weight(zone int, loss, age float64) (v, dloss, dage float64) {
	if zone == 0 {
		return 1 - loss/age, -1 / age, loss / (age * age)
	}
	return 0, 0, 0
}

func (fading) Integral(loss, age float64) float64 {
	l := math.Min(loss, age)
	return l - l*l/(2*age)
}

// Series makes it a gaga.SeriesRegularizer: l - l²/2λ below the age, λ/2 beyond.
func (fading) Series(zone int, age float64) gaga.Series {
	if zone == 0 {
		return gaga.Series{F: [4]float64{0, 0, 1, -1 / (2 * age)}, Rate: [4]float64{0, 0, 0, 1 / (2 * age * age)}}
	}
	return gaga.Series{F: [4]float64{age / 2}, Rate: [4]float64{0.5}}
}

// A loss and a regularizer of another package say what they are, and their path is
// computed from sums over zones, as that of the built-in ones is.
func ExampleSeriesRegularizer() {
	p := manyRows(5000)
	p.Regularizer, p.Loss = fading{}, residualLoss{}
	path, err := gaga.Track(context.Background(), p, gaga.Options{Age: gaga.Range{Min: 0.3, Max: 0.31}})
	if err != nil {
		fmt.Println(err)
		return
	}
	built := manyRows(5000)
	built.Regularizer = gaga.Linear{}
	same, err := gaga.Track(context.Background(), built, gaga.Options{Age: gaga.Range{Min: 0.3, Max: 0.31}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(path.Status(), len(path.Events()) == len(same.Events()), len(path.Events()) > 10)
	// Output: complete true true
}

// manyRows is a Lasso of six columns.
func manyRows(n int) *gaga.Problem {
	rng := rand.New(rand.NewPCG(5, 5))
	const d = 6
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range y {
		for j := range d {
			x[i*d+j] = rng.NormFloat64()
			y[i] += x[i*d+j] * float64(j) / 10
		}
		y[i] += 0.3 * rng.NormFloat64()
	}
	return gaga.Lasso(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, 0.006)
}

// ownKinds are problems with built-in kinds and with kinds of the same formulas from
// outside the package.
func ownKinds() map[string][2]*gaga.Problem {
	rng := rand.New(rand.NewPCG(6, 6))
	const n, d = 1200, 6
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range y {
		for j := range d {
			x[i*d+j] = rng.NormFloat64()
		}
		if y[i] = 1; x[i*d]+0.5*rng.NormFloat64() < 0 {
			y[i] = -1
		}
	}
	machine := gaga.SVM(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, 1, nil)
	pairs := map[string][2]*gaga.Problem{}
	for name, p := range map[string]*gaga.Problem{"squared": manyRows(4000), "hinge": machine} {
		built, own := *p, *p
		built.Regularizer, own.Regularizer, own.Loss = gaga.Linear{}, fading{}, residualLoss{}
		if name == "hinge" {
			own.Loss = marginLoss{}
		}
		pairs[name] = [2]*gaga.Problem{&built, &own}
	}
	return pairs
}

// Kinds from outside the package give the path of the built-in ones.
func TestOwnKindsHaveTheSamePath(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	for name, pair := range ownKinds() {
		var events [2][]gaga.Event
		for k, p := range pair {
			events[k] = track(t, p, gaga.Options{Age: gaga.Range{Min: 0.3, Max: 2}}).Events()
		}
		if len(events[0]) != len(events[1]) || len(events[0]) < 30 {
			t.Fatalf("%s: %d events, of the built-in kinds %d", name, len(events[1]), len(events[0]))
		}
		for i, e := range events[0] {
			if e.Index != events[1][i].Index || math.Abs(e.Age-events[1][i].Age) > 1e-9*e.Age {
				t.Fatalf("%s: event %d is %+v, of the built-in kinds %+v", name, i, events[1][i], e)
			}
		}
	}
}

// BenchmarkOwnKinds reports the time of paths with kinds from outside the package over
// that with the built-in ones, both in turns: times stay near 1 where the optional
// interfaces lead to the same sums.
func BenchmarkOwnKinds(b *testing.B) {
	for name, pair := range ownKinds() {
		b.Run(name, func(b *testing.B) {
			var spent [2]time.Duration
			for b.Loop() {
				for k, p := range pair {
					begin := time.Now()
					if _, err := gaga.Track(context.Background(), p, gaga.Options{Age: gaga.Range{Min: 0.3, Max: 2}}); err != nil {
						b.Fatal(err)
					}
					spent[k] += time.Since(begin)
				}
			}
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "times")
		})
	}
}
