package gaga

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLog1p(t *testing.T) {
	t.Parallel()
	check := func(e float64) {
		if got, want := log1p(e), math.Log1p(e); !(math.Abs(got-want) <= 1e-15*want) {
			t.Errorf("ln(1+%v) = %v, want %v", e, got, want)
		}
	}
	for _, e := range []float64{0, 1e-300, 1e-17, 0.25, math.Sqrt2 - 1, math.Nextafter(math.Sqrt2-1, 1), 0.5, 1} {
		check(e)
	}
	rng := rand.New(rand.NewPCG(4, 2))
	for range 100_000 {
		check(math.Exp(-40 * rng.Float64() * rng.Float64()))
	}
}
