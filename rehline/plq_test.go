package rehline

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestDecomposeFindsTheNamedLosses(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	y, z := randomVector(r, 1000, 2), randomVector(r, 1000, 3)
	for _, l := range namedLosses(y) {
		f, err := Decompose(l.pieces)
		if err != nil {
			t.Errorf("%s: %v", l.name, err)
			continue
		}
		if len(f.ReLU) != l.relus || len(f.ReHU) != l.rehus || math.Abs(f.Offset) > 1e-16 {
			t.Errorf("%s: %d ReLU, %d ReHU, offset %g; want %d, %d and 0", l.name, len(f.ReLU), len(f.ReHU), f.Offset, l.relus, l.rehus)
		}
		got := value(t, Samples(f, apply(l.scale, y), apply(l.shift, y)), z)
		wantClose(t, l.name, got, value(t, l.loss, z), 1e-13)
	}
}

func TestDecomposeOfOneFunction(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, test := range []struct {
		name   string
		pieces Pieces
		want   PLQ
	}{
		{"constant", Pieces{nil, []Quadratic{{0, 0, 3}}}, PLQ{Offset: 3}},
		{"constant with breaks", Pieces{[]float64{0, 1}, []Quadratic{{0, 0, 3}, {0, 0, 3}, {0, 0, 3}}}, PLQ{Offset: 3}},
		{"parabola", Pieces{nil, []Quadratic{{2, -4, 5}}},
			PLQ{ReHU: []ReHU{{2, -2, inf}, {-2, 2, inf}}, Offset: 3}},
		{"parabola with a break of nothing", Pieces{[]float64{7}, []Quadratic{{2, -4, 5}, {2, -4, 5}}},
			PLQ{ReHU: []ReHU{{2, -2, inf}, {-2, 2, inf}}, Offset: 3}},
		{"flat to the left", Pieces{[]float64{2}, []Quadratic{{0, 0, 1}, {0, 3, -5}}},
			PLQ{ReLU: []ReLU{{3, -6}}, Offset: 1}},
		{"flat to the right", Pieces{[]float64{2}, []Quadratic{{0, -3, 7}, {0, 0, 1}}},
			PLQ{ReLU: []ReLU{{-3, 6}}, Offset: 1}},
		{"flat bottom", Pieces{[]float64{-1, 1}, []Quadratic{{0, -1, -1}, {0, 0, 0}, {0.5, 0, -0.5}}},
			PLQ{ReLU: []ReLU{{-1, -1}, {1, -1}}, ReHU: []ReHU{{1, -1, inf}}}},
		{"least inside a piece", Pieces{[]float64{-1, 2}, []Quadratic{{0, -2, -1}, {1, 0, 0}, {0, 4, -4}}},
			PLQ{ReHU: []ReHU{{math.Sqrt2, 0, 2 * math.Sqrt2}, {-math.Sqrt2, 0, math.Sqrt2}}}},
		{"roundoff of a slope is none", Pieces{[]float64{0.3}, []Quadratic{{0, 0.1 + 0.2 - 0.3, 0}, {0, 1, -0.3}}},
			PLQ{ReLU: []ReLU{{1, -0.3}}}},
	} {
		got, err := Decompose(test.pieces)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if len(got.ReLU) != len(test.want.ReLU) || len(got.ReHU) != len(test.want.ReHU) {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
			continue
		}
		wantClose(t, test.name, flatten(got), flatten(test.want), 1e-15)
	}
}

// flatten lists the numbers of p.
func flatten(p PLQ) []float64 {
	out := []float64{p.Offset}
	for _, t := range p.ReLU {
		out = append(out, t.U, t.V)
	}
	for _, t := range p.ReHU {
		out = append(out, t.S, t.T, min(t.Tau, 1e300))
	}
	return out
}

func TestDecomposeRefuses(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	shape := PLQError{Piece: -1}
	for _, test := range []struct {
		name   string
		pieces Pieces
		want   error
		detail PLQError // compared where the error is a PLQError
	}{
		{"concave piece", Pieces{[]float64{0}, []Quadratic{{1, 0, 0}, {-1, 0, 0}}}, ErrNotConvex,
			PLQError{Err: ErrNotConvex, Piece: 1, A: -1}},
		{"slope falls", Pieces{[]float64{1}, []Quadratic{{1, 0, 0}, {0, 1, 0}}}, ErrNotConvex,
			PLQError{Err: ErrNotConvex, Piece: -1, At: 1, Left: 2, Right: 1}},
		{"jump", Pieces{[]float64{2}, []Quadratic{{1, 0, 0}, {1, 0, 0.5}}}, ErrNotContinuous,
			PLQError{Err: ErrNotContinuous, Piece: -1, At: 2, Left: 4, Right: 4.5}},
		{"falls to the right", Pieces{[]float64{0}, []Quadratic{{1, -2, 0}, {0, -1, 0}}}, ErrUnbounded,
			PLQError{Err: ErrUnbounded, Piece: -1, At: inf, Left: -1, Right: -1}},
		{"falls to the left", Pieces{[]float64{0}, []Quadratic{{0, 1, 0}, {1, 1, 0}}}, ErrUnbounded,
			PLQError{Err: ErrUnbounded, Piece: -1, At: -inf, Left: 1, Right: 1}},
		{"line", Pieces{nil, []Quadratic{{0, 1e-300, 0}}}, ErrUnbounded,
			PLQError{Err: ErrUnbounded, Piece: -1, At: -inf, Left: 1e-300, Right: 1e-300}},
		{"nothing", Pieces{}, ErrShape, shape},
		{"one quadratic too few", Pieces{[]float64{1}, []Quadratic{{1, 0, 0}}}, ErrShape, shape},
		{"breaks repeat", Pieces{[]float64{1, 1}, make([]Quadratic, 3)}, ErrRange, shape},
		{"break NaN", Pieces{[]float64{nan}, make([]Quadratic, 2)}, ErrNotFinite, shape},
		{"break infinite", Pieces{[]float64{inf}, make([]Quadratic, 2)}, ErrNotFinite, shape},
		{"coefficient NaN", Pieces{nil, []Quadratic{{0, nan, 0}}}, ErrNotFinite, shape},
		{"value overflows", Pieces{[]float64{1e200}, []Quadratic{{1, 0, 0}, {1, 0, 0}}}, ErrRange, shape},
		{"slope overflows", Pieces{[]float64{0.5}, []Quadratic{{8e307, 0, 0}, {8e307, 0, 0}}}, ErrRange, shape},
		{"minimum overflows", Pieces{nil, []Quadratic{{1e-300, 1e300, 0}}}, ErrRange, shape},
	} {
		_, err := Decompose(test.pieces)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
		var trouble *PLQError
		if errors.As(err, &trouble) && *trouble != test.detail {
			t.Errorf("%s: %+v, want %+v", test.name, *trouble, test.detail)
		}
		var input *InputError
		if trouble == nil && !errors.As(err, &input) {
			t.Errorf("%s: error %v is of no type", test.name, err)
		}
	}
}

func TestPLQErrorsSayThePlaceAndTheValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  PLQError
		want string
	}{
		{PLQError{Err: ErrNotConvex, Piece: 1, A: -2}, "rehline: quadratic 1 has -2 z²: not convex"},
		{PLQError{Err: ErrNotConvex, Piece: -1, At: 3, Left: 2, Right: 1}, "rehline: at z = 3 the slope falls from 2 to 1: not convex"},
		{PLQError{Err: ErrNotContinuous, Piece: -1, At: 3, Left: 2, Right: 1}, "rehline: at z = 3 the value is 2 on the left and 1 on the right: not continuous"},
		{PLQError{Err: ErrUnbounded, Piece: -1, At: math.Inf(1), Left: -1, Right: -1}, "rehline: slope -1 towards +Inf: not bounded below"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestDecomposeMax(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		of           []Quadratic
		relus, rehus int
	}{
		{"absolute value", []Quadratic{{0, 1, 0}, {0, -1, 0}}, 2, 0},
		{"one", []Quadratic{{1, 0, 0}}, 0, 2},
		{"the same twice", []Quadratic{{1, 0, 0}, {1, 0, 0}}, 0, 2},
		{"touching", []Quadratic{{1, 0, 0}, {0, 0, 0}}, 0, 2},
		{"touching from above", []Quadratic{{2, 0, 0}, {1, 0, 0}}, 0, 2},
		{"one line cuts a parabola", []Quadratic{{1, 0, 0}, {0, 0, 1}}, 2, 2},
		{"a concave one that is nowhere largest", []Quadratic{{1, 0, 0}, {-1, 0, -1}}, 0, 2},
		{"squared hinge", []Quadratic{{0, 0, 0}, {0, -1, 0.5}, {0, -2, 1}}, 1, 0},
		{"nine tangents of a parabola", tangents(9), 9 - 1, 0},
	} {
		f, err := DecomposeMax(test.of)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if len(f.ReLU) != test.relus || len(f.ReHU) != test.rehus {
			t.Errorf("%s: %+v, want %d ReLU and %d ReHU", test.name, f, test.relus, test.rehus)
		}
		for z := -3.0; z <= 3; z += 1.0 / 64 {
			want := math.Inf(-1)
			for _, q := range test.of {
				want = max(want, q.At(z))
			}
			wantClose(t, test.name, []float64{f.At(z)}, []float64{want}, 1e-14)
		}
	}

	var trouble *PLQError
	_, err := DecomposeMax([]Quadratic{{0, 0, -5}, {1, 0, 0}, {-1, 0, 1}})
	if !errors.As(err, &trouble) || !errors.Is(trouble.Err, ErrNotConvex) || trouble.Piece != 2 {
		t.Errorf("concave: error %v, want quadratic 2 named", err)
	}
	if _, err := DecomposeMax([]Quadratic{{0, 1, 0}, {0, 2, 0}}); !errors.Is(err, ErrUnbounded) {
		t.Errorf("two rising lines: error %v", err)
	}
	if _, err := DecomposeMax([]Quadratic{{0, 1, math.Inf(1)}}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("infinite: error %v", err)
	}
	if _, err := DecomposeMax(nil); !errors.Is(err, ErrShape) {
		t.Errorf("none: error %v", err)
	}
}

// tangents returns n tangents of z² from -2 to 2.
func tangents(n int) []Quadratic {
	out := make([]Quadratic, n)
	for k := range out {
		z := -2 + 4*float64(k)/float64(n-1)
		out[k] = Quadratic{0, 2 * z, -z * z}
	}
	return out
}

func TestSamplesScaleAndShift(t *testing.T) {
	t.Parallel()
	f, err := Decompose(Pieces{[]float64{-1, 2}, []Quadratic{{0, -2, 4}, {1, 0, 5}, {0, 4, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	const n = 500
	scale, shift, z := randomVector(r, n, 2), randomVector(r, n, 2), randomVector(r, n, 2)
	want := make([]float64, n)
	for i := range want {
		want[i] = f.At(scale[i]*z[i] + shift[i])
	}
	wantClose(t, "samples", value(t, Samples(f, scale, shift), z), want, 1e-13)
	wantClose(t, "constant", value(t, Samples(PLQ{Offset: 2}, scale[:3], shift[:3]), z[:3]), []float64{2, 2, 2}, 0)
	wantClose(t, "nothing", value(t, Samples(PLQ{}, scale[:3], shift[:3]), z[:3]), make([]float64, 3), 0)
}
