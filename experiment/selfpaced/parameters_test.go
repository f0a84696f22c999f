package selfpaced

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// TestEveryParameterCounts gives every parameter of every model, loss, constraint, regularizer and
// method two values and wants each to have cells with identities, labels and a run of their own.
func TestEveryParameterCounts(t *testing.T) {
	t.Parallel()
	for _, m := range modelTable {
		if m.name == ERM {
			continue
		}
		vary(t, "model "+m.name, m, func(parameters string) string {
			if m.name == SVM {
				parameters += ", kernel: rbf"
			}
			return parametersGrid(m.task, "{"+m.name+": {"+strings.TrimPrefix(parameters, ", ")+"}}", Hard, Original)
		})
	}
	erm := func(loss *lossInfo, parameters, constraint string) string {
		return parametersGrid(loss.task, fmt.Sprintf("{erm: {c: 1, loss: {%s: {%s}}, constraint: %s}}", loss.name, strings.TrimPrefix(parameters, ", "), constraint), Hard, Original)
	}
	for _, l := range lossTable {
		vary(t, "loss "+l.name, l, func(parameters string) string { return erm(l, parameters, "none") })
	}
	for _, c := range constraintTable {
		vary(t, "constraint "+c.name, c, func(parameters string) string {
			return erm(gridfile.Lookup(lossTable, "huber"), "", "{"+c.name+": {"+strings.TrimPrefix(parameters, ", ")+"}}")
		})
	}
	for _, r := range regularizerTable {
		vary(t, "regularizer "+r.name, r, func(parameters string) string {
			return parametersGrid(dataset.Classification, "{svm: {c: 1}}", "{"+r.name+": {"+strings.TrimPrefix(parameters, ", ")+"}}", GAGA)
		})
	}
	for _, m := range methodTable {
		if m.algorithm == 0 || m.everywhere { // of a test, or in every grid
			continue
		}
		models := map[string]string{Lasso: "{lasso: {alpha: 1}}", Ridge: "{ridge: {alpha: 1}}", SVM: "{svm: {c: 1}}", Logistic: "{logistic: {c: 1}}"}
		vary(t, "method "+m.name, m, func(parameters string) string {
			for _, model := range []string{Lasso, Ridge, SVM, Logistic} {
				if m.fits(model) {
					regularizer := Hard
					if m.name == MOSPL {
						regularizer = "{mixture: {gamma: 1}}"
					}
					return parametersGrid(gridfile.Lookup(modelTable, model).task, models[model], regularizer, "{"+m.name+": {"+strings.TrimPrefix(parameters, ", ")+"}}")
				}
			}
			t.Fatalf("%s fits no model of this test", m.name)
			return ""
		})
	}
}

func parametersGrid(task dataset.Task, model, regularizer, method string) string {
	data, noise := "diabetes", "gaussian"
	if task == dataset.Classification {
		data, noise = "breast_cancer", "flip"
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(method, "{"), ":")
	regularizers := ""
	if gridfile.Lookup(methodTable, name).regularized {
		regularizers = "regularizers: [" + regularizer + "]\n"
	}
	return fmt.Sprintf("name: parameters\nrepeats: 1\ndata: [%s]\nnoise: [{kind: %s, levels: [0.2]}]\nmodels: [%s]\n%smethods: [%s]\nage: {min: 0.05, max: 2, acs_step: 0.25}\n", data, noise, model, regularizers, method)
}

// vary plans grids with two values of each parameter, which are written as ", name: value".
func vary(t *testing.T, what string, of gridfile.Declared, grid func(parameters string) string) {
	t.Helper()
	_, infos := of.Declaration()
	for i := range infos {
		others := ""
		for j := range infos {
			if j != i && infos[j].Needed {
				others += ", " + infos[j].Name + ": " + valuesOf(&infos[j])[0]
			}
		}
		values := valuesOf(&infos[i])
		if len(values) < 2 {
			t.Errorf("%s: two values of %s are needed, have %v", what, infos[i].Name, values)
			continue
		}
		identities, labels, runs := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, value := range values[:2] {
			plan, err := mustParse(t, grid(others+", "+infos[i].Name+": "+value)).Plan(t.Context(), &dataset.Library{})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			runs[plan.Run] = true
			for cell := range plan.Cells() {
				if cell.(*plannedCell).Method.Name == Constant {
					continue
				}
				var row experiment.Batch
				if err := cell.Label(&row); err != nil {
					t.Fatal(err)
				}
				identities[experiment.Identity(cell.Canonical())], labels[fmt.Sprintf("%+v", row)] = true, true
			}
		}
		if len(identities) != 2 || len(labels) != 2 || len(runs) != 2 {
			t.Errorf("two values of %s of the %s give %d cells with %d different labels in %d runs, want 2 of each: it is missing in the cell or in labelFields", infos[i].Name, what, len(identities), len(labels), len(runs))
		}
	}
}

// valuesOf returns values that a parameter allows.
func valuesOf(info *gridfile.SettingInfo) (values []string) {
	switch {
	case info.Columns:
		return []string{"[0]", "[1]"}
	case info.Name == "upper":
		return []string{"50", "60"}
	}
	for _, number := range []float64{0.3, 0.4, 0.6, 0.7, 1.5, 2, 3, 4, 8} {
		if info.Allows(gridfile.Setting{Number: number}) {
			values = append(values, fmt.Sprint(number))
		}
	}
	return append(values, slices.Clone(info.Words)...)
}

// TestModelsAreWhole wants every model to have a problem, and work that is estimated.
func TestModelsAreWhole(t *testing.T) {
	t.Parallel()
	train := &dataset.Part{N: 4, D: 1, X: []float64{0, 1, 2, 4}, Y: []float64{-1, 1, -1, 1}, Rows: make([]int, 4)}
	for _, m := range modelTable {
		if m.name == ERM { // solved without a path
			continue
		}
		cell := Cell{Model: Model{Name: m.name, Alpha: 1, C: 1, L1Ratio: 0.5}}
		if problem, err := cell.Problem(train); err != nil || problem.Loss == nil {
			t.Errorf("the model %s has no case in Cell.Problem: %v", m.name, err)
		}
		if powers[m.name][fitOf][0] <= 0 || powers[m.name][pathOf][0] <= 0 {
			t.Errorf("the model %s has no work in powers of cost_fitted.go", m.name)
		}
	}
}
