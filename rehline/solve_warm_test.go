package rehline

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// counted are features that count the rows read.
type counted struct {
	features
	rows *int
}

func (x counted) mulVec(from int, z, v []float64) {
	*x.rows += len(z)
	x.features.mulVec(from, z, v)
}
func (x counted) mulTransAdd(w, a []float64) {
	for _, v := range a {
		if v != 0 {
			*x.rows++
		}
	}
	x.features.mulTransAdd(w, a)
}
func (x counted) dot(i int, v []float64) float64       { *x.rows++; return x.features.dot(i, v) }
func (x counted) axpy(i int, a float64, v []float64)   { *x.rows++; x.features.axpy(i, a, v) }
func (x counted) gather(i int, a float64, v []float64) { *x.rows++; x.features.gather(i, a, v) }
func (x counted) stack(panel, scaled []float64, ld int, list []int32, change []float64) {
	*x.rows += len(list)
	x.features.stack(panel, scaled, ld, list, change)
}

// TestWarmStart changes 1 % of the weights, again and again others. A new solve
// from the last solution reads at most a fifth of the rows of X that one from
// zero does, or two fifths where the loss is smooth and two or three Newton steps
// are all it takes, and finds the same.
func TestWarmStart(t *testing.T) {
	t.Parallel()
	const n, d = 4000, 12
	r := rand.New(rand.NewPCG(10, 1))
	x := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	y, class := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = x.Data[i*d] - 0.5*x.Data[i*d+1] + 0.5*r.NormFloat64()
		class[i] = math.Copysign(1, y[i])
	}
	sum := Sum(d, 0.4)
	for name, p := range map[string]Problem{
		"hinge":          {Loss: Hinge(class)},
		"sum":            {Loss: Hinge(class), Constraints: sum},
		"median":         {Loss: Quantile(y, 0.5), Intercept: PenalizedIntercept},
		"tube":           {Loss: EpsilonInsensitive(y, 0.1)},
		"huber":          {Loss: Huber(y, 0.5)},
		"smoothed hinge": {Loss: SmoothedHinge(class)},
	} {
		for _, c := range []float64{1.0 / n, 100.0 / n, 1} {
			p := p
			p.X, p.C = x, c
			t.Run(fmt.Sprintf("%s %g", name, c), func(t *testing.T) {
				t.Parallel()
				rewarm(t, p)
			})
		}
	}
}

func rewarm(t *testing.T, p Problem) {
	o := Options{Tol: 1e-6}
	solve := func(s *Solver, w []float64, o Options) (Solution, int) {
		rows := 0
		x := counted{s.state.x, &rows}
		s.state.x = x
		if s.reuse == reuseNear {
			s.near.rows.features = x
		}
		if err := s.SetWeights(w); err != nil {
			t.Fatal(err)
		}
		sol, err := s.Solve(context.Background(), o)
		if err != nil || sol.Status != Solved || sol.Gap > o.Tol {
			t.Fatalf("%v with gap %g: %v", sol.Status, sol.Gap, err)
		}
		s.state.x = x.features
		return sol, rows
	}
	fresh := func() *Solver {
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := fresh()
	n := s.costs.n
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	last, _ := solve(s, w, o)
	var warm, cold int
	for k := range 4 {
		for i := k; i < n; i += 100 {
			w[i] = []float64{0.5, 0, 2, 1.5}[k]
		}
		o.Warm = &last
		sol, rows := solve(s, w, o)
		last = sol
		want, _ := solve(fresh(), w, Options{Tol: 1e-8})
		if !(math.Abs(sol.Objective-want.Objective) <= 2e-6*math.Abs(want.Objective)) {
			t.Errorf("objective %.12g, from zero it is %.12g", sol.Objective, want.Objective)
		}
		_, all := solve(fresh(), w, Options{Tol: 1e-6})
		warm += rows
		cold += all
	}
	most := 2 * cold / 9
	if len(s.state.terms.kinked) == 0 {
		most = 2 * (cold + 4*n) / 5 // a cold solve reads no row for the scores at zero
	}
	if warm > most {
		t.Errorf("%d rows warm, %d cold", warm/4, cold/4)
	}
}
