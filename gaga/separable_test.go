package gaga

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// A path along which nothing happens takes few steps, also where more samples tie at
// the margin than a window should watch: a class is told by which of six columns is 1.
func TestSeparableTakesFewSteps(t *testing.T) {
	t.Parallel()
	for _, r := range []Regularizer{Hard{}, Linear{}} {
		tr, err := newTracker(t.Context(), separable(1456, 33, r), Options{Age: Range{0.1, 20}})
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		steps := 0
		for ; tr.branch.Left().Age < 20 && steps < 100; steps++ {
			if err := tr.advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if tr.branch.Left().Age < 20 {
			t.Errorf("%s: at age %v after %d steps", r.Name(), tr.branch.Left().Age, steps)
		}
		if st := tr.condition.State(); len(st.Watch) > st.N/2 {
			t.Errorf("%s: %d of %d samples are watched", r.Name(), len(st.Watch), st.N)
		}
	}
}

func separable(n, d int, r Regularizer) *Problem {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range n {
		row := x[i*d : (i+1)*d]
		for j := range d - 6 {
			row[j] = rng.NormFloat64()
		}
		kind := rng.IntN(6)
		row[d-6+kind] = 3
		y[i] = float64(1 - 2*(kind%2))
	}
	p := SVM(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, 1, nil)
	p.Regularizer = r
	return p
}
