package gaga

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// One sample x = 1, y = 1, so that with s = 1 - w and L1 weight c the condition
// is 2 v*(s², λ) s = c while w > 0, and 2 v*(1, λ) <= c at w = 0: every path can
// be worked out by hand. The fit with all weights 1 has s = c/2.
func oneSample(c float64, r Regularizer, copies int) *Problem {
	x, y := make([]float64, copies), make([]float64, copies)
	for i := range x {
		x[i], y[i] = 1, 1
	}
	return &Problem{
		X: blas64.General{Rows: copies, Cols: 1, Stride: 1, Data: x}, Y: y,
		Loss: Squared{}, Penalty: Penalty{L1: c * float64(copies)}, Regularizer: r,
	}
}

type wantEvent struct {
	age   float64
	kind  Kind
	cause Cause
}

func TestClosedForms(t *testing.T) {
	t.Parallel()
	type point struct{ age, w float64 }
	cases := []struct {
		name   string
		c      float64
		r      Regularizer
		copies int
		min    float64
		start  float64 // of the path, where it is not min
		events []wantEvent
		points []point
		// condition is 0 at the true w for ages above the last event
		condition func(s, age float64) float64
	}{
		{
			// Alternation discards the sample at 0.1, it is readmitted at 1,
			// 2(1 - 1/λ) = 1/2 at λ = 4/3, where H = 2(1 - 3/λ) < 0.
			name: "linear, jump", c: 0.5, r: Linear{}, min: 0.1,
			events:    []wantEvent{{1, Turning, SampleDown}, {4.0 / 3, Jump, Activated}},
			points:    []point{{0.5, 0}, {1.2, 0}},
			condition: func(s, age float64) float64 { return s - s*s*s/age - 0.25 },
		},
		{
			// 2(1 - 1/λ) = 1.6 at λ = 5, where H > 0.
			name: "linear, activation turns", c: 1.6, r: Linear{}, min: 0.1, start: 0.64,
			events:    []wantEvent{{1, Turning, SampleDown}, {5, Turning, Activated}},
			points:    []point{{4.9, 0}},
			condition: func(s, age float64) float64 { return s - s*s*s/age - 0.8 },
		},
		{
			// The branch of the plain fit exists for λ >= 27c²/16 = 0.42.
			name: "linear, no event", c: 0.5, r: Linear{}, min: 0.5,
			condition: func(s, age float64) float64 { return s - s*s*s/age - 0.25 },
		},
		{
			// The plain fit's loss is 1/16: nobody is easy before.
			name: "linear, nobody easy at first", c: 0.5, r: Linear{}, min: 0.01, start: 0.0625,
			events:    []wantEvent{{1, Turning, SampleDown}, {4.0 / 3, Jump, Activated}},
			condition: func(s, age float64) float64 { return s - s*s*s/age - 0.25 },
		},
		{
			name: "linear, two tied samples", c: 0.5, r: Linear{}, copies: 2, min: 0.1,
			events:    []wantEvent{{1, Turning, SampleDown}, {1, Turning, SampleDown}, {4.0 / 3, Jump, Activated}},
			condition: func(s, age float64) float64 { return s - s*s*s/age - 0.25 },
		},
		{
			// Never readmitted with an L1 weight of 2 and more: 2(1 - 1/λ) < 2.
			name: "linear, never active", c: 2, r: Linear{}, min: 0.1, start: 1, points: []point{{10, 0}, {20, 0}},
		},
		{
			name: "hard", c: 0.5, r: Hard{}, min: 0.01, start: 0.0625, points: []point{{0.1, 0.75}, {20, 0.75}},
		},
		{
			// v = (1 - 1/λ)² at w = 0: 1/4 at λ = 2, where H = 1/2 - 2 < 0.
			name: "polynomial", c: 0.5, r: Polynomial{1.5}, min: 0.1,
			events:    []wantEvent{{1, Turning, SampleDown}, {2, Jump, Activated}},
			condition: func(s, age float64) float64 { return (1-s*s/age)*(1-s*s/age)*s - 0.25 },
		},
		{
			// v = 1 - 1/λ at w = 0 in the middle, where H < 0; s = 1/4 is easy
			// then and stays.
			name: "mixture", c: 0.5, r: Mixture{1}, min: 0.26,
			events: []wantEvent{{1, Turning, SampleDown}, {4.0 / 3, Jump, Activated}},
			points: []point{{1.4, 0.75}, {20, 0.75}},
		},
		{
			// Everybody easy: γλ/(γ+λ) = 1/3 > 1/4 at λ = 1/2.
			name: "mixture, everybody easy", c: 0.5, r: Mixture{1}, min: 0.5, points: []point{{0.5, 0.75}, {20, 0.75}},
		},
		{
			// 2(1 + λ/2)/1.5 = 1.6 at λ = 0.4; easy from s² = 0.64 on.
			name: "log", c: 1.6, r: LOG{0.5}, min: 0.1,
			events: []wantEvent{{0.4, Turning, Activated}, {0.64, Turning, SampleDown}},
			points: []point{{0.3, 0}, {0.64, 0.2}, {20, 0.2}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path, err := Track(context.Background(), oneSample(c.c, c.r, max(1, c.copies)), Options{Age: Range{c.min, 20}})
			if err != nil || path.Status() != Complete {
				t.Fatalf("%v, %v %s", err, path.Status(), path.Reason())
			}
			if c.start == 0 {
				c.start = c.min
			}
			if start := path.Range().Min; math.Abs(start-c.start) > 2e-6*c.start {
				t.Errorf("starts at age %v, want %v", start, c.start)
			}
			checkEvents(t, path.Events(), c.events)
			for _, p := range c.points {
				theta, err := path.At(p.age)
				if err != nil || math.Abs(theta[0]-p.w) > 1e-9 {
					t.Errorf("age %v: w = %v, want %v; %v", p.age, theta, p.w, err)
				}
			}
			if c.condition == nil {
				return
			}
			from := c.min
			if n := len(c.events); n > 0 {
				from = c.events[n-1].age
			}
			for x := 0.01; x <= 1; x += 0.09 {
				age := from + x*(20-from)
				theta, err := path.At(age)
				if err != nil {
					t.Fatal(err)
				}
				s := 1 - theta[0]
				if off := c.condition(s, age); math.Abs(off) > 1e-12 || !(s > 0 && s*s < age/3) {
					t.Errorf("age %v: s = %v leaves %v", age, s, off)
				}
			}
		})
	}
}

func checkEvents(t *testing.T, got []Event, want []wantEvent) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("events %+v, want %+v", got, want)
	}
	for i, w := range want {
		g := got[i]
		if g.Kind != w.kind || g.Cause != w.cause || math.Abs(g.Age-w.age) > 1e-9*w.age {
			t.Errorf("event %d is %+v, want %+v", i, g, w)
		}
		if (g.Kind == Turning) != (g.Scalar > 0) {
			t.Errorf("event %d: %v with the scalar %v", i, g.Kind, g.Scalar)
		}
	}
}

// Two variables with a sample each: every coordinate has its own closed form.
func TestClosedFormsInTwoVariables(t *testing.T) {
	t.Parallel()
	p := &Problem{
		X: blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 2}}, Y: []float64{1, 2},
		Loss: Squared{}, Penalty: Penalty{L1: 1.6}, Regularizer: Linear{},
	}
	path, err := Track(context.Background(), p, Options{Age: Range{1.6, 20}})
	if err != nil || path.Status() != Complete {
		t.Fatal(err, path.Status())
	}
	// The second coordinate's condition is 4 s(1 - s²/λ) = 1.6 with s = 2 - 2w;
	// the first one's as above with c = 1.6: active from 5 on.
	checkEvents(t, path.Events(), []wantEvent{{5, Turning, Activated}})
	for age := 2.0; age <= 20; age++ {
		theta, err := path.At(age)
		if err != nil {
			t.Fatal(err)
		}
		s := 2 - 2*theta[1]
		if off := s - s*s*s/age - 0.4; math.Abs(off) > 1e-12 {
			t.Errorf("age %v: second coordinate leaves %v", age, off)
		}
		s = 1 - theta[0]
		if off := s - s*s*s/age - 0.8; age > 5 && math.Abs(off) > 1e-12 || age < 5 && theta[0] != 0 {
			t.Errorf("age %v: first coordinate is %v", age, theta[0])
		}
	}
}
