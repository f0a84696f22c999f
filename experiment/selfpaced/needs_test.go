package selfpaced

import (
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/gaga"
)

// TestNeedsOfLaterNames wants a cell with a model, loss, constraint, regularizer or kind of noise
// that the first release does not have to need a worker that announces it. The test is not parallel,
// for it adds to the table of regularizers.
func TestNeedsOfLaterNames(t *testing.T) {
	before := Kind{}.Abilities()
	own := &regularizerInfo{name: "later", make: func(float64) gaga.Regularizer { return gaga.Hard{} }}
	table := regularizerTable
	regularizerTable = append(slices.Clone(table), own)
	defer func() { regularizerTable = table }()
	need := experiment.Need{Name: "regularizer later", Version: 1}
	models, losses, constraints := modelTable, lossTable, constraintTable
	modelTable = append(slices.Clone(models), &modelInfo{name: "later"})
	lossTable = append(slices.Clone(losses), &lossInfo{name: "later"})
	constraintTable = append(slices.Clone(constraints), &constraintInfo{name: "later"})
	defer func() { modelTable, lossTable, constraintTable = models, losses, constraints }()
	for _, kind := range []string{"model", "loss", "constraint", "metric"} {
		later := nameNeed(kind, "later")
		if kind == "metric" {
			later.Name = "metric " + string(metric.BalancedAccuracy)
		}
		if !slices.Contains((Kind{}).Abilities(), later) {
			t.Errorf("a worker does not announce %v, so that it leaves such cells", later)
		}
	}
	for _, kind := range dataset.NoiseKinds(dataset.Regression) {
		if list := later(noiseNeed(kind, dataset.NoiseVersion(kind))); len(list) > 0 && !slices.Contains((Kind{}).Abilities(), list[0]) {
			t.Errorf("a worker does not announce %v", list[0])
		}
	}
	if slices.Contains(before, need) || !slices.Contains((Kind{}).Abilities(), need) {
		t.Errorf("a worker announces %v, with the regularizer %v", before, (Kind{}).Abilities())
	}
	method := gagaMethod.with(Regularizer{Name: "later"}, Age{Min: 1, Max: 2}, goldenCells[0].cell.Method.Settings)
	cell := Cell{Model: Model{Name: Lasso, Alpha: 1}, Method: method}
	var task experiment.Task
	if cell.Require(&task); !slices.Equal(task.Needs, []experiment.Need{gagaMethod.need(), need}) {
		t.Errorf("needs %v, want the method and %v", task.Needs, need)
	}
	for _, list := range [][]experiment.Need{
		needs(need, Age{}, Choice{}, "", "new", "", "", Hard, dataset.Settings{}),
		needs(need, Age{}, Choice{}, metric.BalancedAccuracy, SVM, "", "", Hard, dataset.Settings{}),
		needs(need, Age{}, Choice{}, "", ERM, "new", "box", "", dataset.Settings{}),
		needs(need, Age{}, Choice{}, "", ERM, "hinge", "new", "", dataset.Settings{}),
		needs(need, Age{}, Choice{}, "", Lasso, "", "", Hard, dataset.Settings{}, dataset.Noise{Kind: "new"}, dataset.Noise{Kind: "new", Level: 1}, dataset.Noise{Kind: dataset.Gaussian}),
	} {
		if len(list) != 2 {
			t.Errorf("needs %v, want the method and the new name", list)
		}
	}
}
