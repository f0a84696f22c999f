package gaga

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// Knots of a grid and both ends have exactly the ages asked for, although the engine's are
// reciprocals, and all are in order.
func TestDownHasTheAgesAskedFor(t *testing.T) {
	t.Parallel()
	p := oneSample(0.5, Linear{}, 1)
	ages := Range{0.43, 7.3}
	var grid []float64
	for age := 0.4; age < 8; age *= 1.0013 {
		grid = append(grid, age, math.Nextafter(age, 0))
	}
	path, err := Track(t.Context(), p, Options{Age: ages, Grid: grid, Direction: Down})
	if err != nil || path.Status() != Complete || path.Direction() != Down || path.Range() != ages {
		t.Fatalf("%v, %v %s, %v, %v", err, path.Status(), path.Reason(), path.Direction(), path.Range())
	}
	knots := path.Knots()
	if first, last := knots[0], knots[len(knots)-1]; first.Kind != Start || first.Age != ages.Max || last.Kind != End || last.Age != ages.Min {
		t.Errorf("from %v at %v to %v at %v", first.Kind, first.Age, last.Kind, last.Age)
	}
	var got []float64
	for k, knot := range knots {
		if k > 0 && knot.Age > knots[k-1].Age {
			t.Errorf("age %v comes after %v", knot.Age, knots[k-1].Age)
		}
		if knot.Kind == Grid {
			got = append(got, knot.Age)
			if theta, err := path.At(knot.Age); err != nil || theta[0] != knot.Theta[0] {
				t.Errorf("age %v: %v, %v, want %v", knot.Age, theta, err, knot.Theta)
			}
		}
	}
	want := slices.DeleteFunc(slices.Sorted(slices.Values(grid)), func(age float64) bool { return age <= ages.Min || age >= ages.Max })
	slices.Reverse(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d knots, %d ages asked for", len(got), len(want))
	}
	for _, age := range want {
		s := 1 - mustAt(t, path, age)[0]
		if off := s - s*s*s/age - 0.25; math.Abs(off) > 1e-9 {
			t.Errorf("age %v: the condition is %v", age, off)
		}
	}
}

// The sample of [oneSample] has a partial optimum with weight for λ >= 27c²/16: below, a path down
// has no sample left. The gap is the rest of the range, its end included.
func TestDownEndsWithoutSamples(t *testing.T) {
	t.Parallel()
	path, err := Track(t.Context(), oneSample(0.5, Linear{}, 1), Options{Age: Range{0.1, 20}, Direction: Down})
	if err != nil || path.Status() != Complete {
		t.Fatalf("%v, %v %s", err, path.Status(), path.Reason())
	}
	checkEvents(t, path.Events(), []wantEvent{{27.0 / 64, Jump, Fold}})
	last := path.Knots()[len(path.Knots())-1]
	if gaps := path.Gaps(); len(gaps) != 1 || gaps[0].From != last.Age || gaps[0].To != 0.1 || !strings.Contains(gaps[0].Reason, "no sample") {
		t.Fatalf("gaps %+v after the knot at age %v", gaps, last.Age)
	}
	if path.Range() != (Range{last.Age, 20}) {
		t.Errorf("ages %v", path.Range())
	}
	for _, age := range []float64{0.1, 0.4} {
		if _, err := path.At(age); !isError[*GapError](err) {
			t.Errorf("age %v: %v", age, err)
		}
	}
	for _, age := range []float64{0.09, 21} {
		if _, err := path.At(age); !isError[*AgeError](err) {
			t.Errorf("age %v: %v", age, err)
		}
	}
	if _, err := path.At(last.Age); err != nil {
		t.Error(err)
	}
}

func isError[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Logistic regression ends where alternation leaves one class.
func TestDownEndsWithOneClass(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 6, Cols: 1, Stride: 1, Data: []float64{-2, -1, -0.5, 0.4, 1, -0.2}}
	p := LogisticRegression(x, []float64{-1, -1, -1, 1, 1, -1}, nil, 1)
	p.Regularizer = Linear{}
	path, err := Track(t.Context(), p, Options{Age: Range{0.01, 100}, Direction: Down})
	if err != nil || path.Status() != Complete {
		t.Fatalf("%v, %v %s", err, path.Status(), path.Reason())
	}
	gaps := path.Gaps()
	if len(gaps) != 1 || gaps[0].To != 0.01 || !strings.Contains(gaps[0].Reason, "one class") {
		t.Fatalf("gaps %+v", gaps)
	}
	a, err := NewAlternation(p)
	if err != nil {
		t.Fatal(err)
	}
	a.SetTheta(path.Knots()[len(path.Knots())-1].Theta)
	if _, err := a.Converge(t.Context(), gaps[0].From*(1-1e-6), 0, 0); !errors.Is(err, ErrOneClass) {
		t.Errorf("alternation from the path's end: %v", err)
	}
}

func TestDownHasNoBeginning(t *testing.T) {
	t.Parallel()
	path, err := Track(t.Context(), oneSample(0.5, Linear{}, 1), Options{Age: Range{0.01, 0.05}, Direction: Down})
	if err != nil || path.Status() != Degenerate || !strings.Contains(path.Reason(), "discarded up to age 0.05") || len(path.Knots()) > 0 {
		t.Errorf("%v, %v %s", err, path.Status(), path.Reason())
	}
	if _, err := Track(t.Context(), oneSample(0.5, Linear{}, 1), Options{Age: Range{0.01, 20}, Direction: 2}); err == nil || !strings.Contains(err.Error(), "need Up or Down") {
		t.Errorf("direction 2: %v", err)
	}
}
