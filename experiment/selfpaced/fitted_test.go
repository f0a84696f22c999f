package selfpaced

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

const fittedGrid = `
repeats: 1
rows: 100
regularizers: [hard, linear, {mixture: {gamma: 0.5}}, {log: {a: 1}}]
noise: [{kind: gaussian, levels: [0, 0.3]}]
sweeps:
  - data: [diabetes]
    models: [{lasso: {alpha: 0.01}}, {elastic-net: {alpha: 0.01}}, {ridge: {alpha: 0.1}}]
    methods: [original, acs, gaga]
  - data: [diabetes]
    models: [{lasso: {alpha: 0.01}}]
    regularizers: [linear]
    methods: [{mospl: {population: 10, generations: 10}}, huber-lasso, {sparse-lts: {starts: 5}}, {rlssvm: {kernel: [linear, scale], starts: 5}}, {relssvm: {kernel: [linear, 0.05]}}, acs-share]
  - data: [diabetes]
    models: [{erm: {loss: [{quantile: {q: 0.25}}, absolute], c: 1}}]
    methods: [original]
  - data: [breast_cancer]
    noise: [{kind: flip, levels: [0, 0.2]}]
    regularizers: [linear]
    models: [{svm: {c: 1, kernel: [linear, rbf]}}, {logistic: {c: 0.3}}]
    methods: [original, acs, gaga]
  - data: [breast_cancer]
    noise: [{kind: flip, levels: [0, 0.2]}]
    models: [{svm: {c: 1, kernel: [linear, rbf]}}]
    methods: [robust-svm]
`

// predictRow is the formula of [experiment.FittedModel].
func predictRow(m *experiment.FittedModel, x []float64) float64 {
	u := m.Intercept
	for j, w := range m.Coefficients {
		u += w * x[j]
	}
	if m.Kernel == nil {
		return u
	}
	for i, s := range m.Kernel.Support {
		exponent := 0.0
		for j := range s {
			exponent += m.Kernel.Gamma[j] * (x[j] - s[j]) * (x[j] - s[j])
		}
		u += m.Kernel.Coefficients[i] * math.Exp(-exponent)
	}
	return u
}

// TestFittedModels predicts the test rows as the data set has them by the model of a cell, read
// from its JSON, and compares with what the cell's own solution predicts for scaled rows. Rows that
// are out are counted against the knot.
func TestFittedModels(t *testing.T) {
	t.Parallel()
	grid, err := experiment.Parse([]byte(fittedGrid), "grid.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	kernels, out := 0, 0
	for task, err := range plan.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		c, err := compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		name := string(c.cell.Canonical())
		fitted, err := fitModel(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(name, err)
		}
		data, err := json.Marshal(fitted)
		if err != nil {
			t.Fatal(err)
		}
		m := new(experiment.FittedModel)
		if err := json.Unmarshal(data, m); err != nil {
			t.Fatal(err)
		}
		knot := &c.scores.of.Knots[c.scores.bestValidation]
		predictor, err := c.scores.of.predictor(&c.prepared.Test)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, c.prepared.Test.N)
		predictor.Predict(want, knot.Theta)
		for i, row := range m.TestRows {
			got := predictRow(m, c.set.X[row*c.set.D:(row+1)*c.set.D])
			if u := (got - m.TargetShift) / m.TargetScale; !(math.Abs(u-want[i]) <= 1e-12*max(1, math.Abs(want[i]))) {
				t.Errorf("%s: row %d: %v, the cell predicts %v", name, row, u, want[i])
				break
			}
		}
		if m.Kernel != nil {
			kernels++
		}
		measures, _, err := c.scores.tables(&task)
		if err != nil {
			t.Fatal(err)
		}
		if number(t, measures, "test_at_best_validation") != m.Test || len(m.Train.Row) != c.prepared.Train.N {
			t.Errorf("%s: score %v, %d rows", name, m.Test, len(m.Train.Row))
		}
		checkNoisy(t, c, m)
		weights := m.Train.Weight
		if weights == nil {
			continue
		}
		least := slices.Min(weights)
		if info, _ := c.cell.Method.info(); info.aged && c.cell.Method.Regularizer.Name != LOG {
			zero := 0
			for _, v := range weights {
				if v == 0 {
					zero++
				}
			}
			out += zero
			at := 0 // an event has a sample at a threshold, with weight 0 on either side
			if knot.Index >= 0 {
				at = 1
			}
			if zero < knot.Discarded || zero > knot.Discarded+at {
				t.Errorf("%s: %d rows are out, the knot says %d", name, zero, knot.Discarded)
			}
		}
		if least < 0 || slices.Max(weights) > 1 {
			t.Errorf("%s: weights from %v to %v", name, least, slices.Max(weights))
		}
	}
	if kernels < 4 || out == 0 {
		t.Errorf("%d models with kernels, %d rows out", kernels, out)
	}
}

// checkNoisy wants the training rows that are not called noisy to be those of the data set, and the
// others not.
func checkNoisy(t *testing.T, c *computed, m *experiment.FittedModel) {
	t.Helper()
	for i, row := range m.Train.Row {
		y := c.prepared.Train.Y[i]*m.TargetScale + m.TargetShift
		if changed := math.Abs(y-c.set.Y[row]) > 1e-9*math.Abs(y); changed != m.Train.Noisy[i] {
			t.Errorf("row %d: noisy %t, the target is %v, that of the data %v", row, m.Train.Noisy[i], y, c.set.Y[row])
		}
	}
}
