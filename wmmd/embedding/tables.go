package embedding

import (
	"cmp"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/wmmd/classifier"
)

// Tables returns the kind's tables. docs/results.md is generated from their columns' docs.
func Tables() experiment.Tables {
	return experiment.Tables{Labels: labelFields.Columns(), Measures: measureFields.Columns(), Further: furtherTables}
}

var labelFields = experiment.Fields[*plannedCell]{
	{Name: "dataset", Type: experiment.Text, Value: func(c *plannedCell) any { return c.name }, Doc: "name of the texts, as the grid gives it"},
	{Name: "n_train", Type: experiment.Int, Value: func(c *plannedCell) any { return c.train() }, Doc: "texts of the training part"},
	{Name: "n_test", Type: experiment.Int, Value: func(c *plannedCell) any { return c.data.texts - c.train() }, Doc: "texts of the test part"},
	{Name: "n_features", Type: experiment.Int, Value: func(c *plannedCell) any { return c.data.length }, Doc: "words of a text, padding included"},
	{Name: "split_train", Type: experiment.Float, Value: func(c *plannedCell) any { return c.Training.Train }, Doc: "share of the texts for training"},
	{Name: "model", Type: experiment.Text, Value: func(c *plannedCell) any { return c.Model }, Doc: "logistic, mlp, cnn, gru or bilstm"},
	{Name: "dim", Type: experiment.Int, Value: func(c *plannedCell) any { return c.Training.Dim }, Doc: "numbers of a word's row in the embedding"},
	{Name: "epochs", Type: experiment.Int, Value: func(c *plannedCell) any { return c.Training.Epochs }, Doc: "passes over the training part"},
	{Name: "batch", Type: experiment.Int, Value: func(c *plannedCell) any { return c.Training.Batch }, Doc: "texts of a step"},
	{Name: "rate", Type: experiment.Float, Value: func(c *plannedCell) any { return c.Training.Rate }, Doc: "first rate of Adam, which falls linearly to 0"},
	{Name: "precision", Type: experiment.Int, Value: func(c *plannedCell) any { return c.Training.Precision }, Doc: "bits of the network's numbers, 32 or 64"},
	{Name: "method", Type: experiment.Text, Value: func(c *plannedCell) any { return c.Penalty.Kind }, Doc: "the penalty: none, l1, dropout, wmmd, swmmd, biwmmd, group-lasso, frozen or fine-tuned"},
	{Name: "method_params", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Penalty.params(c.without)) }, Doc: "its weights and the words that it leaves out, as a JSON object; null for penalties without"},
	{Name: "repeat", Type: experiment.Int, Value: func(c *plannedCell) any { return c.repeat }, Doc: "number of the repeat, from 1; cells of the same data set and repeat share texts, split and first parameters"},
	{Name: "seed", Type: experiment.Int, Value: func(c *plannedCell) any { return c.Seed }, Doc: "seed of the cell's random streams, derived from the grid's seed and the repeat, in [0, 2^53)"},
}

var measureFields = experiment.Fields[*scores]{
	{Name: "metric", Type: experiment.Text, Value: func(*scores) any { return "accuracy" }, Doc: "what the scores measure: accuracy, a fraction, higher is better"},
	{Name: "test_at_end", Type: experiment.Float, Value: func(s *scores) any { return s.accuracy }, Doc: "score on the test part after the last epoch"},
	{Name: "train_at_end", Type: experiment.Float, Value: func(s *scores) any { return s.fitted }, Doc: "score on the training part after the last epoch"},
	{Name: "loss", Type: experiment.Float, Value: func(s *scores) any { return s.last().Loss }, Doc: "mean cross-entropy of the batches of the last epoch"},
	{Name: "penalty", Type: experiment.Float, Value: func(s *scores) any { return s.last().Penalty }, Doc: "mean of what the penalty adds to it"},
	{Name: "weight", Type: experiment.Float, Value: func(s *scores) any { return s.weight }, Doc: "weight of the penalty; null for penalties without"},
	{Name: "weight_score", Type: experiment.Float, Value: func(s *scores) any { return s.validated }, Doc: "mean score of that weight in cross-validation within the training part; null where only one was given"},
	{Name: "wmmd", Type: experiment.Float, Value: func(s *scores) any { return s.wmmd }, Doc: "wMMD² of the training part under the embedding at the end, summed over pairs of classes"},
	{Name: "words", Type: experiment.Int, Value: func(s *scores) any { return len(s.texts.all.Words) }, Doc: "size of the vocabulary, padding included"},
	{Name: "empty", Type: experiment.Int, Value: func(s *scores) any { return s.texts.all.Empty }, Doc: "texts of which no word is in the vocabulary"},
}

var epochFields = experiment.Fields[*scoredEpoch]{
	{Name: "epoch", Type: experiment.Int, Value: func(e *scoredEpoch) any { return e.number }, Doc: "number of the pass over the training part, from 0"},
	{Name: "passes", Type: experiment.Float, Value: func(e *scoredEpoch) any { return float64(e.Number) }, Doc: "passes over the training part up to then, from 1"},
	{Name: "loss", Type: experiment.Float, Value: func(e *scoredEpoch) any { return e.Loss }, Doc: "mean cross-entropy of its batches"},
	{Name: "penalty", Type: experiment.Float, Value: func(e *scoredEpoch) any { return e.Penalty }, Doc: "mean of what the penalty adds to it"},
	{Name: "test_score", Type: experiment.Float, Value: func(e *scoredEpoch) any { return e.score }, Doc: "score on the test part behind it, see metric"},
}

var weightFields = experiment.Fields[*triedWeight]{
	{Name: "number", Type: experiment.Int, Value: func(w *triedWeight) any { return w.number }, Doc: "number of the weight in the grid's list, from 0"},
	{Name: "weight", Type: experiment.Float, Value: func(w *triedWeight) any { return w.weight }, Doc: "weight of the penalty that cross-validation tried"},
	{Name: "score", Type: experiment.Float, Value: func(w *triedWeight) any { return w.score }, Doc: "its mean score over the folds"},
}

var wordFields = experiment.Fields[*movedWord]{
	{Name: "word", Type: experiment.Int, Value: func(w *movedWord) any { return w.number }, Doc: "number of the word, from 0, which is the padding in texts that were read"},
	{Name: "text", Type: experiment.Text, Value: func(w *movedWord) any { return w.text }, Doc: "the word, stemmed"},
	{Name: "counts", Type: experiment.FloatList, Value: func(w *movedWord) any { return w.counts }, Doc: "how often it is in the training part's texts of each class"},
	{Name: "before", Type: experiment.FloatList, Value: func(w *movedWord) any { return w.before }, Doc: "its row of the embedding before training"},
	{Name: "after", Type: experiment.FloatList, Value: func(w *movedWord) any { return w.after }, Doc: "its row at the end"},
}

var (
	epochsTable   = experiment.Table{Name: "epochs", Kept: true, Number: "epoch", Columns: epochFields.Further()}
	weightsTable  = experiment.Table{Name: "weights", Kept: true, Number: "number", Columns: weightFields.Further()}
	wordsTable    = experiment.Table{Name: "words", Number: "word", Columns: wordFields.Further()}
	furtherTables = []experiment.Table{epochsTable, weightsTable, wordsTable}
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
		layout.Plain("training share", dimSplit, true, layout.Around("training share=", "")),
		layout.Plain("embedding", dimDim, true, layout.Around("embedding of ", "")),
		layout.Plain("epochs", dimEpochs, true, layout.Around("", " epochs")),
		layout.Plain("batch", dimBatch, true, layout.Around("batches of ", "")),
		layout.Plain("rate", dimRate, true, layout.Around("rate ", "")),
		layout.Plain("bits", dimPrecision, true, layout.Around("", " bits")),
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
	Split: [2]string{"n_test", "n_train"},
	Step:  layout.Step{Word: "epoch", End: "after the last epoch"},
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
