package selfpaced

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// testFiles loads files as they are, and makes other data sets.
type testFiles struct{ testLibrary }

func (l testFiles) Load(ctx context.Context, s dataset.Source) (*dataset.Dataset, error) {
	if s.Path == "" {
		return l.testLibrary.Load(ctx, s)
	}
	return (&dataset.Library{}).Load(ctx, s)
}

// TestPlannedRemedies tries the remedies that problems of a plan name, as other texts in a grid's place.
func TestPlannedRemedies(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, head string, columns ...func(i int) any) {
		text := head + "\n"
		for i := range 48 {
			var fields []string
			for _, column := range columns {
				fields = append(fields, fmt.Sprint(column(i)))
			}
			text += strings.Join(fields, ",") + "\n"
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	number := func(i int) any { return float64(i*7%31) / 8 }
	write("two.csv", "a,b,y", number, func(i int) any { return i % 5 }, func(i int) any { return 3 + i%2 })
	write("three.csv", "a,b,y", number, func(i int) any { return i % 5 }, func(i int) any { return i % 3 })
	write("parts.csv", "a,b,part,y", number, func(i int) any { return i % 7 }, func(i int) any { return []string{"train", "train", "validation", "test"}[i%4] }, func(i int) any { return i * i % 37 })
	good := strings.ReplaceAll(base, "diabetes", "r1")
	const (
		lasso = "{lasso: {alpha: [0.1, 0.2]}}"
		ages  = "{min: 0.1, max: 20, acs_step: 0.5}"
		split = "split: {train: 3, test: 1, validation: 0.2}"
		some  = "[original, acs, gaga]"
		terms = "[linear, {mixture: {gamma: [0.2]}}]"
	)
	for _, test := range []struct {
		name  string
		bad   []string // pairs: what is replaced in the grid
		says  string
		mends [][]string // each a remedy in words of the problem, with pairs that replace what bad has made
	}{
		{"a model of the other task", []string{lasso, "{svm: {c: 1}}"}, "allowed there are lasso, elastic-net, ridge, erm",
			[][]string{{"lasso", "svm: {c: 1}", "lasso: {alpha: 1}"}, {"elastic-net", "svm: {c: 1}", "elastic-net: {alpha: 1}"}, {"ridge", "svm: {c: 1}", "ridge: {alpha: 1}"}}},
		{"models of both tasks", []string{"models: [" + lasso + "]\n", "", "data: [r1]\n", "", "[{kind: gaussian, levels: [0, 0.3]}]", "none", "repeats: 2", "repeats: 2\nsweeps: [{data: [r1, c1], models: [{lasso: {alpha: 1}}]}]"},
			"sweeps hold models of both tasks in one grid", [][]string{{"sweeps", "[{data: [r1, c1], models: [{lasso: {alpha: 1}}]}]", "[{data: [r1], models: [{lasso: {alpha: 1}}]}, {data: [c1], models: [{svm: {c: 1}}]}]"}}},
		{"two numbers as classes", []string{"[r1]", "[{path: two.csv}]", "levels: [0, 0.3]", "levels: 0"}, "takes them as such", [][]string{{"task: regression in its entry", "two.csv", "two.csv, task: regression"}}},
		{"three numbers as a regression", []string{"[r1]", "[{path: three.csv}]", lasso, "{svm: {c: 1}}", "levels: [0, 0.3]", "levels: 0"}, "its target has the 3 values 0, 1, 2",
			[][]string{{"classes: {positive: [2]}", "three.csv", "three.csv, classes: {positive: [2]}"}}},
		{"noise of the other task", []string{"gaussian", "flip"}, "allowed there are gaussian, gaussian-target", [][]string{{"gaussian", "flip", "gaussian"}, {"statp", "flip", "statp"}}},
		{"ages of a command that takes no model", []string{some, "[original, {command: {name: m, run: [sh], uses: [age]}}]", ages, "auto"}, "give ages", [][]string{{"age: {min: 0.1, max: 20}", "age: auto", "age: {min: 0.1, max: 20}"}}},
		{"a log loss without probabilities", []string{"[r1]", "[c1]", lasso, "{svm: {c: 1}}", "gaussian", "flip", "repeats: 2", "repeats: 2\nmetric: log-loss"}, "has no probabilities",
			[][]string{{"use the model logistic", "svm: {c: 1}", "logistic: {c: 1}"}, {"another metric", "log-loss", "accuracy"}}},
		{"a method of another model", []string{"[r1]", "[c1]", lasso, "{logistic: {c: 1}}", "gaussian", "flip", some, "[robust-svm]"}, "not for the model logistic, for which there are",
			[][]string{{"gaga", "[robust-svm]", "[gaga]"}, {"original", "[robust-svm]", "[original]"}, {"acs", "[robust-svm]", "[acs]"}}},
		{"a regularizer that a method does not know", []string{some, "[gaga, mospl]", terms, "[linear, {log: {a: 1.5}}]"}, "not log",
			[][]string{{"knows the regularizers hard, linear", ", {log: {a: 1.5}}]", ", hard]"}, {"sweeps hold several lists", "methods: [gaga, mospl]\n", "", "regularizers: [linear, {log: {a: 1.5}}]", "sweeps: [{methods: [gaga], regularizers: [{log: {a: 1.5}}]}, {methods: [mospl], regularizers: [linear]}]"}}},
		{"a name of two data sets", []string{"[r1]", "[{path: two.csv, name: x, task: regression}, {path: three.csv, name: x}]"}, "another data set of the grid has the name x too", [][]string{{"give one of them another name", "three.csv, name: x", "three.csv, name: z"}}},
		{"two names of a data set", []string{"[r1]", "[r1, rr1]"}, "holds the same numbers as r1", [][]string{{"use one name for both", ", rr1]", "]"}}},
		{"all rows and their number", []string{some + "\n", "[acs]\nsweeps: [{}, {rows: 40}]\n"}, "rows: 40 is the whole data set", [][]string{{"drop one of the two", "[{}, {rows: 40}]", "[{rows: 40}]"}, {"", "[{}, {rows: 40}]", "[{}]"}}},
		{"repeats of an own split", []string{"[r1]", "[{path: parts.csv}]", split, "split: {column: part}"}, "differ in nothing but the seeds of methods",
			[][]string{{"give repeats: 1", "repeats: 2", "repeats: 1"}, {"or noise above level 0 alone", "levels: [0, 0.3]", "levels: [0.3]"}}},
		{"a feature that is not there", []string{lasso, "{erm: {loss: huber, c: 1, constraint: {fairness: {columns: [aa], tolerance: 1}}}}", some, "[original]"}, "allowed are names and indexes from 0 to 1",
			[][]string{{"names", "[aa]", "[a]"}, {"indexes from 0 to 1", "[aa]", "[0]"}, {"", "[aa]", "[1]"}}},
		{"too many cells", []string{split, "split: {validation: 0}", "repeats: 2", "repeats: 1000000", lasso, "{lasso: {alpha: {from: 1, to: 9000, step: 1}}}"}, "at most 1000000000 are allowed", [][]string{{"", "1000000", "100"}}},
		{"too many entries", []string{"[original, acs, gaga]", "[original, acs, gaga]\nsweeps: [{models: [" + strings.Repeat("{lasso: {alpha: 1}}, ", 1700) + "{lasso: {alpha: 2}}]}]", "models: [" + lasso + "]\n", ""}, "put values into lists of one entry",
			[][]string{{"", strings.Repeat("{lasso: {alpha: 1}}, ", 1700) + "{lasso: {alpha: 2}}", "{lasso: {alpha: [1, 2]}}"}}},
		{"a metric of the other task", []string{"repeats: 2", "repeats: 2\nmetric: accuracy"}, "has no effect: accuracy is for classification", [][]string{{"", "\nmetric: accuracy", ""}}},
	} {
		replaced := func(text string, pairs []string) string {
			for i := 0; i+1 < len(pairs); i += 2 {
				if !strings.Contains(text, pairs[i]) {
					t.Fatalf("%s: there is no %q in\n%s", test.name, pairs[i], text)
				}
				text = strings.Replace(text, pairs[i], pairs[i+1], 1)
			}
			return text
		}
		plan := func(text string) error {
			g, err := experiment.Parse([]byte(text), filepath.Join(folder, "bad.yaml"), nil)
			if err == nil {
				_, err = g.Plan(t.Context(), testFiles{})
			}
			return err
		}
		bad := replaced(good, test.bad)
		problem := plan(bad)
		if problem == nil || !strings.Contains(problem.Error(), test.says) {
			t.Errorf("%s: %v, want %q", test.name, problem, test.says)
			continue
		}
		for _, m := range test.mends {
			if err := plan(replaced(bad, m[1:])); err != nil || !strings.Contains(problem.Error(), m[0]) {
				t.Errorf("%s: the remedy %q, which is to be in %q, leaves %v", test.name, m, problem, err)
			}
		}
	}
}
