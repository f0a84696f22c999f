package condition

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
)

// The system of a linear support vector machine, with the multipliers of pinned samples,
// is the same from sums over zones and over samples, also after many changes of zone.
func TestMarginsAreSumsOverSamples(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		draw := func(series bool) (*Primal, *rand.Rand) {
			random := rand.New(rand.NewPCG(seed, 5))
			of := setting{n: 40, d: 5, loss: hingeLoss{0.3 + random.Float64()}, l2: 1, intercept: seed%4 < 2, series: series}
			of.cost, of.regularizer = of.loss.(hingeLoss).C, []regularizer{mixture{0}, hard{}}[seed%2]
			return NewPrimal(of.problem(random)), random
		}
		samples, _ := draw(false)
		zones, random := draw(true)
		if _, ok := zones.Terms().(*sums.Margins); !ok {
			t.Fatalf("the terms are %T", zones.Terms())
		}
		if samples.Terms().Summed() {
			t.Fatalf("the terms are %T", samples.Terms())
		}
		scatter(random, zones, 3)
		samples.Place(zones.Zone, make([]float64, zones.N), nil)
		for range 25 {
			i, up := random.IntN(zones.N), random.IntN(2) == 0
			if up && int(zones.Zone[i]) < len(zones.Zones)-1 || !up && zones.Zone[i] > 0 {
				zones.Shift(i, up, nil)
				samples.Shift(i, up, nil)
			}
		}
		zones.Choose()
		samples.Choose()
		pt, other := model.NewPoint(zones.State().Problem), model.NewPoint(samples.State().Problem)
		pt.Age = 10 + 10*random.Float64() // all weights positive
		other.Age = pt.Age
		for j := range pt.Theta {
			if !zones.Zero(j) {
				pt.Theta[j] = 0.5 * random.NormFloat64()
			}
		}
		copy(other.Theta, pt.Theta)
		for i := range pt.Dual {
			pt.Dual[i] = random.Float64()
		}
		copy(other.Dual, pt.Dual)
		samples.Predict(other.U, other.Theta)
		zones.Assemble(pt)
		samples.Assemble(other)
		zones.Curve()
		samples.Curve()
		k, unknowns, size := len(zones.Active), zones.Unknowns(), float64(zones.N)
		if len(samples.Active) != k || samples.Unknowns() != unknowns {
			t.Fatalf("seed %d: %d active, %d unknowns, over the samples %d and %d", seed, k, unknowns, len(samples.Active), samples.Unknowns())
		}
		same := func(what string, a, b []float64) {
			t.Helper()
			for r := range a {
				if !(math.Abs(a[r]-b[r]) <= 1e-12*(size+math.Abs(b[r]))) {
					t.Errorf("seed %d: %s[%d] is %v, over the samples %v", seed, what, r, a[r], b[r])
				}
			}
		}
		same("residual", zones.State().Residual[:unknowns], samples.State().Residual[:unknowns])
		same("scale", zones.Scale[:unknowns], samples.Scale[:unknowns])
		same("derivative in the age", zones.Dage[:unknowns], samples.Dage[:unknowns])
		same("diagonal", zones.Diag[:k], samples.Diag[:k])
		for r := range k {
			same("H", zones.Hess[r*k+r:(r+1)*k], samples.Hess[r*k+r:(r+1)*k])
		}
		// The sum takes a sample's loss by its zone's formula, the integral by the loss.
		s := zones.State()
		want := zones.Penalty(pt.Theta, nil)
		for i, z := range s.Zone {
			loss, _, _ := s.Eval(z, other.U[i], s.Y[i])
			if int(z) >= s.Kinks {
				f := s.Series(int(z)-s.Kinks, pt.Age).F
				want += s.M[i] * (f[0] + f[2]*loss + f[3]*loss*loss)
			}
		}
		same("objective", []float64{zones.Value(pt)}, []float64{want})
	}
}
