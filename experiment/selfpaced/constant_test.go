package selfpaced

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// constantCell computes the only cell of the constant in a grid.
func constantCell(t *testing.T, text string) (measures experiment.Batch, further map[string]experiment.Batch, prepared *dataset.Prepared) {
	t.Helper()
	grid, err := experiment.Parse([]byte(text), "grid.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for task, err := range plan.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(task.Needs, constantMethod.need()) {
			continue
		}
		found++
		if err := (Kind{}).Check(&task); err != nil {
			t.Error(err)
		}
		if measures, further, err = (Kind{}).Compute(t.Context(), &task, plan); err != nil {
			t.Fatal(err)
		}
		_, prepared = prepare(t, plan, &task)
	}
	if found != 1 {
		t.Fatalf("%d cells of the constant in\n%s", found, text)
	}
	return measures, further, prepared
}

// trainingTargets returns them with a merged row as often as it was met, rising.
func trainingTargets(part *dataset.Part) []float64 {
	var list []float64
	for i, y := range part.Y {
		n := 1
		if part.Multiplicity != nil {
			n = int(part.Multiplicity[i])
		}
		list = append(list, slices.Repeat([]float64{y}, n)...)
	}
	slices.Sort(list)
	return list
}

// TestConstantRegression computes the constant's scores from the parts of the data. The
// validation part and the test part each choose between median and mean; what the path is at
// its end is the mean.
func TestConstantRegression(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{
		"choose: {trimmed: 0}\n", "protocol: paper\n", "protocol: scripts\n", "split: {train: 2, test: 1, validation: 0}\n", "seed: 3\nchoose: {trimmed: 0}\n", "seed: 4\nscale: {target: standard}\nchoose: {trimmed: 0}\n",
	} {
		measures, further, prepared := constantCell(t, keys+`
data: [diabetes]
noise: [{kind: gaussian, levels: [0.3]}]
models: [{lasso: {alpha: [0.01, 0.1], intercept: [true, false]}}, {ridge: {alpha: 1}}]
regularizers: [linear, hard]
methods: [original, gaga]
keep: {coefficients: true}
`)
		targets := trainingTargets(&prepared.Train)
		n, mean := len(targets), 0.0
		for _, y := range targets {
			mean += y / float64(n)
		}
		constants := []float64{(targets[(n-1)/2] + targets[n/2]) / 2, mean}
		errorOf := func(part *dataset.Part, u float64) float64 {
			squares, absolute := 0.0, 0.0
			for _, y := range part.Y {
				squares += (y - u) * (y - u) / float64(part.N)
				absolute += math.Abs(y-u) / float64(part.N)
			}
			if strings.Contains(keys, "scripts") {
				return absolute
			}
			return math.Sqrt(squares)
		}
		var test, validation []float64
		for k, u := range constants {
			test = append(test, errorOf(&prepared.Test, u))
			validation = append(validation, errorOf(&prepared.Validation, u))
			theta := further["coefficients"].Columns[1].Lists[k]
			if got := theta[prepared.Train.D]; math.Abs(got-u) > 1e-12 || slices.ContainsFunc(theta[:prepared.Train.D], func(w float64) bool { return w != 0 }) {
				t.Errorf("%s: constant %d is %v, want %v", keys, k, theta, u)
			}
		}
		want := map[string]float64{"test_at_best_test": slices.Min(test), "test_at_end": test[1], "knots": 2}
		if prepared.Validation.N > 0 {
			want["test_at_best_validation"] = test[argmin(validation)]
		}
		for name, x := range want {
			if got := number(t, measures, name); math.Abs(got-x) > 1e-12 {
				t.Errorf("%s: %s is %v, want %v", keys, name, got, x)
			}
		}
	}
}

// TestConstantOfTiedTargets has targets of which 60 % are 0. The plain metric of the validation part
// takes the mean, the likelihood of a mixture the median, on which the tied rows are exact; it
// decides where contamination is known.
func TestConstantOfTiedTargets(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	text.WriteString("x,ok,y\n")
	for i := range 200 {
		fmt.Fprintf(&text, "%d,%d,%g\n", i, i%5, math.Max(0, random.NormFloat64()-0.25))
	}
	path := filepath.Join(t.TempDir(), "tied.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for keys, knot := range map[string]int{
		"drop: ok}]\n": 1,
		"drop: ok}]\nnoise: [{kind: gaussian, levels: [0.01]}]\n": 0,
		"clean: {column: ok, values: [0, 1]}}]\n":                 0,
	} {
		measures, further, _ := constantCell(t, "models: [{lasso: {alpha: 0.1}}]\nmethods: [original]\ndata: [{path: "+path+", "+keys)
		scores := further["knots"].Columns[slices.IndexFunc(knotFields, func(f experiment.Field[*scoredKnot]) bool { return f.Name == "test_score" })].Floats
		if got := number(t, measures, "test_at_best_validation"); got != scores[knot] || scores[0] == scores[1] {
			t.Errorf("%s: %v is chosen of median and mean, %v", keys, got, scores)
		}
	}
}

// TestConstantClassification wants the label of most training rows, flips counted.
func TestConstantClassification(t *testing.T) {
	t.Parallel()
	for seed := range 4 {
		measures, further, prepared := constantCell(t, fmt.Sprintf(`
keep: {coefficients: true}
seed: %d
data: [breast_cancer]
noise: [{kind: flip, levels: [0.45]}]
models: [{logistic: {c: 1}}, {svm: {c: 1, kernel: [linear, rbf]}}, {erm: {loss: hinge, c: 1}}]
methods: [original]
`, seed))
		votes := 0.0
		for _, y := range trainingTargets(&prepared.Train) {
			votes += y
		}
		n := float64(len(trainingTargets(&prepared.Train)))
		odds := further["coefficients"].Columns[1].Lists[0][prepared.Train.D]
		if p := 1 / (1 + math.Exp(-odds)); math.Abs(p-(n+votes)/(2*n)) > 1e-12 {
			t.Errorf("seed %d: probability %v of the positive class, want %v", seed, p, (n+votes)/(2*n))
		}
		right := 0.0
		for _, y := range prepared.Test.Y {
			if votes*y > 0 {
				right += 1 / float64(prepared.Test.N)
			}
		}
		if got := number(t, measures, "test_at_best_validation"); math.Abs(got-right) > 1e-12 {
			t.Errorf("seed %d: accuracy %v, want %v", seed, got, right)
		}
	}
}

// TestWeightedMedian compares with the median of the rows before they were merged.
func TestWeightedMedian(t *testing.T) {
	t.Parallel()
	for _, part := range []dataset.Part{
		{N: 1, Y: []float64{5}},
		{N: 2, Y: []float64{5, 1}},
		{N: 3, Y: []float64{5, 1, 2}, Multiplicity: []float64{1, 1, 1}},
		{N: 3, Y: []float64{5, 1, 2}, Multiplicity: []float64{3, 1, 1}},
		{N: 3, Y: []float64{5, 1, 2}, Multiplicity: []float64{2, 1, 1}},
		{N: 4, Y: []float64{4, 4, 1, 9}, Multiplicity: []float64{2, 3, 4, 1}},
	} {
		list := trainingTargets(&part)
		want := (list[(len(list)-1)/2] + list[len(list)/2]) / 2
		if got := weightedMedian(&part); got != want {
			t.Errorf("%v: median %v, want %v", part, got, want)
		}
	}
}

// TestConstantIsEverywhere: a grid that lists the constant has the cells and the name of one
// that does not; alone it is nothing to compare.
func TestConstantIsEverywhere(t *testing.T) {
	t.Parallel()
	plain, listed := mustPlan(t, mixed), mustPlan(t, mixed, "methods=[original, constant, acs, gaga]")
	if a, b := slices.Sorted(plain.IDs()), slices.Sorted(listed.IDs()); !slices.Equal(a, b) || plain.Run != listed.Run {
		t.Errorf("%d cells of %s, %d of %s", len(a), plain.Run, len(b), listed.Run)
	}
	places := map[string]int{}
	for cell := range cellsOf(plain) {
		if cell.Method.Name == Constant {
			places[fmt.Sprint(cell.Data.Name, cell.Settings.Noise, cell.Repeat)]++
		}
	}
	if len(places) != mixedConstants || slices.Max(slices.Collect(maps.Values(places))) != 1 {
		t.Errorf("cells of the constant: %v", places)
	}
	_, err := experiment.Parse([]byte(strings.Replace(base, "[original, acs, gaga]", "[constant]", 1)), "bad.yaml", nil)
	checkProblem(t, err, "bad.yaml:9: methods: ", "computed without being asked for")
}
