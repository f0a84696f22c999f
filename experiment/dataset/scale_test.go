package dataset

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestScaleByHand(t *testing.T) {
	t.Parallel()
	// Fitted on the first four rows; the fifth is a test row. The last column
	// is constant where the map is fitted.
	x := []float64{
		1, 10, 7,
		2, 10, 7,
		3, 20, 7,
		4, 40, 7,
		9, 0, 8,
	}
	rows := []int{0, 1, 2, 3}
	root := math.Sqrt(1.25)    // of 1, 2, 3, 4
	spread := math.Sqrt(150.0) // of 10, 10, 20, 40, mean 20
	for _, test := range []struct {
		scaling Scaling
		want    []float64
	}{
		{NoScaling, x},
		{"", x},
		{MinMax, []float64{0, 0, 0, 1. / 3, 0, 0, 2. / 3, 1. / 3, 0, 1, 1, 0, 8. / 3, -1. / 3, 1}},
		{Standard, []float64{
			-1.5 / root, -10 / spread, 0, -0.5 / root, -10 / spread, 0, 0.5 / root, 0, 0,
			1.5 / root, 20 / spread, 0, 6.5 / root, -20 / spread, 1,
		}},
	} {
		got := append([]float64(nil), x...)
		affine, err := test.scaling.fit(got, 3, rows)
		if err != nil {
			t.Fatal(err)
		}
		affine.apply(got)
		for i := range got {
			if math.Abs(got[i]-test.want[i]) > 1e-15*(1+math.Abs(test.want[i])) {
				t.Errorf("%s: value %d is %v, want %v", test.scaling, i, got[i], test.want[i])
			}
		}
	}
}

// TestStandardAgainstBig compares with 400-bit arithmetic where a naive
// formula loses digits: large offsets, tiny and huge units.
func TestStandardAgainstBig(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for _, unit := range []float64{1, 1e-9, 1e-250, 1e250} {
		for _, offset := range []float64{0, 1, -1e6, 1e9} {
			const n = 200
			x := make([]float64, n)
			rows := make([]int, n)
			for i := range x {
				x[i], rows[i] = unit*(offset+random.NormFloat64()), i
			}
			affine, err := Standard.fit(x, 1, rows)
			if err != nil {
				t.Fatal(err)
			}
			mean, deviation := moments(x)
			if math.Abs(affine.Shift[0]-mean) > 1e-14*deviation+2e-16*math.Abs(mean) {
				t.Errorf("unit %g, offset %g: mean %v, want %v", unit, offset, affine.Shift[0], mean)
			}
			if math.Abs(affine.Scale[0]-deviation) > 1e-13*deviation {
				t.Errorf("unit %g, offset %g: deviation %v, want %v", unit, offset, affine.Scale[0], deviation)
			}
		}
	}
}

func moments(x []float64) (mean, deviation float64) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	sum, n := number(0), number(float64(len(x)))
	for _, v := range x {
		sum.Add(sum, number(v))
	}
	average := sum.Quo(sum, n)
	square := number(0)
	for _, v := range x {
		difference := number(0).Sub(number(v), average)
		square.Add(square, difference.Mul(difference, difference))
	}
	root := number(0).Sqrt(square.Quo(square, n))
	mean, _ = average.Float64()
	deviation, _ = root.Float64()
	return mean, deviation
}

// TestScaleOfLevelColumns wants columns without spread where the map is fitted to be
// shifted alone, whatever their size, and rounding to be no spread.
func TestScaleOfLevelColumns(t *testing.T) {
	t.Parallel()
	const eps = 0x1p-52
	for _, scaling := range []Scaling{Standard, MinMax} {
		for _, level := range []float64{0, 1, -7.3, 1e-300, 1e9, -1e300} {
			for _, ulps := range []float64{0, 1, 3} {
				x := []float64{level, level * (1 + ulps*eps), level, 2.5}
				affine, err := scaling.fit(x, 1, []int{0, 1, 2})
				if err != nil {
					t.Fatal(err)
				}
				affine.apply(x)
				if want := 2.5 - level; math.Abs(x[3]-want) > 8*eps*math.Abs(want) || math.Abs(x[1]) > 8*eps*math.Abs(level) {
					t.Errorf("%s, %v with %v ulps: scaled to %v, want the last %v", scaling, level, ulps, x, want)
				}
			}
			x := []float64{level, level + max(1, math.Abs(level))*1e-12, level, 2.5}
			affine, err := scaling.fit(x, 1, []int{0, 1, 2})
			if err != nil || !(affine.Scale[0] <= max(1, math.Abs(level))*1.1e-12) {
				t.Errorf("%s: a spread of 1e-12 relative to %v counts as %v, %v", scaling, level, affine.Scale, err)
			}
		}
	}
}

func TestScaleRefusesWhatOverflows(t *testing.T) {
	t.Parallel()
	for _, scaling := range []Scaling{Standard, MinMax} {
		_, err := scaling.fit([]float64{0, -1.5e308, 0, 1.5e308}, 2, []int{0, 1})
		if err == nil || !strings.Contains(err.Error(), "column 1 spans") {
			t.Errorf("%s: error %v, want column 1 in it", scaling, err)
		}
	}
	if err := Scaling("Standard").check("features"); err == nil || !strings.Contains(err.Error(), "minmax") {
		t.Errorf("error %v, want what is allowed in it", err)
	}
}

func TestUneven(t *testing.T) {
	t.Parallel()
	part := func(x ...float64) *Part { return &Part{N: len(x) / 3, D: 3, X: x} }
	for want, p := range map[string]*Part{
		"":                             part(1, 5, 1e3, 2, 5, 9e3, 3, 5, 2e3), // the constant column does not count
		"feature 2 (c) varies 1.0e+12": part(1e-6, 5, 1e6, 3e-6, 5, 3e6),
		"feature 0 (a) varies 2.0e+04": part(4e4, 1e9, 1, 0, 1e9, 3), // an offset does not, either
	} {
		got := p.Uneven([]string{"a", "b", "c"})
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") || got != "" && !strings.HasSuffix(got, "set scale: {features: standard}") {
			t.Errorf("%v: %q, want %q", p.X, got, want)
		}
	}
}
