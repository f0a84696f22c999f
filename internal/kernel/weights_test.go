package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLogs compares Logs with math.Log.
func TestLogs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x := []float64{1, 0x1p-1022, math.MaxFloat64, math.Sqrt2, math.Sqrt2 / 2, 1 - 0x1p-53, 1 + 0x1p-52, 2, 0.5, math.E}
	for range 2000 {
		x = append(x, math.Exp(1400*r.Float64()-700), 1+0.01*r.NormFloat64())
	}
	dst := make([]float64, len(x))
	for _, level := range levels() {
		setLevel(level)
		Logs(dst, x)
		for i, got := range dst {
			if want := math.Log(x[i]); !(math.Abs(got-want) <= 4e-16*math.Abs(want)) {
				t.Errorf("ln %v is %v, want %v", x[i], got, want)
			}
		}
	}
}

// TestWeights compares the terms with their definitions, derivatives with difference quotients.
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for _, exponent := range []float64{-1, 0.4, 2.7, -1.3} {
		const level, rise, dlevel, rest, passed, n = 1.2, 0.6, 0.3, 0.25, 0.4, 23
		weight := func(loss, dage float64) float64 { return math.Pow(level+dlevel*dage+rise*loss, exponent) }
		w := Weights{Level: level, Rise: rise, Exponent: exponent, Bend: exponent * rise, Last: exponent * dlevel, Rest: rest, Passed: passed}
		var s Samples
		for _, v := range []*[]float64{&s.Inside, &s.M, &s.U, &s.Y, &s.Loss, &s.Slope, &s.Curvature} {
			*v = make([]float64, n)
			for i := range *v {
				(*v)[i] = r.Float64()
			}
		}
		smallest := 1.0
		for i := range n {
			if s.Inside[i] = float64(i % 2); i%2 == 1 {
				s.U[i], s.Slope[i] = -s.U[i], -3*s.Slope[i]
				smallest = min(smallest, level+rise*s.Loss[i])
			}
		}
		var out [4][n]float64
		for _, l := range levels() {
			setLevel(l)
			extent, least := w.Terms(&s, out[0][:], out[1][:], out[2][:], out[3][:])
			var sum float64
			for i := range n {
				v, dv, dage, h := rest, 0.0, 0.0, 1e-6
				if s.Inside[i] != 0 {
					v = weight(s.Loss[i], 0)
					dv = (weight(s.Loss[i]+h, 0) - weight(s.Loss[i]-h, 0)) / (2 * h)
					dage = (weight(s.Loss[i], h) - weight(s.Loss[i], -h)) / (2 * h)
				}
				slope, curvature := s.Slope[i], s.Curvature[i]
				size := v*(math.Abs(slope)+curvature*math.Abs(s.U[i])) + math.Abs(slope)*min(1, passed*math.Abs(dv*slope)*(math.Abs(s.U[i])+math.Abs(s.Y[i])))
				for k, want := range [4]float64{v * slope, dv*slope*slope + v*curvature, dage * slope, size} {
					if got := out[k][i]; !(math.Abs(got-s.M[i]*want) <= 1e-8) {
						t.Errorf("exponent %v, sample %d: term %d is %v, want %v", exponent, i, k, got, s.M[i]*want)
					}
				}
				sum += s.M[i] * size
			}
			if !(math.Abs(extent-sum) <= 1e-7) || math.Abs(least-smallest) > 1e-15 {
				t.Errorf("exponent %v: sum of sizes %v, least base %v, want %v and %v", exponent, extent, least, sum, smallest)
			}
		}
	}
}
