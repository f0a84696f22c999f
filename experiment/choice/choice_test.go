package choice

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRules holds the rules against choices that follow by hand.
func TestRules(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	steps := func(n int) (ages []float64) {
		for k := range n {
			ages = append(ages, math.Pow(1.1, float64(k)))
		}
		return ages
	}
	for _, test := range []struct {
		name  string
		rule  Rule
		curve Curve
		point int
		value float64
	}{
		{"the first of equals", Best, Curve{Ages: steps(4), Scores: []float64{3, 1, 1, 2}}, 1, 1},
		{"higher", Best, Curve{Ages: steps(3), Scores: []float64{3, 5, 1}, Higher: true}, 1, 5},
		{"without ages", Smoothed, Curve{Scores: []float64{3, 1}}, 1, 1},
		{"without ages and within the error", OneStandardError, Curve{Scores: []float64{1, 1.1}, Errors: []float64{1, 1}}, 0, 1},
		{"none", Smoothed, Curve{Ages: steps(2), Scores: []float64{nan, nan}, Begins: make([]bool, 2)}, -1, nan},
		{"infinite", Best, Curve{Ages: steps(2), Scores: []float64{nan, math.Inf(1)}}, 1, math.Inf(1)},
		{"the largest within the error", OneStandardError, Curve{Ages: steps(5), Scores: []float64{2, 1, 1.4, 1.6, 1.5}, Errors: []float64{9, 0.5, 9, 9, 9}}, 4, 1.5},
		{"beyond the error", OneStandardError, Curve{Ages: steps(3), Scores: []float64{1, 1.6, nan}, Errors: []float64{0.5, 9, 9}}, 0, 1},
		{"higher within the error", OneStandardError, Curve{Ages: steps(3), Scores: []float64{0.9, 0.8, 0.7}, Errors: []float64{0.1, 9, 9}, Higher: true}, 1, 0.8},
		{"a dip is smoothed away", Smoothed, Curve{Ages: []float64{1, 10, 10.01, 10.02, 100, 101}, Scores: []float64{5, 5, 0, 5, 4, 4}, Begins: make([]bool, 6)}, 5, 4.0443},
		{"pieces are not joined", Smoothed, Curve{Ages: []float64{1, 1.01, 1.01, 1.0201}, Scores: []float64{2, 2, 1, 1}, Begins: []bool{true, false, true, false}}, 0, 1.5},
		{"level", Smoothed, Curve{Ages: steps(30), Scores: slices.Repeat([]float64{0.1}, 30), Begins: make([]bool, 30)}, 0, 0.1},
		{"at age 0", Smoothed, Curve{Ages: []float64{0, 1, 1.1}, Scores: []float64{1, 2, 2}, Begins: make([]bool, 3)}, 0, 1},
	} {
		if test.curve.Begins == nil {
			test.curve.Begins = make([]bool, len(test.curve.Scores))
		}
		point, value := test.rule.Choose(&test.curve)
		if near := math.Abs(value-test.value) < 1e-4*math.Abs(test.value) || value == test.value || math.IsNaN(value) && math.IsNaN(test.value); point != test.point || !near {
			t.Errorf("%s: %d with %v, want %d with %v", test.name, point, value, test.point, test.value)
		}
	}
}

// TestSmoothedCountsAges holds the means against sums over many ages, and wants further points
// on the lines of a curve to change nothing.
func TestSmoothedCountsAges(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		c := Curve{}
		age := 0.1
		for k := range 12 {
			c.Ages, c.Scores = append(c.Ages, age), append(c.Scores, random.Float64())
			c.Begins = append(c.Begins, k == 0 || random.IntN(5) == 0)
			age *= 1 + 0.3*random.Float64()
		}
		dense, from := Curve{}, []int{} // and the place of c's points in it
		for k := range c.Ages {
			if k > 0 && !c.Begins[k] {
				for i := range 40 {
					s := float64(i+1) / 41
					dense.Ages = append(dense.Ages, c.Ages[k-1]*math.Pow(c.Ages[k]/c.Ages[k-1], s))
					dense.Scores, dense.Begins = append(dense.Scores, c.Scores[k-1]+s*(c.Scores[k]-c.Scores[k-1])), append(dense.Begins, false)
				}
			}
			from = append(from, len(dense.Ages))
			dense.Ages, dense.Scores, dense.Begins = append(dense.Ages, c.Ages[k]), append(dense.Scores, c.Scores[k]), append(dense.Begins, c.Begins[k])
		}
		means, denser := c.smoothed(), dense.smoothed()
		for k, at := range from {
			if math.Abs(means[k]-denser[at]) > 1e-12 {
				t.Errorf("point %d: %v, and %v with points between", k, means[k], denser[at])
			}
			const n = 4000
			sum, count := 0.0, 0
			for i := range n {
				x := math.Log(c.Ages[k]) + math.Log(Window)*(2*(float64(i)+0.5)/n-1)
				j := slices.IndexFunc(c.Ages, func(age float64) bool { return math.Log(age) > x })
				if j <= 0 || c.Begins[j] {
					continue
				}
				a, b := math.Log(c.Ages[j-1]), math.Log(c.Ages[j])
				sum += c.Scores[j-1] + (x-a)/(b-a)*(c.Scores[j]-c.Scores[j-1])
				count++
			}
			want := c.Scores[k]
			if count > 0 {
				want = sum / float64(count)
			}
			if math.Abs(means[k]-want) > 1e-3 {
				t.Errorf("point %d: %v, by a sum %v", k, means[k], want)
			}
		}
	}
}

// TestWords wants the words of a choice to name its rule and what its scores leave out.
func TestWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		Best.Words(0, "", 0): "smoothed", OneStandardError.Words(0.25, "", 0): "smoothed, trimmed 0.25",
		Smoothed.Words(0, "corrected", 5): "smoothed, corrected labels, 5 folds", Best.Words(0.5, "", 10): "smoothed, trimmed 0.5, 10 folds",
	} {
		if have := Smoothed.Instead(words); have != want {
			t.Errorf("smoothed instead of %q is %q, want %q", words, have, want)
		}
	}
	if rule := Of("one-standard-error, trimmed 0.5"); rule != OneStandardError {
		t.Errorf("the rule is %q", rule)
	}
}

// TestDown wants a path down to have the means of the same points upwards, and its own point for each
// rule: the smallest age of equals, the largest age within an error.
func TestDown(t *testing.T) {
	t.Parallel()
	ages, scores, begins := []float64{1, 1.1, 1.2, 1.2, 1.3, 1.5}, []float64{4, 2, 3, 1, 1, 5}, []bool{true, false, false, true, false, false}
	up, down := &Curve{}, &Curve{}
	for k := range ages {
		up.Add(ages[k], scores[k], 3, begins[k], false)
	}
	for k, age := range slices.Backward(ages) {
		down.Add(age, scores[k], 3, k == len(ages)-1 || begins[k+1], true)
	}
	both := &Curve{Down: len(ages)}
	both.Ages, both.Scores = append(slices.Clone(up.Ages), down.Ages...), append(slices.Clone(up.Scores), down.Scores...)
	both.Errors, both.Begins = append(slices.Clone(up.Errors), down.Errors...), append(slices.Clone(up.Begins), down.Begins...)
	means := up.smoothed()
	reverse := slices.Clone(means)
	slices.Reverse(reverse)
	if got := down.smoothed(); !slices.Equal(got, reverse) {
		t.Errorf("down %v, want %v", got, reverse)
	}
	if got := both.smoothed(); !slices.Equal(got, append(means, reverse...)) {
		t.Errorf("both %v, want %v and %v", got, means, reverse)
	}
	for rule, want := range map[Rule][3]int{Best: {3, 2, 3}, OneStandardError: {4, 1, 7}} {
		for k, c := range []*Curve{up, down, both} {
			if got, _ := rule.Choose(c); got != want[k] {
				t.Errorf("%s takes point %d of curve %d, want %d", rule, got, k, want[k])
			}
		}
	}
}
