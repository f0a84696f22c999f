package selfpaced

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestOneAlternation compares the coefficients of acs-once on ridge regression with weighted
// normal equations that are solved once at each age.
func TestOneAlternation(t *testing.T) {
	t.Parallel()
	const alpha = 0.5
	tasks, plan := firstTasks(t, `
name: once
repeats: 1
data: [diabetes]
noise: [{kind: gaussian, levels: [0.3]}]
models: [{ridge: {alpha: 0.5, intercept: false}}]
regularizers: [linear]
methods: [acs-once]
age: {min: 0.4, max: 2, acs_step: 0.4}
keep: {knots: true, coefficients: true}
`)
	_, further, err := Kind{}.Compute(t.Context(), &tasks[0], plan)
	if err != nil {
		t.Fatal(err)
	}
	_, prepared := prepare(t, plan, &tasks[0])
	train := &prepared.Train
	fit := func(weight func(i int) float64) *mat.VecDense {
		normal, right := mat.NewSymDense(train.D, nil), mat.NewVecDense(train.D, nil)
		for j := range train.D {
			normal.SetSym(j, j, alpha)
		}
		for i := range train.N {
			row := mat.NewVecDense(train.D, train.X[i*train.D:(i+1)*train.D])
			normal.SymRankOne(normal, weight(i), row)
			right.AddScaledVec(right, weight(i)*train.Y[i], row)
		}
		w := mat.NewVecDense(train.D, nil)
		if err := w.SolveVec(normal, right); err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := fit(func(int) float64 { return 1 })
	knots, coefficients := further["knots"], further["coefficients"].Columns[1].Lists
	if knots.Rows != 5 {
		t.Fatalf("%d knots, want 5", knots.Rows)
	}
	for k, age := range []float64{0.4, 0.8, 1.2, 1.6, 2} {
		last := w
		w = fit(func(i int) float64 {
			r := train.Y[i] - mat.Dot(last, mat.NewVecDense(train.D, train.X[i*train.D:(i+1)*train.D]))
			return max(0, 1-r*r/age)
		})
		for j := range train.D {
			if got := coefficients[k][j]; math.Abs(got-w.AtVec(j)) > 1e-9 {
				t.Errorf("age %g, coefficient %d: %g, want %g", age, j, got, w.AtVec(j))
			}
		}
	}
}

// TestShares wants acs-share to go from the easy half to the plain fit, and to be it where all
// samples are in from the start.
func TestShares(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, `
name: shares
repeats: 1
data: [diabetes]
noise: [{kind: gaussian, levels: [0.3]}]
models: [{lasso: {alpha: 0.003}}]
regularizers: [hard]
methods: [original, {acs-share: {start: [0.5, 1], growth: 0.25}}]
keep: {knots: true, coefficients: true}
`)
	fits := map[string][][]float64{}
	for _, task := range tasks {
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		cell, err := DecodeCell(task.Spec)
		if err != nil {
			t.Fatal(err)
		}
		settings := columnOf(labelColumns, &task.Labels, "method_params").Texts[0]
		fits[settings] = further["coefficients"].Columns[1].Lists
		if cell.Method.Name != ACSShare {
			continue
		}
		if status := columnOf(measureColumns, &measures, "path_status").Texts[0]; !strings.HasPrefix(status, "complete") {
			t.Errorf("%s: %s", settings, status)
		}
		knots := further["knots"]
		out := columnOf(furtherTables[0].Columns[1:], &knots, "discarded").Ints
		if first := settings == `{"start":0.5,"growth":0.25}`; (out[0] > 0) != first || out[len(out)-1] != 0 {
			t.Errorf("%s: samples that are out: %v", settings, out)
		}
	}
	plain := fits[""][0]
	for _, path := range [][][]float64{fits[`{"start":0.5,"growth":0.25}`], fits[`{"start":1,"growth":0.25}`]} {
		if len(path) == 0 || !floats.EqualApprox(path[len(path)-1], plain, 1e-9) {
			t.Errorf("a path ends with %v, the plain fit is %v", path, plain)
		}
	}
}
