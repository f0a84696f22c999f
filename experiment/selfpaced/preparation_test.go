package selfpaced

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// TestPreparationsVary wants lists of protocols, splits, scalings, intercepts and ages to
// make the cells of one grid for each, whose labels tell them apart.
func TestPreparationsVary(t *testing.T) {
	t.Parallel()
	const text = `
data: [r1]
models: [{lasso: {alpha: [0.1, 0.2], intercept: %s}}]
regularizers: [linear]
methods: [original, gaga, rlssvm]
protocol: %s
split: %s
scale: %s
age: %s
`
	protocols := []string{"paper", "held-out"}
	splits := []string{"{train: 3, validation: 0.1}", "{train: 3, validation: 0.3}", "{train: 1, test: 1, validation: 0}"}
	scales := []string{
		"{features: none, target: minmax}", "{features: none, target: none}",
		"{features: minmax, target: minmax}", "{features: minmax, target: none}",
	}
	ages := []string{"{max: 5}", "{min: 0.2, max: 10}"}
	whole := mustPlan(t, fmt.Sprintf(text, "[true, false]", "[paper, held-out]",
		"[{train: 3, validation: [0.1, 0.3]}, {train: 1, test: 1, validation: 0}]",
		"{features: [none, minmax], target: [minmax, none]}", "[{max: 5}, {min: 0.2, max: 10}]"))
	want := map[string]bool{}
	for _, intercept := range []string{"true", "false"} {
		for _, protocol := range protocols {
			for _, split := range splits {
				for _, scale := range scales {
					for _, age := range ages {
						for id := range mustPlan(t, fmt.Sprintf(text, intercept, protocol, split, scale, age)).IDs() {
							want[id] = true
						}
					}
				}
			}
		}
	}
	got, labels := map[string]bool{}, map[string]bool{}
	for task, err := range whole.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		got[task.Cell] = true
		row := ""
		for j, column := range labelColumns {
			row += fmt.Sprintf("%v|", task.Labels.At(column, j, 0))
		}
		labels[row] = true
	}
	// 24 preparations of 2 x 2 (original) and 2 x 2 x 2 (gaga) cells, one of rlssvm and one of the constant.
	if cells := 24 * (4 + 8 + 1 + 1); !maps.Equal(got, want) || int(whole.Count()) != cells || len(labels) != cells {
		t.Errorf("%d cells of %d identities and %d rows of labels, single grids have %d, want %d",
			whole.Count(), len(got), len(labels), len(want), cells)
	}
	var names []string
	for _, dimension := range whole.Dimensions() {
		names = append(names, fmt.Sprint(dimension.Name, " ", len(dimension.Values)))
	}
	wantNames := []string{
		"dataset 1", "noise 1", "model 2", "regularizer 2", "method 4", "protocol 2", "split 3", "scale 4", "intercept 2",
	}
	if !slices.Equal(names, wantNames) {
		t.Errorf("dimensions %v, want %v", names, wantNames)
	}
}

const leastPrepared = "data: [d]\nmethods: [original]\nmodels: [{lasso: {alpha: 1}}]\n"

func TestBadPreparations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ line, place, says string }{
		{"protocol: [paper, paper]", "bad.yaml:4: protocol.1: ", `"paper" is given twice`},
		{"protocol: [paper, clean]", "bad.yaml:4: protocol.1: ", "allowed are held-out, paper"},
		{"protocol: []", "bad.yaml:4: protocol: ", "the list is empty"},
		{"split: [{train: 3}, {train: 6, test: 2}]", "bad.yaml:4: split.1: ", "a combination of its values is given twice"},
		{"split: {train: [3, -1]}", "bad.yaml:4: split.train.1: ", "a number > 0"},
		{"split: {validation: {from: 0, to: 1, num: 3}}", "bad.yaml:4: split.validation: ", "the range holds 1, which is not allowed"},
		{"split: [3, 1]", "bad.yaml:4: split.0: ", "a map with the keys train, test, validation, column, values is"},
		{"scale: [{features: none}, {features: none, target: minmax}]", "bad.yaml:4: scale.1: ", "a combination of its values is given twice"},
		{"scale: {features: [none, robust]}", "bad.yaml:4: scale.features.1: ", "allowed are none, standard, minmax"},
		{"age: [{max: 5}, {max: 5, min: 0.1}]", "bad.yaml:4: age.1: ", "a combination of its values is given twice"},
		{"split: {train: {from: 1, to: 200, step: 1}, test: {from: 1, to: 200, step: 1}}", "bad.yaml:4: split: ", "more than 10000 combinations of train, test and validation"},
		{"rows: {from: 3, to: 200, step: 1}\nsplit: {validation: {from: 0, to: 0.5, step: 0.005}}", "bad.yaml:1: ", "more than 10000 combinations of protocol, split, scale, age and rows"},
	} {
		wantProblem(t, leastPrepared+test.line+"\n", nil, test.place, test.says)
	}
	wantProblem(t, "data: [d]\nmethods: [original]\nmodels: [{lasso: {alpha: 1, intercept: [true, true]}}]\n", nil,
		"bad.yaml:3: models.0.lasso.intercept.1: ", "given twice")
}

// TestBoundaryTies fits the boundary of flip-boundary to digits whose columns stand the other way
// round: the machine is the same but for its last digits, on which many samples at the margin tie,
// and the rows flipped are the same.
func TestBoundaryTies(t *testing.T) {
	t.Parallel()
	library := &dataset.Library{}
	digits, err := library.Load(t.Context(), dataset.Source{Name: "digits"})
	if err != nil {
		t.Fatal(err)
	}
	reversed := *digits
	reversed.X = slices.Clone(digits.X)
	for i := range reversed.N {
		slices.Reverse(reversed.X[i*reversed.D:][:reversed.D])
	}
	for repeat := 1; repeat <= 3; repeat++ {
		cell := &Cell{Seed: experiment.CellSeed(40, repeat), Settings: dataset.Settings{
			Split: dataset.Split{Train: 3, Test: 1}, Features: dataset.Standard, Protocol: dataset.HeldOut,
			Noise: dataset.Noise{Kind: dataset.FlipBoundary, Level: 0.3},
		}}
		var flipped [2][]int
		for k, set := range []*dataset.Dataset{digits, &reversed} {
			prepared, err := cell.Prepare(t.Context(), set)
			if err != nil {
				t.Fatal(err)
			}
			flipped[k] = prepared.Contaminated
		}
		if len(flipped[0]) == 0 || !slices.Equal(flipped[0], flipped[1]) {
			t.Errorf("repeat %d: rows %v are flipped, with reversed columns %v", repeat, flipped[0], flipped[1])
		}
	}
}
