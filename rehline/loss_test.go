package rehline

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// namedLoss is a loss by name and its definition.
type namedLoss struct {
	name         string
	loss         Loss
	want         func(y, z float64) float64
	relus, rehus int
}

func checkLoss(q, r float64) float64 { return max(q*r, (q-1)*r) }

func namedLosses(y []float64) []namedLoss {
	hinge := func(y, z float64) float64 { return max(0, 1-y*z) }
	beyond := func(eps, r float64) float64 { return max(0, math.Abs(r)-eps) }
	return []namedLoss{
		{name: "hinge", loss: Hinge(y), want: hinge, relus: 1},
		{name: "squared hinge", loss: SquaredHinge(y), rehus: 1,
			want: func(y, z float64) float64 { return hinge(y, z) * hinge(y, z) }},
		{name: "smoothed hinge", loss: SmoothedHinge(y), rehus: 1,
			want: func(y, z float64) float64 {
				if h := hinge(y, z); h > 1 {
					return h - 0.5
				}
				return hinge(y, z) * hinge(y, z) / 2
			}},
		{name: "quantile", loss: Quantile(y, 0.3), relus: 2,
			want: func(y, z float64) float64 { return checkLoss(0.3, y-z) }},
		{name: "epsilon-insensitive", loss: EpsilonInsensitive(y, 0.4), relus: 2,
			want: func(y, z float64) float64 { return beyond(0.4, y-z) }},
		{name: "squared epsilon-insensitive", loss: SquaredEpsilonInsensitive(y, 0.4), rehus: 2,
			want: func(y, z float64) float64 { return math.Pow(beyond(0.4, y-z), 2) }},
		{name: "epsilon-insensitive quantile", loss: EpsilonInsensitiveQuantile(y, 0.25, 0.5), relus: 2,
			want: func(y, z float64) float64 { return max(0, checkLoss(0.25, y-z)-0.5) }},
		{name: "huber", loss: Huber(y, 0.7), rehus: 2,
			want: func(y, z float64) float64 {
				r := math.Abs(y - z)
				if r <= 0.7 {
					return r * r / 2
				}
				return 0.7 * (r - 0.35)
			}},
		{name: "absolute", loss: Absolute(y), relus: 2,
			want: func(y, z float64) float64 { return math.Abs(y - z) }},
		{name: "squared", loss: Squared(y), rehus: 2,
			want: func(y, z float64) float64 { return (y - z) * (y - z) }},
	}
}

func randomVector(r *rand.Rand, n int, size float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = size * r.NormFloat64()
	}
	return out
}

// wantClose fails where got and want differ by more than tol relative to the
// larger of 1 and want.
func wantClose(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol*max(1, math.Abs(want[i]))) {
			t.Fatalf("%s: value %d is %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}

func value(t *testing.T, l Loss, z []float64) []float64 {
	t.Helper()
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(z))
	l.Value(out, z)
	return out
}

func TestNamedLossesAreTheirDefinitions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	y, z := randomVector(r, 1000, 2), randomVector(r, 1000, 3)
	for _, l := range namedLosses(y) {
		want := make([]float64, len(y))
		for i := range y {
			want[i] = l.want(y[i], z[i])
		}
		wantClose(t, l.name, value(t, l.loss, z), want, 1e-13)
		if l.loss.N() != len(y) || l.loss.U.Rows != l.relus || l.loss.S.Rows != l.rehus {
			t.Errorf("%s: %d samples, %d ReLU and %d ReHU terms; want %d, %d and %d",
				l.name, l.loss.N(), l.loss.U.Rows, l.loss.S.Rows, len(y), l.relus, l.rehus)
		}
	}
}

func TestHuberWithoutAThresholdIsHalfOfSquared(t *testing.T) {
	t.Parallel()
	y, z := []float64{1, -2, 3}, []float64{0.2, 0.1, -5}
	wantClose(t, "half of squared", value(t, Huber(y, math.Inf(1)), z), []float64{0.32, 2.205, 32}, 1e-15)
}

func TestValueAddsTermsAndOffset(t *testing.T) {
	t.Parallel()
	l := Loss{
		U: matrix(2, 2, 1, 2, -1, 0), V: matrix(2, 2, 0, 1, 0, 3),
		S: matrix(1, 2, 1, 1), T: matrix(1, 2, 0, 0), Tau: matrix(1, 2, 1, math.Inf(1)),
		Offset: []float64{10, -1},
	}
	// |3| + (3 - 1/2) + 10 and (2·2 + 1) + 3 + 2²/2 - 1.
	wantClose(t, "value", value(t, l, []float64{3, 2}), []float64{15.5, 9}, 0)
	constant := Loss{Offset: []float64{1, 2, 3}}
	wantClose(t, "constant", value(t, constant, make([]float64, 3)), []float64{1, 2, 3}, 0)
	if n := (Loss{}).N(); n != 0 {
		t.Errorf("no loss has %d samples", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("scores of another length accepted")
		}
	}()
	l.Value(make([]float64, 2), make([]float64, 3))
}

func TestLossCheckNamesWhatAndWhere(t *testing.T) {
	t.Parallel()
	y, nan := []float64{1, -1}, math.NaN()
	with := func(change func(l *Loss)) Loss {
		l := Loss{
			U: matrix(1, 2, 1, 2), V: matrix(1, 2, 0, 1),
			S: matrix(1, 2, 1, 1), T: matrix(1, 2, 0, 0), Tau: matrix(1, 2, 1, math.Inf(1)),
		}
		change(&l)
		return l
	}
	if err := with(func(*Loss) {}).Check(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		want string
		kind error
		loss Loss
	}{
		{"Loss.V: 0 rows", ErrShape, with(func(l *Loss) { l.V.Rows = 0 })},
		{"Loss.S: 3 columns", ErrShape, with(func(l *Loss) { l.S.Cols = 3 })},
		{"Loss.T: stride 1", ErrShape, with(func(l *Loss) { l.T.Stride = 1 })},
		{"Loss.T: 1 values", ErrShape, with(func(l *Loss) { l.T.Data = l.T.Data[:1] })},
		{"Loss.U: -1 x 2", ErrShape, with(func(l *Loss) { l.U.Rows, l.V.Rows = -1, -1 })},
		{"Loss.Tau: 2 rows", ErrShape, with(func(l *Loss) { l.Tau.Rows = 2 })},
		{"Loss.U[0][1]: NaN", ErrNotFinite, with(func(l *Loss) { l.U.Data[1] = nan })},
		{"Loss.V[0][0]: -Inf", ErrNotFinite, with(func(l *Loss) { l.V.Data[0] = math.Inf(-1) })},
		{"Loss.S[0][0]: NaN", ErrNotFinite, with(func(l *Loss) { l.S.Data[0] = nan })},
		{"Loss.T[0][1]: +Inf", ErrNotFinite, with(func(l *Loss) { l.T.Data[1] = math.Inf(1) })},
		{"Loss.Tau[0][1]: -2", ErrRange, with(func(l *Loss) { l.Tau.Data[1] = -2 })},
		{"Loss.Tau[0][0]: NaN", ErrRange, with(func(l *Loss) { l.Tau.Data[0] = nan })},
		{"Loss.Offset: length 1", ErrShape, with(func(l *Loss) { l.Offset = []float64{1} })},
		{"Loss.Offset[1]: NaN", ErrNotFinite, with(func(l *Loss) { l.Offset = []float64{1, nan} })},
		{"Loss.U[0][1]: NaN", ErrNotFinite, Hinge([]float64{1, nan})},
		{"Quantile: q: 1.5", ErrRange, Quantile(y, 1.5)},
		{"Quantile: q: NaN", ErrRange, Quantile(y, nan)},
		{"EpsilonInsensitiveQuantile: q: -1", ErrRange, EpsilonInsensitiveQuantile(y, -1, 0)},
		{"EpsilonInsensitiveQuantile: eps: -1", ErrRange, EpsilonInsensitiveQuantile(y, 0.5, -1)},
		{"EpsilonInsensitive: eps: +Inf", ErrRange, EpsilonInsensitive(y, math.Inf(1))},
		{"SquaredEpsilonInsensitive: eps: -0.1", ErrRange, SquaredEpsilonInsensitive(y, -0.1)},
		{"Huber: delta: 0", ErrRange, Huber(y, 0)},
	} {
		err := test.loss.Check()
		var input *InputError
		if !errors.As(err, &input) || !errors.Is(err, test.kind) || !strings.HasPrefix(err.Error(), "rehline: "+test.want) {
			t.Errorf("error %v, want %q and %v", err, test.want, test.kind)
		}
	}
	if n := Quantile(y, 2).N(); n != 2 {
		t.Errorf("a loss with a wrong parameter has %d samples, want 2", n)
	}
}

func matrix(rows, cols int, values ...float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: values}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
