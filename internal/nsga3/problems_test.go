package nsga3_test

import (
	"math"
	"testing"

	"github.com/agepath/agepath/internal/nsga3"
)

// function is a problem whose objectives depend on the point alone.
type function func(f, x []float64)

func (p function) Evaluate(f, x []float64, _, _, _ int) { p(f, x) }

// zdtTail is g of ZDT1 to ZDT3 (Zitzler, Deb, Thiele 2000).
func zdtTail(x []float64) float64 {
	var sum float64
	for _, v := range x[1:] {
		sum += v
	}
	return 1 + 9*sum/float64(len(x)-1)
}

func zdt1(f, x []float64) {
	g := zdtTail(x)
	f[0], f[1] = x[0], g*(1-math.Sqrt(x[0]/g))
}

func zdt2(f, x []float64) {
	g := zdtTail(x)
	f[0], f[1] = x[0], g*(1-x[0]*x[0]/(g*g))
}

func zdt3(f, x []float64) {
	g := zdtTail(x)
	f[0], f[1] = x[0], g*(1-math.Sqrt(x[0]/g)-x[0]/g*math.Sin(10*math.Pi*x[0]))
}

// distance is the inverted generational distance: the mean over the target
// points of the distance to the nearest objectives found.
func distance(targets, found [][]float64) float64 {
	var sum float64
	for _, target := range targets {
		nearest := math.Inf(1)
		for _, f := range found {
			var d float64
			for j, v := range f {
				d += (v - target[j]) * (v - target[j])
			}
			nearest = math.Min(nearest, d)
		}
		sum += math.Sqrt(nearest)
	}
	return sum / float64(len(targets))
}

// objectives returns those of the population.
func objectives(e *nsga3.Engine) [][]float64 {
	var all [][]float64
	for _, slot := range e.Living() {
		all = append(all, e.F(slot))
	}
	return all
}

// search makes an engine and moves it on by a number of generations.
func search(t testing.TB, p nsga3.Problem, s nsga3.Settings, generations int) *nsga3.Engine {
	t.Helper()
	e := nsga3.New(p, s)
	for range generations {
		e.Step()
	}
	return e
}
