package nsga3_test

import (
	"math"
	"testing"

	"github.com/agepath/agepath/internal/nsga3"
	"github.com/agepath/agepath/internal/testing/needs"
)

// seeds is how many seeds the problems are run with.
func seeds() uint64 {
	if needs.Long() {
		return 10
	}
	return 3
}

// curve returns points of the front f2 = front(f1) for f1 in the intervals.
func curve(front func(f float64) float64, intervals ...[2]float64) [][]float64 {
	const each = 500
	var points [][]float64
	for _, interval := range intervals {
		for k := range each {
			f := interval[0] + (interval[1]-interval[0])*float64(k)/(each-1)
			points = append(points, []float64{f, front(f)})
		}
	}
	return points
}

// schaffer is Schaffer's problem (1985), whose front is √f1 + √f2 = 2.
func schaffer(f, x []float64) { f[0], f[1] = x[0]*x[0], (x[0]-2)*(x[0]-2) }

// fonseca is the problem of Fonseca and Fleming (1995) with the front x_j = t,
// |t| <= 1/√n.
func fonseca(f, x []float64) {
	var a, b float64
	c := 1 / math.Sqrt(float64(len(x)))
	for _, v := range x {
		a += (v - c) * (v - c)
		b += (v + c) * (v + c)
	}
	f[0], f[1] = 1-math.Exp(-a), 1-math.Exp(-b)
}

func fill(n int, v float64) []float64 {
	x := make([]float64, n)
	for j := range x {
		x[j] = v
	}
	return x
}

// TestKnownFronts compares with fronts in closed form, among them
// ZDT1 to ZDT3 with 30 variables.
func TestKnownFronts(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	var bell [][]float64
	for k := range 500 {
		x, f := fill(3, (2*float64(k)/499-1)/math.Sqrt(3)), make([]float64, 2)
		fonseca(f, x)
		bell = append(bell, f)
	}
	cases := []struct {
		name         string
		problem      function
		variables    int
		lower, upper float64
		generations  int
		front        [][]float64
	}{
		{"ZDT1", zdt1, 30, 0, 1, 300, curve(func(f float64) float64 { return 1 - math.Sqrt(f) }, [2]float64{0, 1})},
		{"ZDT2", zdt2, 30, 0, 1, 300, curve(func(f float64) float64 { return 1 - f*f }, [2]float64{0, 1})},
		{"ZDT3", zdt3, 30, 0, 1, 300, curve(func(f float64) float64 { return 1 - math.Sqrt(f) - f*math.Sin(10*math.Pi*f) },
			[2]float64{0, 0.0830015349}, [2]float64{0.1822287280, 0.2577623634}, [2]float64{0.4093136748, 0.4538821041},
			[2]float64{0.6183967944, 0.6525117038}, [2]float64{0.8233317983, 0.8518328654})},
		{"Schaffer", schaffer, 1, -1000, 1000, 200, curve(func(f float64) float64 { return (2 - math.Sqrt(f)) * (2 - math.Sqrt(f)) }, [2]float64{0, 4})},
		{"Fonseca", fonseca, 3, -4, 4, 200, bell},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds() {
				at := make([]float64, c.variables)
				e := search(t, function(func(f, x []float64) {
					for j, v := range x {
						at[j] = c.lower + v*(c.upper-c.lower)
					}
					c.problem(f, at)
				}), nsga3.Settings{Variables: c.variables, Population: 150, Seed: seed}, c.generations)
				d := distance(c.front, objectives(e))
				t.Logf("seed %d: %.2e", seed, d)
				if limit := 0.01 * max(1, c.front[len(c.front)-1][0]); !(d < limit) {
					t.Errorf("seed %d: inverted generational distance %v, want below %v", seed, d, limit)
				}
			}
		})
	}
}
