package rehline

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// satisfied tells whether beta meets c up to tol.
func satisfied(c Constraints, beta []float64, tol float64) bool {
	for k := range c.N() {
		v := dot(row(c.A, k), beta) + c.B[k]
		if v < -tol || c.equal(k) && v > tol {
			return false
		}
	}
	return true
}

func TestNamedConstraintsHoldWhereTheirDefinitionDoes(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	lower, upper := []float64{-inf, -1, 0}, []float64{0.5, inf, 0.5}
	increasing := func(b []float64) bool { return b[0] <= b[1] && b[1] <= b[2] }
	inBox := func(b []float64) bool { return b[0] <= 0.5 && b[1] >= -1 && b[2] >= 0 && b[2] <= 0.5 }
	for _, test := range []struct {
		name        string
		constraints Constraints
		rows        int
		holds       func(b []float64) bool
	}{
		{"none", Constraints{}, 0, func([]float64) bool { return true }},
		{"non-negative", NonNegative(3), 3, func(b []float64) bool { return min(b[0], b[1], b[2]) >= 0 }},
		{"box", Box(lower, upper), 4, inBox},
		{"lower bounds", Box(lower, nil), 2, func(b []float64) bool { return b[1] >= -1 && b[2] >= 0 }},
		{"upper bounds", Box(nil, upper), 2, func(b []float64) bool { return b[0] <= 0.5 && b[2] <= 0.5 }},
		{"no bounds", Box([]float64{-inf}, []float64{inf}), 0, func([]float64) bool { return true }},
		{"increasing", Monotone(3, true), 2, increasing},
		{"decreasing", Monotone(3, false), 2, func(b []float64) bool { return b[0] >= b[1] && b[1] >= b[2] }},
		{"one coefficient is monotone", Monotone(1, true), 0, func([]float64) bool { return true }},
		{"custom", Custom(matrix(1, 3, 1, 2, 0), []float64{-0.5}), 1, func(b []float64) bool { return b[0]+2*b[1] >= 0.5 }},
	} {
		if err := test.constraints.Check(); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if test.constraints.N() != test.rows {
			t.Errorf("%s: %d rows, want %d", test.name, test.constraints.N(), test.rows)
		}
		r := rand.New(rand.NewPCG(11, 12))
		met := 0
		for range 2000 {
			beta := randomVector(r, 3, 1)
			want := test.holds(beta)
			if want {
				met++
			}
			if satisfied(test.constraints, beta, 0) != want {
				t.Fatalf("%s: at %v satisfied is %v", test.name, beta, !want)
			}
		}
		if met == 0 {
			t.Errorf("%s: no point satisfies it", test.name)
		}
	}
}

func TestEqualities(t *testing.T) {
	t.Parallel()
	sum := Sum(3, 2)
	fixed := Box([]float64{1, 0, 0}, []float64{1, 5, math.Inf(1)})
	for _, c := range []Constraints{sum, fixed} {
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if fixed.N() != 4 || !sum.equal(0) || !fixed.equal(0) || fixed.equal(1) || fixed.equal(3) {
		t.Errorf("%d rows, equalities %v and %v", fixed.N(), sum.Equality, fixed.Equality)
	}
	for _, test := range []struct {
		beta []float64
		want bool
	}{
		{[]float64{1, 0.5, 0.5}, true},
		{[]float64{1, 0.5, 0.75}, false},
		{[]float64{1, 0.5, 0.25}, false},
		{[]float64{0.5, 1, 0.5}, false},
		{[]float64{1, -0.5, 1.5}, false},
	} {
		if (satisfied(sum, test.beta, 0) && satisfied(fixed, test.beta, 0)) != test.want {
			t.Errorf("at %v satisfied is %v", test.beta, !test.want)
		}
	}
}

func TestFairnessBoundsTheCovarianceOfTheScore(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 14))
	const n, d = 50, 4
	x := blas64.General{Rows: n, Cols: d, Stride: d + 2, Data: randomVector(r, n*(d+2), 1)}
	other, feature, weights := randomVector(r, n, 3), make([]float64, n), make([]float64, n)
	for i := range n {
		other[i] += 100
		feature[i] = row(x, i)[2]
		weights[i] = float64(i % 3)
	}
	const tolerance = 0.05
	// The definition: with an intercept, not centred, each sample as often as its weight says.
	covariance := func(z, weights, beta []float64) float64 {
		var zs, zMean, sMean, total float64
		for i := range n {
			w := 1.0
			if weights != nil {
				w = weights[i]
			}
			score := dot(row(x, i), beta) + 7
			zs += w * z[i] * score
			zMean += w * z[i]
			sMean += w * score
			total += w
		}
		return zs/total - zMean/total*sMean/total
	}
	for _, test := range []struct {
		name               string
		attribute, weights []float64
		always             bool
	}{{"attribute", other, nil, false}, {"weighted", other, weights, false}, {"feature", feature, nil, false},
		{"constant", slices.Repeat([]float64{0.1}, n), weights, true}} {
		c := Fairness(x, test.weights, [][]float64{test.attribute}, tolerance)
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		met := 0
		for range 500 {
			beta := randomVector(r, d, 0.1)
			want := math.Abs(covariance(test.attribute, test.weights, beta)) <= tolerance
			if want {
				met++
			}
			if satisfied(c, beta, 0) != want {
				t.Fatalf("%s: at %v satisfied is %v", test.name, beta, !want)
			}
		}
		if met == 0 || !test.always && met == 500 {
			t.Errorf("%s: %d of 500 points satisfy it", test.name, met)
		}
		if test.always && !zero(c.A.Data) {
			t.Errorf("%s: rows %v", test.name, c.A.Data)
		}
	}
	c := Fairness(x, nil, [][]float64{other, feature}, 0.2)
	if err := c.Check(); err != nil || c.N() != 4 {
		t.Errorf("two attributes: %v, %+v", err, c)
	}
	wantClose(t, "first row", row(c.A, 0), row(Fairness(x, nil, [][]float64{other}, 1).A, 0), 0)
	wantClose(t, "last row", row(c.A, 3), row(Fairness(x, nil, [][]float64{feature}, 1).A, 1), 0)
}

func TestConstraintsCheckNamesWhatAndWhere(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	x, one := matrix(2, 2, 1, 2, 3, 4), [][]float64{{1, 2}}
	equalZero := Custom(matrix(1, 2, 0, 0), []float64{1})
	equalZero.Equality = []bool{true}
	flags := NonNegative(2)
	flags.Equality = []bool{true}
	for _, test := range []struct {
		want        string
		kind        error
		constraints Constraints
	}{
		{"NonNegative: d: 0", ErrShape, NonNegative(0)},
		{"Monotone: d: -1", ErrShape, Monotone(-1, true)},
		{"Sum: d: 0", ErrShape, Sum(0, 1)},
		{"Sum: total: NaN", ErrNotFinite, Sum(2, nan)},
		{"Box: d: 0", ErrShape, Box(nil, nil)},
		{"Box: lower: 1 bounds", ErrShape, Box([]float64{1}, []float64{1, 2})},
		{"Box: upper: 1 bounds", ErrShape, Box([]float64{1, 2}, []float64{1})},
		{"Box: upper[1]: NaN", ErrNotFinite, Box(nil, []float64{1, nan})},
		{"Box: lower[0]: 2 above the upper bound 1", ErrInfeasible, Box([]float64{2}, []float64{1})},
		{"Box: lower[0]: +Inf", ErrInfeasible, Box([]float64{inf}, []float64{inf})},
		{"Box: upper[0]: -Inf", ErrInfeasible, Box(nil, []float64{-inf})},
		{"Constraints.A: 1 values", ErrShape, Custom(blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1}}, []float64{0, 0})},
		{"Constraints.A: 0 columns", ErrShape, Custom(blas64.General{Rows: 1}, []float64{0})},
		{"Constraints.B: 1 values", ErrShape, Custom(x, []float64{0})},
		{"Constraints.Equality: 1 flags", ErrShape, flags},
		{"Constraints.A[1][0]: NaN", ErrNotFinite, Custom(matrix(2, 1, 1, nan), []float64{0, 0})},
		{"Constraints.B[0]: +Inf", ErrNotFinite, Custom(matrix(1, 1, 1), []float64{inf})},
		{"Constraints[1]: row of zeros with 0 + -1 >= 0", ErrInfeasible, Custom(matrix(2, 1, 1, 0), []float64{0, -1})},
		{"Constraints[0]: row of zeros with 0 + 1 = 0", ErrInfeasible, equalZero},
		{"Fairness: attributes 1: 1 samples", ErrShape, Fairness(x, nil, [][]float64{{1, 2}, {1}}, 1)},
		{"Fairness: x: 0 samples", ErrShape, Fairness(blas64.General{}, nil, nil, 1)},
		{"Fairness: d: 0", ErrShape, Fairness(blas64.General{Rows: 2}, nil, one, 1)},
		{"Fairness: tolerance: -1", ErrRange, Fairness(x, nil, one, -1)},
		{"Fairness: x[0][1]: NaN", ErrNotFinite, Fairness(matrix(2, 2, 1, nan, 3, 4), nil, one, 1)},
		{"Fairness: x: 1 values", ErrShape, Fairness(blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1}}, nil, one, 1)},
		{"Fairness: attributes 0[1]: -Inf", ErrNotFinite, Fairness(x, nil, [][]float64{{1, -inf}}, 1)},
		{"Fairness: weights: length 1", ErrShape, Fairness(x, []float64{1}, one, 1)},
		{"Fairness: weights[1]: -1", ErrRange, Fairness(x, []float64{1, -1}, one, 1)},
		{"Fairness: weights: all are 0", ErrRange, Fairness(x, []float64{0, 0}, one, 1)},
	} {
		err := test.constraints.Check()
		var input *InputError
		if !errors.As(err, &input) || !errors.Is(err, test.kind) || !strings.HasPrefix(err.Error(), "rehline: "+test.want) {
			t.Errorf("error %v, want %q and %v", err, test.want, test.kind)
		}
	}
	redundant := Custom(matrix(2, 2, 0, 0, 0, 0), []float64{0, 3})
	if err := redundant.Check(); err != nil {
		t.Errorf("redundant rows of zeros: %v", err)
	}
}
