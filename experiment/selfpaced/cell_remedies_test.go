package selfpaced

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
)

// TestRemediesOfCells computes cells that fail, and again with each remedy that the failure names.
func TestRemediesOfCells(t *testing.T) {
	t.Parallel()
	// set has rows whose features and targets are multiples of small numbers.
	set := func(n int, task dataset.Task, x, y float64) *dataset.Dataset {
		random := rand.New(rand.NewPCG(5, uint64(n)))
		d := &dataset.Dataset{Name: "diabetes", Task: task, N: n, D: 2, Features: []string{"a", "b"}}
		for i := range n {
			a, b := random.NormFloat64(), random.NormFloat64()
			d.X = append(d.X, x*a, x*b)
			if task == dataset.Classification {
				d.Y = append(d.Y, float64(2*(i%2)-1))
			} else {
				d.Y = append(d.Y, y*(a-b+random.NormFloat64()))
			}
		}
		return d
	}
	level := set(40, dataset.Regression, 1, 1)
	for i := range level.Y {
		if level.Y[i] = 1; i%9 == 4 {
			level.Y[i] = 2
		}
	}
	for name, c := range map[string]struct {
		set   *dataset.Dataset
		text  string
		says  string
		mends [][]string // a remedy in words of the failure, with what it replaces in the grid
	}{
		"every row is out": {set(60, dataset.Regression, 1, 1e6), "models: [{ridge: {alpha: 0.1}}]\nregularizers: [hard]\nmethods: [acs]\nage: {min: 0.1, max: 20}\nscale: {target: none}\n", "smallest loss",
			[][]string{{"raise age.max", "max: 20", "max: 1e14, acs_step: 1e12"}, {"or scale the target", "target: none", "target: minmax"}}},
		"fewer rows than folds": {set(12, dataset.Regression, 1, 1), "models: [{ridge: {alpha: 0.1}}]\nmethods: [original]\nchoose: {folds: 40}\n", "40 folds of ",
			[][]string{{"give choose.folds at most as many", "folds: 40", "folds: 4"}}},
		"targets of one value": {level, "models: [{ridge: {alpha: 0.1}}]\nmethods: [original]\nmetric: r2\nsplit: {train: 30, test: 1, validation: 0.1}\n", "held-out rows is undefined",
			[][]string{{"use another metric", "metric: r2", "metric: rmse"}, {"or larger parts", "test: 1, validation: 0.1", "test: 30, validation: 0.5"}}},
		"a width without end": {set(60, dataset.Classification, 1e-159, 1), "models: [{svm: {c: 1, kernel: rbf, kernel_gamma: scale}}]\nmethods: [original]\nscale: {features: none}\nchoose: {labels: given}\n", "the kernel width γ = scale",
			[][]string{{"scale the features", "features: none", "features: standard"}, {"or give kernel_gamma a number", "kernel_gamma: scale", "kernel_gamma: 0.5"}}},
		"a width of labels": {set(60, dataset.Classification, 1e-159, 1), "models: [{logistic: {c: 1}}]\nmethods: [original]\nscale: {features: none}\n", "the kernel width γ = scale",
			[][]string{{"scale the features", "features: none", "features: standard"}, {"or take choose: {labels: given}", "methods:", "choose: {labels: given}\nmethods:"}}},
		"a width of a method": {set(60, dataset.Classification, 1e-159, 1), "models: [{svm: {c: 1}}]\nmethods: [{relssvm: {kernel: scale}}]\nscale: {features: none}\nchoose: {labels: given}\n", "the kernel width γ = scale",
			[][]string{{"scale the features", "features: none", "features: standard"}, {"or give the setting kernel a number", "kernel: scale", "kernel: 0.5"}}},
	} {
		compute := func(text string) error {
			plan, tasks := tasksOn(t, c.set, text)
			_, _, err := Kind{}.Compute(t.Context(), &tasks[0], plan)
			return err
		}
		failed := compute(c.text)
		if failed == nil || !strings.Contains(failed.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, failed, c.says)
			continue
		}
		for _, m := range c.mends {
			mended := strings.Replace(c.text, m[1], m[2], 1)
			if err := compute(mended); err != nil || mended == c.text || !strings.Contains(failed.Error(), m[0]) {
				t.Errorf("%s: the remedy %q of %q gives %v", name, m, failed, err)
			}
		}
	}
}
