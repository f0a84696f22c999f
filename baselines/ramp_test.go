package baselines_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga"
)

// rampFault checks a linear support vector machine by the conditions for a local optimum of the
// ramp loss min(1 - s, max(0, 1 - z)) of the Outlier Path (Suzumura, Ogawa, Sugiyama and Takeuchi,
// ICML 2014; Machine Learning 106, 2017), with the weight θ = 0 of outliers: no margin z = y f(x) is s; samples
// above s, the inliers, meet the conditions of the convex machine, with multipliers 0 for z > 1,
// C for z < 1, and between 0 and C for z = 1; those below, the outliers, have 0. It returns
// what is violated, "" for a local optimum, and the number of outliers.
func (s *sample) rampFault(theta []float64, c, threshold float64) (fault string, outliers int) {
	const tolerance = 1e-7
	d := s.x.Cols
	rest := append(append([]float64(nil), theta[:d]...), 0) // of w = Σ α y x and 0 = Σ α y
	var atMargin []int
	for i, y := range s.y {
		z := theta[d]
		for j, x := range s.row(i) {
			z += x * theta[j]
		}
		z *= y
		switch {
		case math.Abs(z-threshold) < tolerance*(1+math.Abs(threshold)):
			return fmt.Sprintf("sample %d is at the threshold %v", i, threshold), outliers
		case z < threshold:
			outliers++
		case math.Abs(z-1) < tolerance:
			atMargin = append(atMargin, i)
		case z < 1:
			for j, x := range s.row(i) {
				rest[j] -= c * y * x
			}
			rest[d] -= c * y
		}
	}
	if len(atMargin) > d+1 {
		return fmt.Sprintf("%d samples on the margin, %d determine it", len(atMargin), d+1), outliers
	}
	if len(atMargin) > 0 {
		a, b := mat.NewDense(d+1, len(atMargin), nil), mat.NewVecDense(d+1, append([]float64(nil), rest...))
		for k, i := range atMargin {
			for j, x := range s.row(i) {
				a.Set(j, k, s.y[i]*x)
			}
			a.Set(d, k, s.y[i])
		}
		var alpha, left mat.VecDense
		if err := alpha.SolveVec(a, b); err != nil {
			return err.Error(), outliers
		}
		for k := range atMargin {
			if v := alpha.AtVec(k); v < -tolerance*c || v > (1+tolerance)*c {
				return fmt.Sprintf("the multiplier of sample %d is %v, C is %v", atMargin[k], v, c), outliers
			}
		}
		left.MulVec(a, &alpha)
		for j := range rest {
			rest[j] -= left.AtVec(j)
		}
	}
	for j, r := range rest {
		if math.Abs(r) > tolerance*(1+c*float64(len(s.y))) {
			return fmt.Sprintf("condition %d of the convex machine is off by %v", j, r), outliers
		}
	}
	return "", outliers
}

// TestHardPathIsRampLoss compares the path of the hard regularizer for the hinge loss with the
// Outlier Path's conditions, on its kind of data: two Gaussian classes of which some labels are
// flipped. The age λ is the ramp loss of threshold s = 1 - λ/C. Everywhere on both paths the
// conditions hold. Theirs comes down from the plain machine, s from -∞ to 0, here by alternation at
// each s; ours goes up, and at the same s can be in another local optimum.
func TestHardPathIsRampLoss(t *testing.T) {
	t.Parallel()
	const c = 0.5
	same, other, trimmed, ours, theirs := 0, 0, 0, 0, 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 11))
		s := newSample(60, 2)
		for i := range s.y {
			s.y[i] = float64(2*(i%2) - 1)
			for j := range 2 {
				s.row(i)[j] = s.y[i] + rng.NormFloat64()
			}
			if i < 9 {
				s.y[i] = -s.y[i]
			}
		}
		p := gaga.SVM(s.x, s.y, nil, c, nil)
		p.Intercept, p.Regularizer = true, gaga.Hard{}
		const last = 10 * c
		path, err := gaga.Track(t.Context(), p, gaga.Options{Age: gaga.Range{Min: c, Max: last}}) // s = 0 to -9
		if err != nil || path.Status() != gaga.Complete {
			t.Fatal(path.Status(), err)
		}
		down, err := gaga.NewAlternation(p)
		if err == nil {
			err = down.FitAll(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if fault, out := s.rampFault(down.Theta(), c, 0); fault == "" || out == 0 {
			t.Errorf("seed %d: the plain machine passes for s = 0 with %d outliers", seed, out)
		}
		for age := last - 0.0123; age > c; age *= 0.97 {
			threshold := 1 - age/c
			theta, err := path.At(age)
			if err != nil {
				t.Fatal(err)
			}
			fault, out := s.rampFault(theta, c, threshold)
			if out > 0 {
				trimmed++
			}
			if fault != "" {
				t.Errorf("seed %d, s = %v: our path: %s", seed, threshold, fault)
			}
			if _, err := down.Converge(t.Context(), age, 0, 0); err != nil {
				t.Fatal(err)
			}
			if fault, _ := s.rampFault(down.Theta(), c, threshold); fault != "" {
				t.Errorf("seed %d, s = %v: downwards: %s", seed, threshold, fault)
			}
			if fault, _ := s.rampFault([]float64{theta[0], theta[1] * 1.0001, theta[2]}, c, threshold); fault == "" {
				t.Errorf("seed %d, s = %v: another model passes", seed, threshold)
			}
			if allWithin(theta, down.Theta(), 1e-7) {
				same++
				continue
			}
			other++
			if a, b := s.ramp(theta, c, threshold), s.ramp(down.Theta(), c, threshold); a < b {
				ours++
			} else {
				theirs++
			}
		}
	}
	if same < 200 || other < 50 || trimmed < 200 {
		t.Errorf("%d thresholds with the same optimum, %d with another, %d with outliers", same, other, trimmed)
	}
	t.Logf("%d thresholds with outliers; the same optimum at %d thresholds, another at %d: ours lower at %d, theirs at %d", trimmed, same, other, ours, theirs)
}

// ramp is ½‖w‖² + C Σ min(1 - s, max(0, 1 - z)).
func (s *sample) ramp(theta []float64, c, threshold float64) float64 {
	sum, d := 0.0, s.x.Cols
	for _, w := range theta[:d] {
		sum += w * w / 2
	}
	for i, y := range s.y {
		u := theta[d]
		for j, x := range s.row(i) {
			u += x * theta[j]
		}
		sum += c * min(1-threshold, max(0, 1-y*u))
	}
	return sum
}
