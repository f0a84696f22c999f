package dataset

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// gapped is a synthetic data set of which every seventh value is missing.
func gapped(task Task, n, d int) *Dataset {
	data := synthetic(task, n, d)
	for k := 0; k < len(data.X); k += 7 {
		data.X[k] = math.NaN()
	}
	return data
}

func TestMedianOfTheTrainingPart(t *testing.T) {
	t.Parallel()
	for _, protocol := range protocols {
		for _, task := range []Task{Classification, Regression} {
			d := gapped(task, 60, 4)
			s := Settings{Split: quarter, Missing: Median, Protocol: protocol}
			p := mustPrepare(t, d, s)
			for j := range d.D {
				var known []float64
				for _, row := range p.Train.Rows {
					if v := d.X[row*d.D+j]; !math.IsNaN(v) {
						known = append(known, v)
					}
				}
				slices.Sort(known)
				n := len(known)
				want := (known[(n-1)/2] + known[n/2]) / 2
				for _, part := range []*Part{&p.Train, &p.Validation, &p.Test} {
					for i, row := range part.Rows {
						got, was := part.X[i*d.D+j], d.X[row*d.D+j]
						if math.IsNaN(was) && math.Abs(got-want) > 1e-12*math.Abs(want) || !math.IsNaN(was) && got != was {
							t.Fatalf("%s, feature %d of row %d: %v, was %v, the median is %v", task, j, row, got, was, want)
						}
					}
				}
			}
			// What stands in other rows does not matter for training.
			other := *d
			other.X = slices.Clone(d.X)
			for _, row := range slices.Concat(p.Validation.Rows, p.Test.Rows) {
				for j := range d.D {
					if k := row*d.D + j; !math.IsNaN(other.X[k]) {
						other.X[k] += 1e6
					}
				}
			}
			if q := mustPrepare(t, &other, s); !slices.Equal(q.Train.X, p.Train.X) {
				t.Errorf("%s, protocol %v: rows outside of the training part change it", task, protocol)
			}
		}
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 5}, 5},
		{[]float64{math.MaxFloat64, math.MaxFloat64, 1, math.MaxFloat64}, math.MaxFloat64},
		{[]float64{math.MaxFloat64, -math.MaxFloat64}, 0},
	} {
		if got := MedianOf(slices.Clone(test.values)); got != test.want {
			t.Errorf("the median of %v is %v, want %v", test.values, got, test.want)
		}
	}
}

// Values that are missing are kept with the data set, and refused by settings that do
// not say what becomes of them.
func TestMissingIsKept(t *testing.T) {
	t.Parallel()
	d, err := readString(gaps, "a.csv", Options{Missing: "median"})
	if err != nil {
		t.Fatal(err)
	}
	if !d.Gaps() || d.N != 4 || d.D != 3 {
		t.Fatalf("%d x %d, gaps %t", d.N, d.D, d.Gaps())
	}
	var missing []int
	for k, v := range d.X {
		if math.IsNaN(v) {
			missing = append(missing, k)
		}
	}
	if !slices.Equal(missing, []int{1, 3, 7, 8}) {
		t.Errorf("missing are the values %v", missing)
	}
	_, err = Prepare(context.Background(), d, Settings{Split: Split{Train: 3, Test: 1}}, streams(1))
	if err == nil || !strings.Contains(err.Error(), "row 0, feature b: the value is missing") {
		t.Errorf("without missing: median: %v", err)
	}
	_, err = Prepare(context.Background(), d, Settings{Split: Split{Train: 3, Test: 1}, Missing: "mode"}, streams(1))
	if err == nil || !strings.Contains(err.Error(), `missing: "mode"`) {
		t.Errorf("with another word: %v", err)
	}
	for k := 1; k < len(d.X); k += d.D {
		d.X[k] = math.NaN()
	}
	_, err = Prepare(context.Background(), d, Settings{Split: Split{Train: 3, Test: 1}, Missing: Median}, streams(1))
	if err == nil || !strings.Contains(err.Error(), "feature b: all its 3 values of the training part are missing") {
		t.Errorf("a column without values: %v", err)
	}
	for text, want := range map[string]string{
		"a,y\n?,1\nNA,2\n": "every value is missing; drop: 0",
		"a,y\n1,1\n2,?\n":  "1 missing values in the target",
	} {
		_, err := readString(text, "a.csv", Options{Missing: "median"})
		var at *ReadError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	other := synthetic(Regression, 5, 2)
	other.X[3] = math.Float64frombits(math.Float64bits(math.NaN()) + 1)
	if err := other.validate(); err == nil {
		t.Error("a NaN of other bits is valid")
	}
}
