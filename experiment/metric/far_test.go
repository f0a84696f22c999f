package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFar wants the share of gross errors, and none where the near rows are a tie of the targets.
func TestFar(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	n := 400
	y, fit, tie := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		fit[i] = 3 * random.NormFloat64()
		if y[i] = fit[i] + random.NormFloat64(); i%4 == 0 {
			y[i] += 40
		}
	}
	if share := Far(fit, y); math.Abs(share-0.25) > 0.03 {
		t.Errorf("the share of far rows is %v, want 0.25", share)
	}
	for i := range y {
		if tie[i] = 1e-3 * random.NormFloat64(); i%4 > 0 {
			y[i] = 0
		}
	}
	if Contaminated(tie, y) == 0 {
		t.Error("tied targets are no mixture")
	}
	if share := Far(tie, y); share != 0 {
		t.Errorf("the share of rows far from a tie is %v", share)
	}
}

// TestFarExact has a model without an error in any of the near rows, whose variance is then 0.
func TestFarExact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 7))
	y, fit := make([]float64, 400), make([]float64, 400)
	for i := range y {
		if fit[i] = random.NormFloat64(); i%20 < 9 {
			y[i] = fit[i]
		} else {
			y[i] = fit[i] + math.Exp(random.NormFloat64())
		}
	}
	if Contaminated(fit, y) == 0 {
		t.Fatal("nearly half of the rows have no error: no mixture")
	}
	if share := Far(fit, y); math.Abs(share-0.55) > 0.01 {
		t.Errorf("the share of far rows is %v, want 0.55", share)
	}
}

// TestWithout compares with the errors 1 to 20, whose squares add up to n(n+1)(2n+1)/6.
func TestWithout(t *testing.T) {
	t.Parallel()
	var y, zeros []float64
	for i := range 20 {
		y, zeros = append(y, float64((i*7)%20+1)), append(zeros, 0)
	}
	for k, got := range Without(zeros, y) {
		n := 20 - 2*float64(k+1)
		if want := math.Sqrt((n + 1) * (2*n + 1) / 6); math.Abs(got-want) > 1e-12 {
			t.Errorf("without %v: %v, want %v", Shares[k], got, want)
		}
	}
}
