package rehline_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/rehline"
)

// extreme problems have dual variables far below their bounds, terms that are narrow relative to
// the scores, or features of very different scales.
func extreme() map[string]rehline.Problem {
	list := map[string]rehline.Problem{}
	add := func(name string, x blas64.General, l rehline.Loss, c float64) {
		for _, kind := range []rehline.Intercept{rehline.NoIntercept, rehline.FreeIntercept} {
			list[fmt.Sprintf("%s, C = %g, intercept %d", name, c, kind)] = rehline.Problem{X: x, Loss: l, C: c, Intercept: kind}
		}
	}
	draw := func(seed uint64, n, d int, scale func(j int) float64) (blas64.General, []float64, []float64) {
		r := rand.New(rand.NewPCG(seed, 8))
		x := general(n, d, func(int, int) float64 { return r.NormFloat64() })
		y := vector(n, func(i int) float64 { return x.Data[i*d] + 0.5*x.Data[i*d+1] })
		for i, v := range y {
			y[i] = v + math.Copysign(0.1, v)
		}
		for i := range x.Data {
			x.Data[i] *= scale(i % d)
		}
		return x, y, vector(n, func(i int) float64 { return math.Copysign(1, y[i]) })
	}
	wide, target, side := draw(2, 25, 40, func(j int) float64 { return 1 + 99*float64(j%2) })
	far, _, classes := draw(3, 60, 4, func(j int) float64 { return math.Pow(10, float64(4*j-6)) })
	for _, c := range []float64{1e3, 1e6} {
		add("wide hinge", wide, rehline.Hinge(side), c)
		add("tube that is met", wide, rehline.EpsilonInsensitive(target, 0.1), c)
		add("columns from 1e-6 to 1e6, hinge", far, rehline.Hinge(classes), c)
		add("columns from 1e-6 to 1e6, smoothed hinge", far, rehline.SmoothedHinge(classes), c)
	}
	r := rand.New(rand.NewPCG(0, 0))
	weights := vector(6*64, func(int) float64 { return r.NormFloat64() })
	sides := vector(300, func(i int) float64 { return float64(2*(i%2) - 1) })
	var light [6]float64
	images := general(300, 64, func(i, j int) float64 {
		shade := 4 + 3*sides[i]*weights[j]
		for k := range light {
			if j == 0 {
				light[k] = r.NormFloat64()
			}
			shade += 2 * weights[64*k+j] * light[k]
		}
		return max(0, min(16, math.Round(shade)))
	})
	add("images of two kinds, hinge", images, rehline.Hinge(sides), 1e6)
	add("images of two kinds, tube", images, rehline.EpsilonInsensitive(sides, 0.1), 1e5)
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 9))
		numbers := general(400, 6, func(_, j int) float64 { return float64(r.IntN(1000)) * math.Pow(100, float64(j-2)) })
		sums := vector(400, func(i int) float64 { return dot(numbers.Data[6*i:][:6], weights[:6]) * (1 + 0.1*r.NormFloat64()) })
		add(fmt.Sprintf("whole numbers %d, Huber", seed), numbers, rehline.Huber(sums, 0.01), 1e6)
		above := vector(400, func(i int) float64 { return math.Copysign(1, sums[i]) })
		add(fmt.Sprintf("whole numbers %d, smoothed hinge", seed), numbers, rehline.SmoothedHinge(above), 1e6)
	}
	count := general(1000, 1, func(i, _ int) float64 { return float64(i) })
	add("counted rows", count, rehline.SmoothedHinge(vector(1000, func(i int) float64 { return math.Copysign(1, float64(i)-500.5) })), 1e3)
	whole := general(80, 6, func(int, int) float64 { return float64(r.IntN(101)) })
	add("quantile of classes", whole, rehline.Quantile(vector(80, func(int) float64 { return float64(r.IntN(2)) }), 0.3), 100)
	return list
}

// TestExtreme wants the gap that was asked for, computed independently, and the objective of the
// reference method where that has one.
func TestExtreme(t *testing.T) {
	t.Parallel()
	for name, p := range extreme() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := rehline.New(p)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the memory of the first solve serves the second
				sol, err := s.Solve(context.Background(), rehline.Options{})
				if err != nil {
					t.Fatal(err)
				}
				c := certificateOf(p, sol)
				rounding := 1e-14 * p.C * float64(p.X.Rows)
				if gap := c.primal - c.dual; sol.Status != rehline.Solved || c.outside > 1e-11 || !(gap <= 1.1e-6*c.primal+rounding) {
					t.Fatalf("%v: objectives %.10g and %.10g, dual outside by %g, after %+v", sol.Status, c.primal, c.dual, c.outside, sol.Iterations)
				}
			}
		})
	}
}

// TestExtremeAgainstReference compares the smaller ones with the interior-point method of the tests.
func TestExtremeAgainstReference(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	compared := 0
	for name, p := range extreme() {
		if p.X.Rows > 100 {
			continue
		}
		want, ok := newProgram(p).solve()
		if !ok {
			continue
		}
		compared++
		if sol := solve(t, p, rehline.Options{}); math.Abs(sol.Objective-want) > 1e-5*want {
			t.Errorf("%s: objective %.10g, the reference has %.10g", name, sol.Objective, want)
		}
	}
	if t.Logf("%d compared", compared); compared < 6 {
		t.Errorf("the reference solved %d problems", compared)
	}
}

// TestMargin has the closed form of one point on either side: ‖w‖ = 2 over their distance, however
// large C is and wherever they are, up to 3e9 times their distance away.
func TestMargin(t *testing.T) {
	t.Parallel()
	for _, far := range []float64{0, 1e3, -1e6, 1234567.8, 1e7} {
		for _, distance := range []float64{3e-3, 1e-2, 1, 1e4} {
			for k := range 8 { // one and two columns, the second one constant
				c := math.Pow(100, float64(1+k/2)) / (distance * distance)
				x := general(2, 1+k%2, func(i, j int) float64 { return far + distance*float64(i*(1-j)) })
				p := rehline.Problem{X: x, Loss: rehline.Hinge([]float64{-1, 1}), C: c, Intercept: rehline.FreeIntercept}
				sol := solve(t, p, rehline.Options{})
				between := x.Data[x.Stride] - x.Data[0] // rounded
				if want := 2 / (between * between); sol.Status != rehline.Solved || math.Abs(sol.Objective-want) > 2e-6*want {
					t.Errorf("distance %g at %g, %d columns, C = %g: %v with objective %.9g, want %.9g", distance, far, x.Cols, c, sol.Status, sol.Objective, want)
				}
			}
		}
	}
}
