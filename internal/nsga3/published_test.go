package nsga3_test

import (
	"math"
	"slices"
	"testing"

	"github.com/agepath/agepath/internal/nsga3"
	"github.com/agepath/agepath/internal/testing/needs"
)

// seeds is how many seeds the problems of the papers are run with.
func seeds() uint64 {
	if needs.Long() {
		return 10
	}
	return 3
}

// TestPublished runs the problems with three objectives of Deb and Jain (2014)
// as they did: 91 reference points, a population of 92, their generations. The
// target points are where the lines through the reference points meet the front
// (section V-A). best and worst are the distances of their 20 runs in their
// Table III. None here may be above their worst; a better one than their best
// is no error.
func TestPublished(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name        string
		problem     function
		variables   int
		generations int
		along       func(point []float64) float64 // how far along the line the front is
		best, worst float64
	}{
		{"DTLZ1", dtlz1, 7, 400, func([]float64) float64 { return 0.5 }, 4.880e-4, 4.880e-3},
		{"DTLZ2", dtlz2, 12, 250, func(w []float64) float64 { return 1 / math.Hypot(math.Hypot(w[0], w[1]), w[2]) }, 1.262e-3, 2.114e-3},
	}
	points := nsga3.DasDennis(3, 12)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			targets := make([][]float64, len(points))
			for k, w := range points {
				along := c.along(w)
				targets[k] = []float64{along * w[0], along * w[1], along * w[2]}
			}
			var all []float64
			for seed := range seeds() {
				e := search(t, c.problem, nsga3.Settings{Variables: c.variables, Objectives: 3, Points: points, Population: 92, Seed: seed}, c.generations)
				all = append(all, distance(targets, objectives(e)))
			}
			slices.Sort(all)
			t.Logf("distances %.3e, published %.3e to %.3e", all, c.best, c.worst)
			if worst := all[len(all)-1]; !(worst <= c.worst) {
				t.Errorf("the worst distance is %.3e, above the worst published, %.3e", worst, c.worst)
			}
		})
	}
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

// TestKnownFronts compares with fronts of two objectives in closed form, among them
// ZDT1 to ZDT3 with 30 variables.
func TestKnownFronts(t *testing.T) {
	t.Parallel()
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
				}), nsga3.Settings{Variables: c.variables, Objectives: 2, Points: nsga3.DasDennis(2, 149), Seed: seed}, c.generations)
				d := distance(c.front, objectives(e))
				t.Logf("seed %d: %.2e", seed, d)
				if limit := 0.01 * max(1, c.front[len(c.front)-1][0]); !(d < limit) {
					t.Errorf("seed %d: inverted generational distance %v, want below %v", seed, d, limit)
				}
			}
		})
	}
}
