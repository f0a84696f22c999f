package embedding

import (
	"cmp"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/wmmd/classifier"
)

// The dimensions, in the order of sorting.
const (
	dimDataset layout.Dimension = iota
	dimModel
	dimSplit
	dimDim
	dimEpochs
	dimBatch
	dimRate
	dimPrecision
)

// Layout says how reports read the results; penalties are the methods.
var Layout = &layout.Layout{
	Dimensions: []layout.DimensionInfo{
		dimDataset:   {Column: "dataset"},
		dimModel:     {Column: "model"},
		dimSplit:     {Column: "split_train", Named: true},
		dimDim:       {Column: "dim", Named: true},
		dimEpochs:    {Column: "epochs", Named: true},
		dimBatch:     {Column: "batch", Named: true},
		dimRate:      {Column: "rate", Named: true},
		dimPrecision: {Column: "precision", Named: true},
	},
	Aspects: []layout.Aspect{
		layout.Plain("data set", dimDataset, false, nil),
		{Name: "model", Dimensions: []layout.Dimension{dimModel}, Text: func(s layout.Setting) string {
			return cmp.Or(modelWords[s[dimModel].Text], s[dimModel].Text)
		}},
		layout.Plain("training share", dimSplit, true, layout.Equals("training share")),
		layout.Plain("embedding", dimDim, true, layout.Before("embedding of")),
		layout.Plain("epochs", dimEpochs, true, layout.Behind("epochs")),
		layout.Plain("batch", dimBatch, true, layout.Before("batches of")),
		layout.Plain("rate", dimRate, true, layout.Before("rate")),
		layout.Plain("bits", dimPrecision, true, layout.Behind("bits")),
	},
	Conditions: []layout.Dimension{dimSplit, dimDim, dimEpochs, dimBatch, dimRate, dimPrecision},
	Methods: []layout.Method{
		{Name: classifier.None, Label: "no penalty", Continuous: true, Style: 1, Reference: true},
		{Name: classifier.L1, Label: "L1", Continuous: true, Style: 2},
		{Name: classifier.GroupLasso, Label: "group lasso", Continuous: true, Style: 3},
		{Name: classifier.Dropout, Label: "dropout", Continuous: true, Style: 5},
		{Name: classifier.Frozen, Label: "pre-trained, frozen", Continuous: true, Style: 6},
		{Name: classifier.FineTuned, Label: "pre-trained, fine-tuned", Continuous: true, Style: 7},
		{Name: classifier.WMMD, Label: "wMMD", Continuous: true, Style: 4},
		{Name: classifier.SWMMD, Label: "swMMD", Continuous: true, Style: 8},
		{Name: classifier.BiWMMD, Label: "bigram wMMD", Continuous: true},
	},
	Step: layout.Step{Word: "epoch", End: "after the last epoch"},
	Path: &layout.Path{
		Label: "epoch", Curve: "Learning curve", Within: dimModel, Table: epochsTable.Name, Number: "epoch", Step: "passes", Score: "test_score",
	},
	Own: &layout.Own{Figures: []string{figureEmbedding, figureFrequencies}},
	Sensitivity: []layout.Axis{
		{Dimension: dimDim, Word: "embedding", Label: "numbers of a word's row"},
		{Dimension: dimEpochs, Word: "epochs", Label: "epochs"},
	},
}

var modelWords = map[string]string{
	classifier.Logistic: "logistic regression", classifier.MLP: "MLP", classifier.CNN: "CNN", classifier.GRU: "GRU",
	classifier.BiLSTM: "BiLSTM",
}
