package embedding

import "github.com/agepath/agepath/experiment"

// Tables returns the tables of the kind. Their columns' docs are the source of
// docs/results.md.
func Tables() experiment.Tables {
	return experiment.Tables{Labels: labelColumns, Measures: measureColumns, Further: furtherTables}
}

var labelColumns = []experiment.Column{
	{Name: "dataset", Type: experiment.Text, Doc: "name of the texts, as the grid gives it"},
	{Name: "n_train", Type: experiment.Int, Doc: "texts of the training part"},
	{Name: "n_test", Type: experiment.Int, Doc: "texts of the test part"},
	{Name: "n_features", Type: experiment.Int, Doc: "words of a text, padding included"},
	{Name: "split_train", Type: experiment.Float, Doc: "share of the texts for training"},
	{Name: "model", Type: experiment.Text, Doc: "logistic, mlp, cnn, gru or bilstm"},
	{Name: "dim", Type: experiment.Int, Doc: "numbers of a word's row in the embedding"},
	{Name: "epochs", Type: experiment.Int, Doc: "passes over the training part"},
	{Name: "batch", Type: experiment.Int, Doc: "texts of a step"},
	{Name: "rate", Type: experiment.Float, Doc: "first rate of Adam, which falls linearly to 0"},
	{Name: "precision", Type: experiment.Int, Doc: "bits of the network's numbers, 32 or 64"},
	{Name: "method", Type: experiment.Text, Doc: "the penalty: none, l1, dropout, wmmd, swmmd, biwmmd, group-lasso, frozen or fine-tuned"},
	{Name: "method_params", Type: experiment.Text, Doc: "its weights and the words that it leaves out, as a JSON object; null for penalties without"},
	{Name: "repeat", Type: experiment.Int, Doc: "number of the repeat, from 1; cells of the same data set and repeat share texts, split and first parameters"},
	{Name: "seed", Type: experiment.Int, Doc: "seed of the cell's random streams, derived from the grid's seed and the repeat, in [0, 2^53)"},
}

var measureColumns = []experiment.Column{
	{Name: "metric", Type: experiment.Text, Doc: "what the scores measure: accuracy, a fraction, higher is better"},
	{Name: "test_at_end", Type: experiment.Float, Doc: "score on the test part after the last epoch"},
	{Name: "train_at_end", Type: experiment.Float, Doc: "score on the training part after the last epoch"},
	{Name: "loss", Type: experiment.Float, Doc: "mean cross-entropy of the batches of the last epoch"},
	{Name: "penalty", Type: experiment.Float, Doc: "mean of what the penalty adds to it"},
	{Name: "weight", Type: experiment.Float, Doc: "weight of the penalty; null for penalties without"},
	{Name: "weight_score", Type: experiment.Float, Doc: "mean score of that weight in cross-validation within the training part; null where only one was given"},
	{Name: "wmmd", Type: experiment.Float, Doc: "wMMD² of the training part under the embedding at the end, summed over pairs of classes"},
	{Name: "words", Type: experiment.Int, Doc: "size of the vocabulary, padding included"},
	{Name: "empty", Type: experiment.Int, Doc: "texts of which no word is in the vocabulary"},
}

var cellColumn = experiment.Column{Name: "cell", Type: experiment.Text, Doc: "identity of the cell, 32 hex digits"}

var epochsTable = experiment.Table{Name: "epochs", Kept: true, Number: "epoch", Columns: []experiment.Column{
	cellColumn,
	{Name: "epoch", Type: experiment.Int, Doc: "number of the pass over the training part, from 0"},
	{Name: "passes", Type: experiment.Float, Doc: "passes over the training part up to then, from 1"},
	{Name: "loss", Type: experiment.Float, Doc: "mean cross-entropy of its batches"},
	{Name: "penalty", Type: experiment.Float, Doc: "mean of what the penalty adds to it"},
	{Name: "test_score", Type: experiment.Float, Doc: "score on the test part behind it, see metric"},
}}

var weightsTable = experiment.Table{Name: "weights", Kept: true, Number: "number", Columns: []experiment.Column{
	cellColumn,
	{Name: "number", Type: experiment.Int, Doc: "number of the weight in the grid's list, from 0"},
	{Name: "weight", Type: experiment.Float, Doc: "weight of the penalty that cross-validation tried"},
	{Name: "score", Type: experiment.Float, Doc: "its mean score over the folds"},
}}

var wordsTable = experiment.Table{Name: "words", Number: "word", Columns: []experiment.Column{
	cellColumn,
	{Name: "word", Type: experiment.Int, Doc: "number of the word, from 0, which is the padding in texts that were read"},
	{Name: "text", Type: experiment.Text, Doc: "the word, stemmed"},
	{Name: "counts", Type: experiment.FloatList, Doc: "how often it is in the training part's texts of each class"},
	{Name: "before", Type: experiment.FloatList, Doc: "its row of the embedding before training"},
	{Name: "after", Type: experiment.FloatList, Doc: "its row at the end"},
}}

var furtherTables = []experiment.Table{epochsTable, weightsTable, wordsTable}
