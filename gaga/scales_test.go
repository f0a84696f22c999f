package gaga_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// unscaled draws two classes whose features are of the given sizes, and about twice their size from
// zero with offsets.
func unscaled(r *rand.Rand, n int, sizes []float64, offsets bool) (blas64.General, []float64) {
	d := len(sizes)
	x := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	y, w := make([]float64, n), make([]float64, d)
	for j := range w {
		w[j] = r.NormFloat64()
	}
	for i := range y {
		score := 0.7 * r.NormFloat64()
		for j, size := range sizes {
			v := r.NormFloat64()
			score += w[j] * v
			if x.Data[i*d+j] = size * v; offsets {
				x.Data[i*d+j] = math.Round(size*(2+v)*1000) / 1000
			}
		}
		y[i] = math.Copysign(1, score)
	}
	return x, y
}

// TestUnscaledSVM has linear support vector machines on features of very different sizes: their
// paths do not end early, and what they say is a minimum: no small random step from there, in units
// of each feature, lowers the implicit objective.
func TestUnscaledSVM(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	raw := []float64{1700, 1, 0.2, 1e5, 11000, 0.001, 100, 1e7}
	for k := range 72 {
		n, d, c := 60+90*(k%2), 4+2*(k%2), []float64{1e-3, 1, 100}[k/2%3]
		r := rand.New(rand.NewPCG(uint64(k), 38))
		sizes, offsets := make([]float64, d), k/6%3 == 0
		for j := range sizes {
			switch k / 6 % 3 {
			case 0:
				sizes[j] = raw[j]
			case 1:
				sizes[j] = math.Pow(10, float64(r.IntN(13)-6))
			case 2:
				sizes[j] = []float64{1e4, 1e-4}[j%2]
			}
		}
		x, y := unscaled(r, n, sizes, offsets)
		p := gaga.SVM(x, y, nil, c, nil)
		p.Intercept = k%4 != 3
		p.Regularizer = gaga.Linear{}
		what := fmt.Sprintf("%d: %d rows, sizes %g, C = %g, intercept %v", k, n, sizes, c, p.Intercept)
		path, err := gaga.Track(t.Context(), p, gaga.Options{Age: gaga.Range{Min: 0.1 * c, Max: 20 * c}})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if path.Status() != gaga.Complete {
			t.Errorf("%s: %v, %s", what, path.Status(), path.Reason())
			continue
		}
		o := newOptimality(p)
		for q := range 20 {
			age := c * 0.1 * math.Pow(200, (float64(q)+0.5)/20)
			if age < path.Knots()[0].Age {
				continue // it begins where the fit leaves samples
			}
			theta, err := path.At(age)
			if err != nil {
				t.Errorf("%s: age %g: %v", what, age, err)
				continue
			}
			if off := o.violation(theta, age); !(off <= 1e-9) {
				t.Errorf("%s: age %g: violation %g", what, age, off)
			}
			least := linearObjective(p, theta, age)
			for range 20 {
				step := append([]float64(nil), theta...)
				far := math.Pow(10, -6-6*r.Float64())
				for j, size := range append(append([]float64(nil), sizes...), 1) {
					if j < d || p.Intercept {
						step[j] += far * r.NormFloat64() * math.Min(1/size, math.Abs(theta[j])+1e-9/size)
					}
				}
				if now := linearObjective(p, step, age); now < least-1e-12*least {
					t.Errorf("%s: age %g: a step lowers the objective from %v to %v", what, age, least, now)
				}
			}
		}
	}
}

// linearObjective is the implicit objective of a linear machine with the weights 1 - l/λ.
func linearObjective(p *gaga.Problem, theta []float64, age float64) (sum float64) {
	c, d := p.Loss.(gaga.Hinge).C, p.X.Cols
	for _, w := range theta[:d] {
		sum += w * w / 2
	}
	for i, y := range p.Y {
		u := theta[d]
		for j, x := range p.X.Data[i*p.X.Stride:][:d] {
			u += x * theta[j]
		}
		loss := math.Min(max(0, c*(1-y*u)), age)
		sum += loss - loss*loss/(2*age)
	}
	return sum
}
