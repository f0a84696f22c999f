package results

import "fmt"

// dataFacts are what figures say about the data sets of a run.
type dataFacts struct {
	target string // how the target is scaled, "" where that is not known
	size   map[string]dataSize
}

// dataSize is the size of a data set's split.
type dataSize struct {
	train, test, features int64
	several               bool // of several splits these are the sizes of the first
}

// sizeColumns are the columns of the cells table that tell the sizes.
var sizeColumns = []string{"n_train", "n_test", "n_features"}

// sizes says how large a data set is, as the beginning of a line; "" when it
// is not known.
func (d *dataFacts) sizes(dataset string) string {
	s, ok := d.size[dataset]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d training and %d test samples, %d features; ", s.train, s.test, s.features)
}

// sizesOf is [dataFacts.sizes] for a setting. Of a data set with several splits it
// tells the features only.
func (d *dataFacts) sizesOf(s Setting) string {
	name := s[DimDataset].Text
	size, ok := d.size[name]
	switch {
	case !ok:
		return ""
	case size.several: // the setting tells which
		return fmt.Sprintf("%d features; ", size.features)
	}
	return d.sizes(name)
}

// scoreLabel is the label of an axis of scores.
func (d *dataFacts) scoreLabel(metric Metric, choice string) string {
	label := "test " + metric.word()
	if metric == RMSE && d.target != "" {
		label += " (" + d.target + ")"
	}
	if choice != "" {
		label += ", " + choice
	}
	return label
}
