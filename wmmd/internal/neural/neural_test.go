package neural

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// layers are all layers, with the numbers that a text's input has.
func layers[T Float](r *rand.Rand) map[string]struct {
	layer Layer[T]
	in    int
} {
	type entry = struct {
		layer Layer[T]
		in    int
	}
	const positions, dim = 6, 3
	dropout := NewDropout[T](0.4, r)
	return map[string]entry{
		"linear":      {NewLinear[T](7, 4, r), 7},
		"relu":        {&ReLU[T]{}, 9},
		"dropout":     {dropout, 9},
		"maximum":     {NewMaxPositions[T](positions, 5), positions * 5},
		"convolution": {NewConvolution[T](positions, dim, 4, 5, r), positions * dim},
		"wide":        {NewConvolution[T](1, dim, 5, 4, r), dim},
		"lstm":        {NewLSTM[T](positions, dim, 5, false, r), positions * dim},
		"reverse":     {NewLSTM[T](positions, dim, 4, true, r), positions * dim},
		"gru":         {NewGRU[T](positions, dim, 5, r), positions * dim},
		"one word":    {NewGRU[T](1, dim, 5, r), dim},
		"chain": {Chain[T]{
			NewGRU[T](positions, dim, 5, r), NewMaxPositions[T](positions, 5), &ReLU[T]{}, NewLinear[T](5, 3, r),
		}, positions * dim},
		"concat": {NewConcat([]Layer[T]{
			NewConvolution[T](positions, dim, 3, 4, r),
			Chain[T]{NewLSTM[T](positions, dim, 2, true, r), NewMaxPositions[T](positions, 2)},
		}, []int{4, 2}), positions * dim},
	}
}

func normal[T Float](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	return x
}

// TestGradients compares every layer's gradients with central differences.
func TestGradients(t *testing.T) {
	t.Parallel()
	for name, test := range layers[float64](rand.New(rand.NewPCG(1, 2))) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, 4))
			for _, n := range []int{4, 1, 3} { // memory of a larger batch must not show
				checkLayer(t, test.layer, normal[float64](r, n*test.in), n, r)
			}
		})
	}
}

func checkLayer(t *testing.T, l Layer[float64], x []float64, n int, r *rand.Rand) {
	t.Helper()
	if d, ok := l.(*Dropout[float64]); ok {
		d.Training = false // differences need the same entries dropped
	}
	by := normal[float64](r, len(l.Forward(x, n)))
	value := func() float64 {
		sum := 0.0
		for i, v := range l.Forward(x, n) {
			sum += by[i] * v
		}
		return sum
	}
	for _, p := range l.Params() {
		clear(p.Slope)
	}
	value()
	slope := slices.Clone(l.Backward(slices.Clone(by)))
	check := func(what string, at, slope []float64) {
		for i, old := range at {
			const h = 1e-5
			at[i] = old + h
			above := value()
			at[i] = old - h
			below := value()
			at[i] = old
			if want := (above - below) / (2 * h); math.Abs(slope[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("%s %d: %v, by differences %v", what, i, slope[i], want)
			}
		}
	}
	check("input", x, slope)
	for _, p := range l.Params() {
		check("parameter", p.Value, p.Slope)
	}
}

// TestPrecisions: layers in float32 give what they give in float64, but for rounding.
func TestPrecisions(t *testing.T) {
	t.Parallel()
	short, long := layers[float32](rand.New(rand.NewPCG(1, 2))), layers[float64](rand.New(rand.NewPCG(1, 2)))
	for name, test := range short {
		const n = 5
		x := normal[float32](rand.New(rand.NewPCG(5, 6)), n*test.in)
		wide := make([]float64, len(x))
		for i, v := range x {
			wide[i] = float64(v)
		}
		params, want := test.layer.Params(), long[name].layer.Params()
		for i, p := range params {
			for j, v := range want[i].Value {
				p.Value[j] = float32(v)
			}
		}
		y := long[name].layer.Forward(wide, n)
		for i, v := range test.layer.Forward(x, n) {
			if math.Abs(float64(v)-y[i]) > 1e-5*(1+math.Abs(y[i])) {
				t.Errorf("%s: output %d is %v in float32, %v in float64", name, i, v, y[i])
			}
		}
	}
}

// TestLayersAllocateNothing once they have the memory of a batch.
func TestLayersAllocateNothing(t *testing.T) {
	for name, test := range layers[float32](rand.New(rand.NewPCG(1, 2))) {
		const n = 5
		x := normal[float32](rand.New(rand.NewPCG(5, 6)), n*test.in)
		slope := normal[float32](rand.New(rand.NewPCG(5, 6)), len(test.layer.Forward(x, n)))
		if got := testing.AllocsPerRun(5, func() {
			test.layer.Forward(x, n)
			test.layer.Backward(slope)
		}); got > 0 {
			t.Errorf("%s: %v allocations a pass", name, got)
		}
	}
}

func TestDropout(t *testing.T) {
	t.Parallel()
	d := NewDropout[float64](0.25, rand.New(rand.NewPCG(1, 2)))
	x := make([]float64, 10_000)
	for i := range x {
		x[i] = 3
	}
	if y := d.Forward(x, 1); !slices.Equal(x, y) {
		t.Error("entries change outside training")
	}
	d.Training = true
	y := slices.Clone(d.Forward(x, 1))
	dropped := 0
	for _, v := range y {
		switch v {
		case 0:
			dropped++
		case 4:
		default:
			t.Fatalf("an entry of 3 is %v", v)
		}
	}
	if dropped < 2350 || dropped > 2650 {
		t.Errorf("%d of 10,000 entries dropped at 0.25", dropped)
	}
	if slope := d.Backward(slices.Clone(x)); !slices.Equal(slope, y) {
		t.Error("the gradient has other factors than the output")
	}
}

func TestEmbedding(t *testing.T) {
	t.Parallel()
	e := NewEmbedding[float64](4, 2, rand.New(rand.NewPCG(1, 2)))
	copy(e.Value, []float64{3, 4, 0.3, 0.4, 5, 12, 6, 8})
	before := slices.Clone(e.Value)
	first := slices.Clone(e.Look([]int32{0, 1, 0, 3}))
	if !slices.Equal(e.Value, before) {
		t.Error("the matrix changes outside training")
	}
	e.Training = true
	y := e.Look([]int32{0, 1, 0, 3})
	if !slices.Equal(y, first) {
		t.Errorf("rows %v in training, %v outside", y, first)
	}
	want := []float64{0.6, 0.8, 0.3, 0.4, 0.6, 0.8, 0.6, 0.8}
	for i, v := range want {
		if math.Abs(y[i]-v) > 1e-7 {
			t.Fatalf("rows %v, want %v", y, want)
		}
	}
	if !slices.Equal(e.Row(2), []float64{5, 12}) {
		t.Errorf("the row of a word that was not looked up is %v", e.Row(2))
	}
	if square := e.Row(0)[0]*e.Row(0)[0] + e.Row(0)[1]*e.Row(0)[1]; square > 1 || square < 1-1e-7 {
		t.Errorf("the matrix keeps a row of squared norm %v", square)
	}
	e.Backward([]float64{1, 2, 3, 4, 5, 6, 7, 8})
	if want := []float64{6, 8, 3, 4, 0, 0, 7, 8}; !slices.Equal(e.Slope, want) {
		t.Errorf("gradient %v, want %v", e.Slope, want)
	}
}

// TestFirstMaximum: of equal values the first one has the gradient.
func TestFirstMaximum(t *testing.T) {
	t.Parallel()
	l := NewMaxPositions[float64](4, 1)
	l.Forward([]float64{1, 3, 3, 2}, 1)
	if slope := l.Backward([]float64{5}); !slices.Equal(slope, []float64{0, 5, 0, 0}) {
		t.Errorf("gradient %v", slope)
	}
}

func TestCrossEntropy(t *testing.T) {
	t.Parallel()
	scores := []float64{1, 2, -1, 1000, 0, 3}
	labels := []int{2, 0}
	value := func(x []float64) float64 { return CrossEntropy(slices.Clone(x), labels) }
	slope := slices.Clone(scores)
	got := CrossEntropy(slope, labels)
	want := (math.Log(math.Exp(1)+math.Exp(2)+math.Exp(-1)) + 1 + 0) / 2
	if math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	for i, old := range scores {
		const h = 1e-5
		scores[i] = old + h
		above := value(scores)
		scores[i] = old - h
		below := value(scores)
		scores[i] = old
		if want := (above - below) / (2 * h); math.Abs(slope[i]-want) > 1e-6 {
			t.Errorf("gradient %d is %v, by differences %v", i, slope[i], want)
		}
	}
}

// TestAdam compares two steps with the formulas of the paper, algorithm 1.
func TestAdam(t *testing.T) {
	t.Parallel()
	p := newParam[float64](3)
	copy(p.Value, []float64{1, 2, 3})
	a := NewAdam([]*Param[float64]{p.part(0, 2, 1), p.part(2, 3, 2)})
	want := slices.Clone(p.Value)
	var mean, square [3]float64
	for step, slope := range [][]float64{{1, -2, 0.5}, {0.1, 3, -4}} {
		copy(p.Slope, slope)
		a.Step(0.1)
		for i, g := range slope {
			mean[i] = 0.9*mean[i] + 0.1*g
			square[i] = 0.999*square[i] + 0.001*g*g
			rate := 0.1
			if i == 2 {
				rate = 0.2
			}
			power := float64(step + 1)
			want[i] -= rate * mean[i] / (1 - math.Pow(0.9, power)) / (math.Sqrt(square[i]/(1-math.Pow(0.999, power))) + 1e-8)
		}
		for i := range want {
			if math.Abs(p.Value[i]-want[i]) > 1e-14 {
				t.Errorf("step %d: %v, want %v", step, p.Value, want)
			}
		}
		if p.Slope[0] != 0 || p.Slope[2] != 0 {
			t.Error("gradients stay")
		}
	}
}
