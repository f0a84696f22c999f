package selfpaced

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

const ermGrid = `
name: erm
repeats: 2
data: [diabetes]
models:
  - erm:
      loss: [{quantile: {q: [0.25, 0.5]}}, huber, absolute]
      c: [1, 10]
      l1_ratio: [0, 0.5]
      constraint: [none, nonnegative, {fairness: {columns: [sex, 0], tolerance: [0.01, 0.1]}}]
  - ridge: {alpha: [1]}
methods: [original]
`

func ermPlan(t *testing.T, grid string) (*experiment.Plan, error) {
	t.Helper()
	g, err := experiment.Parse([]byte(grid), "erm.yaml", nil)
	if err != nil {
		return nil, err
	}
	return g.Plan(context.Background(), &dataset.Library{})
}

// TestERMPlan counts, labels and decodes the cells of a grid.
func TestERMPlan(t *testing.T) {
	t.Parallel()
	p, err := ermPlan(t, ermGrid)
	if err != nil {
		t.Fatal(err)
	}
	const want = 2 * (4*2*2*4 + 1 + 1) // repeats, losses, costs, ratios, constraints, the ridge and the constant
	if p.Count() != want {
		t.Errorf("%d cells, want %d", p.Count(), want)
	}
	ids, texts := map[string]bool{}, map[string]int{}
	for task, err := range p.Queue() {
		if err != nil {
			t.Fatal(err)
		}
		ids[task.Cell] = true
		cell, err := DecodeCell(task.Spec)
		if err != nil {
			t.Fatal(err)
		}
		if cell.ID() != task.Cell {
			t.Errorf("cell %s decodes to %s", task.Cell, cell.ID())
		}
		row := map[string]any{}
		for j, column := range labelColumns {
			row[column.Name] = task.Labels.At(column, j, 0)
		}
		for _, name := range []string{"loss", "constraint"} {
			text, _ := row[name].(string)
			texts[text]++
		}
	}
	if len(ids) != want {
		t.Errorf("%d cells differ, want %d", len(ids), want)
	}
	for text, count := range map[string]int{
		`{"quantile":{"q":0.25}}`: 32, `{"quantile":{"q":0.5}}`: 32, `{"huber":{"delta":0.2}}`: 32, "absolute": 32,
		"nonnegative": 32, `{"fairness":{"columns":"0,1","tolerance":0.01}}`: 32, `{"fairness":{"columns":"0,1","tolerance":0.1}}`: 32,
	} {
		if texts[text] != count {
			t.Errorf("%d cells have %s, want %d", texts[text], text, count)
		}
	}
}

// TestERMIdentity: names and indexes of columns, and the order of lists, make
// the same cells and the same run.
func TestERMIdentity(t *testing.T) {
	t.Parallel()
	p, err := ermPlan(t, ermGrid)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ermPlan(t, strings.NewReplacer("[sex, 0]", "[1, age]", "[0.25, 0.5]", "[0.5, 0.25]", "[1, 10]", "[10, 1]").Replace(ermGrid))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for id := range p.IDs() {
		ids[id] = true
	}
	for id := range other.IDs() {
		if !ids[id] {
			t.Fatalf("cell %s is in one grid only", id)
		}
	}
	if p.Run != other.Run {
		t.Errorf("runs %s and %s of the same cells", p.Run, other.Run)
	}
	changed, err := ermPlan(t, strings.Replace(ermGrid, "tolerance: [0.01, 0.1]", "tolerance: [0.01, 0.2]", 1))
	if err != nil {
		t.Fatal(err)
	}
	if p.Run == changed.Run {
		t.Error("another tolerance makes the same run")
	}
	// The canonical form is a contract: it must not change.
	cell := Cell{Model: Model{Name: ERM, C: 2, Intercept: true, Loss: Term{Name: "absolute"},
		Constraint: Term{"sum", gridfile.Settings{{Name: "total", Number: 1}}}}}
	const form = `"model":{"name":"erm","c":2,"intercept":true,"loss":{"name":"absolute"},"constraint":{"name":"sum","settings":{"total":1}}}`
	if got := string(cell.Canonical()); !strings.Contains(got, form) {
		t.Errorf("canonical form %s, want %s in it", got, form)
	}
}

func TestERMErrors(t *testing.T) {
	t.Parallel()
	const loss = "[{quantile: {q: [0.25, 0.5]}}, huber, absolute]"
	for _, test := range []struct{ from, to, want string }{
		{loss, "logistic", `"logistic" is unknown; allowed are hinge,`},
		{"      loss: " + loss + "\n", "", "the key loss is missing"},
		{loss, "{quantile: {q: [0.25, 1]}}", "a number > 0 and < 1"},
		{loss, "{quantile: {tau: 0.5}}", "unknown key; allowed are q"},
		{loss, "{absolute: {q: 0.5}}", "absolute has no parameters"},
		{loss, "[huber, {huber: {delta: 1}}]", "the loss huber is given twice"},
		{loss, "[hinge]", "erm with the loss hinge is a model for classification, but the data set diabetes is for regression"},
		{"[0, 0.5]", "[0, 1]", "a number from 0 to below 1"},
		{"      c: [1, 10]\n", "", "the key c is missing"},
		{"[sex, 0]", "[sex, 10]", `there is no feature "10"; allowed are names and indexes from 0 to 9`},
		{"[sex, 0]", "[sxe, 0]", `there is no feature "sxe"; allowed are names and indexes from 0 to 9; did you mean sex?`},
		{"[sex, 0]", "[sex, 1]", `the feature "sex" is given twice`},
		{"columns: [sex, 0], ", "", "the key columns is missing"},
		{"[none, nonnegative,", "[none, positive,", `"positive" is unknown; allowed are nonnegative, box`},
		{"[none, nonnegative,", "[none, {box: {lower: 1, upper: 0}},", "the lower bound 1 is above the upper bound 0"},
		{"[none, nonnegative,", "[none, {monotone: {direction: up}},", "allowed are increasing, decreasing"},
		{"[none, nonnegative,", "[nonnegative, nonnegative,", "the constraint nonnegative is given twice"},
		{"methods: [original]", "methods: [gaga]\nregularizers: [hard]", "gaga is a method for lasso, elastic-net, "},
		{"methods: [original]", "methods: [acs]\nregularizers: [hard]", "not for the model erm"},
		{"methods: [original]", "methods: [huber-lasso]", "not for the model erm"},
	} {
		_, err := ermPlan(t, strings.Replace(ermGrid, test.from, test.to, 1))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %s", test.to, err, test.want)
		}
	}
	for _, model := range []Model{
		{Name: ERM, C: 1}, {Name: ERM, C: 1, Loss: Term{Name: "hinge"}}, {Name: Lasso, Alpha: 1, Loss: Term{Name: "absolute"}},
		{Name: ERM, C: 1, Loss: Term{Name: "quantile"}}, {Name: ERM, C: 1, Loss: Term{Name: "absolute"}, Constraint: Term{Name: "round"}},
		{Name: ERM, C: 1, Loss: Term{Name: "absolute"}, Constraint: Term{fairness, gridfile.Settings{{Name: "columns", Word: "1,0"}, {Name: "tolerance"}}}},
	} {
		cell := Cell{Data: CellData{Task: dataset.Regression}, Model: model, Method: Method{Name: Original, Algorithm: originalMethod.algorithm}}
		if _, err := DecodeCell(cell.Canonical()); err == nil {
			t.Errorf("%+v is decoded", model)
		}
	}
}

// ermFit fits the first cell of a grid.
func ermFit(t *testing.T, data, model string) (*Cell, *dataset.Prepared, []float64, *scores) {
	t.Helper()
	p, err := ermPlan(t, "data: ["+data+"]\nmodels: ["+model+"]\nmethods: [original]\n")
	if err != nil {
		t.Fatal(err)
	}
	for cell := range cellsOf(p) {
		set, err := p.Dataset(context.Background(), cell.Data.Digest)
		if err != nil {
			t.Fatal(err)
		}
		prepared, err := cell.Prepare(context.Background(), set)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := cell.fitOver(context.Background(), prepared, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if fitted.Knots[0].KKT > ermTolerance {
			t.Errorf("%s: gap %g", model, fitted.Knots[0].KKT)
		}
		s, err := fitted.score(&cell, fitted.validation())
		if err != nil {
			t.Fatal(err)
		}
		return &cell, prepared, fitted.Knots[0].Theta, s
	}
	t.Fatal("no cell")
	return nil, nil, nil, nil
}

// TestERMAgrees: the hinge is the support vector machine, and half the weight of
// the squared loss ridge regression, whose solvers are others; a large delta
// makes half the squared loss of Huber's.
func TestERMAgrees(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ data, erm, other string }{
		{"breast_cancer", "{erm: {loss: hinge, c: 0.5}}", "{svm: {c: 0.5}}"},
		{"diabetes", "{erm: {loss: squared, c: 0.25, intercept: false}}", "{ridge: {alpha: 2, intercept: false}}"},
		{"diabetes", "{erm: {loss: {huber: {delta: 100}}, c: 0.5, intercept: true}}", "{ridge: {alpha: 2, intercept: true}}"},
	} {
		_, _, got, scores := ermFit(t, test.data, test.erm)
		_, _, want, others := ermFit(t, test.data, test.other)
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-5 {
				t.Errorf("%s: coefficient %d is %v, %s has %v", test.erm, j, got[j], test.other, want[j])
			}
		}
		if math.Abs(scores.test[0].score-others.test[0].score) > 1e-5 {
			t.Errorf("%s: score %v, %s has %v", test.erm, scores.test[0].score, test.other, others.test[0].score)
		}
	}
}

// TestERMConstraints: every constraint holds, and fairness with the rows' own
// multiplicities.
func TestERMConstraints(t *testing.T) {
	t.Parallel()
	for constraint, holds := range map[string]func(w []float64, train *dataset.Part) float64{
		"nonnegative":                        func(w []float64, _ *dataset.Part) float64 { return -low(w) },
		"{box: {lower: -0.05, upper: 0.05}}": func(w []float64, _ *dataset.Part) float64 { return high(w) - 0.05 },
		"{sum: {total: 0.5}}":                func(w []float64, _ *dataset.Part) float64 { return math.Abs(total(w) - 0.5) },
		"{monotone: {direction: decreasing}}": func(w []float64, _ *dataset.Part) float64 {
			worst := 0.0
			for j := 1; j < len(w); j++ {
				worst = max(worst, w[j]-w[j-1])
			}
			return worst
		},
		"{fairness: {columns: sex, tolerance: 0.002}}": func(w []float64, train *dataset.Part) float64 {
			var mean, n, covariance float64
			times := func(i int) float64 {
				if train.Multiplicity == nil {
					return 1
				}
				return train.Multiplicity[i]
			}
			for i := range train.N {
				n += times(i)
				mean += times(i) * train.X[i*train.D+1]
			}
			for i := range train.N {
				score := 0.0
				for j, x := range train.X[i*train.D : (i+1)*train.D] {
					score += w[j] * x
				}
				covariance += times(i) * (train.X[i*train.D+1] - mean/n) * score / n
			}
			return math.Abs(covariance) - 0.002
		},
	} {
		for _, loss := range []string{"{quantile: {q: 0.3}}", "{epsilon-insensitive: {epsilon: 0.05}}", "{epsilon-insensitive-quantile: {q: 0.6}}", "squared-epsilon-insensitive"} {
			_, prepared, theta, _ := ermFit(t, "diabetes", "{erm: {loss: "+loss+", c: 10, constraint: "+constraint+"}}")
			w := theta[:len(theta)-1]
			if v := holds(w, &prepared.Train); v > 1e-8 {
				t.Errorf("%s, %s: violated by %g", loss, constraint, v)
			}
			_, _, free, _ := ermFit(t, "diabetes", "{erm: {loss: "+loss+", c: 10}}")
			if v := holds(free[:len(free)-1], &prepared.Train); v < 1e-4 {
				t.Errorf("%s, %s: holds without being asked for", loss, constraint)
			}
		}
	}
}

func low(w []float64) float64 {
	least := math.Inf(1)
	for _, v := range w {
		least = min(least, v)
	}
	return least
}

func high(w []float64) float64 {
	most := 0.0
	for _, v := range w {
		most = max(most, math.Abs(v))
	}
	return most
}

func total(w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += v
	}
	return sum
}
