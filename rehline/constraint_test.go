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
		{"box and increasing", And(Constraints{}, Box(lower, upper), Monotone(3, true)), 6,
			func(b []float64) bool { return inBox(b) && increasing(b) }},
		{"and of nothing", And(), 0, func([]float64) bool { return true }},
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
	fixed := Box([]float64{1, -5, 0}, []float64{1, 5, math.Inf(1)})
	both := And(NonNegative(3), sum, fixed)
	for _, c := range []Constraints{sum, fixed, both} {
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if both.N() != 8 || !both.equal(3) || !both.equal(4) || both.equal(0) || both.equal(7) {
		t.Errorf("combined: %d rows, equalities %v", both.N(), both.Equality)
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
		if satisfied(both, test.beta, 0) != test.want {
			t.Errorf("at %v satisfied is %v", test.beta, !test.want)
		}
	}
}

func TestFairnessBoundsTheCovarianceOfTheScore(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 14))
	const n, d = 50, 4
	x := blas64.General{Rows: n, Cols: d, Stride: d + 2, Data: randomVector(r, n*(d+2), 1)}
	other := matrix(n, 1, randomVector(r, n, 3)...)
	for i := range other.Data {
		other.Data[i] += 100
	}
	feature := blas64.General{Rows: n, Cols: 1, Stride: x.Stride, Data: x.Data[2:]}
	constant := matrix(n, 1, slices.Repeat([]float64{0.1}, n)...)
	const tolerance = 0.05
	// The definition: with an intercept, not centred.
	covariance := func(z blas64.General, beta []float64) float64 {
		var zs, s, zMean, sMean float64
		for i := range n {
			score := dot(row(x, i), beta) + 7
			zs += row(z, i)[0] * score / n
			zMean += row(z, i)[0] / n
			sMean += score / n
			s += score
		}
		return zs - zMean*sMean
	}
	for _, test := range []struct {
		name      string
		sensitive blas64.General
		always    bool
	}{{"attribute", other, false}, {"feature", feature, false}, {"constant", constant, true}} {
		c := Fairness(x, test.sensitive, tolerance)
		sparse := FairnessSparse(compress(x), test.sensitive, tolerance)
		if err := errors.Join(c.Check(), sparse.Check()); err != nil {
			t.Fatal(err)
		}
		wantClose(t, test.name+": sparse", sparse.A.Data, c.A.Data, 1e-14)
		met := 0
		for range 500 {
			beta := randomVector(r, d, 0.1)
			want := math.Abs(covariance(test.sensitive, beta)) <= tolerance
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

	pair := matrix(n, 2, make([]float64, 2*n)...)
	for i := range n {
		pair.Data[2*i], pair.Data[2*i+1] = row(other, i)[0], row(feature, i)[0]
	}
	c := Fairness(x, pair, []float64{0, 0.2})
	if err := c.Check(); err != nil || c.N() != 3 || !c.equal(0) || c.equal(1) || c.B[0] != 0 || c.B[1] != 0.2 || c.B[2] != 0.2 {
		t.Errorf("two attributes, one without tolerance: %v, %+v", err, c)
	}
	wantClose(t, "first row", row(c.A, 0), row(Fairness(x, other, 1.0).A, 0), 1e-14)
	wantClose(t, "last row", row(c.A, 2), row(Fairness(x, feature, 1.0).A, 1), 1e-14)
}

func TestConstraintsCheckNamesWhatAndWhere(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	x := matrix(2, 2, 1, 2, 3, 4)
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
		{"And: constraints 1: A: 3 columns", ErrShape, And(NonNegative(2), NonNegative(3))},
		{"And: constraints 1: Sum: d", ErrShape, And(NonNegative(2), Sum(0, 1))},
		{"And: constraints 0: Constraints.B", ErrShape, And(Custom(x, nil))},
		{"Fairness: sensitive: 1 samples", ErrShape, Fairness(x, matrix(1, 1, 1), 1)},
		{"Fairness: sensitive: 0 samples", ErrShape, Fairness(blas64.General{}, blas64.General{}, 1)},
		{"Fairness: d: 0", ErrShape, Fairness(blas64.General{Rows: 2}, matrix(2, 1, 1, 2), 1)},
		{"Fairness: tolerance: -1", ErrRange, Fairness(x, matrix(2, 1, 1, 2), -1)},
		{"Fairness: tolerance: 2 values", ErrShape, Fairness(x, matrix(2, 1, 1, 2), []float64{1, 2})},
		{"Fairness: x[0][1]: NaN", ErrNotFinite, Fairness(matrix(2, 2, 1, nan, 3, 4), matrix(2, 1, 1, 2), 1)},
		{"Fairness: x: 1 values", ErrShape, Fairness(blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1}}, matrix(2, 1, 1, 2), 1)},
		{"Fairness: sensitive[1][0]: -Inf", ErrNotFinite, Fairness(x, matrix(2, 1, 1, -inf), 1)},
		{"Fairness: sensitive: 2 x -1", ErrShape, Fairness(x, blas64.General{Rows: 2, Cols: -1}, 1)},
		{"FairnessSparse: x: nil", ErrShape, FairnessSparse(nil, matrix(2, 1, 1, 2), 1)},
		{"Sparse.Start: 0 offsets", ErrShape, FairnessSparse(&CSR{Rows: 2, Cols: 2}, matrix(2, 1, 1, 2), 1)},
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
