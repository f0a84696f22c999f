package analysis

import (
	"fmt"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// DataFacts are what figures say about the data sets of a run.
type DataFacts struct {
	Target string // how the target is scaled, "" where that is not known
	Size   map[string]dataSize

	Readings []results.ManifestReading // how files were read
}

// dataSize is the size of a data set's split.
type dataSize struct {
	train, test, Features int64
	several               bool // of several splits these are the sizes of the first
}

// sizeColumns are the columns of the cells table that tell the sizes.
var sizeColumns = []string{"n_train", "n_test", "n_features"}

// sizes says how large a data set is, as the beginning of a line; "" when it
// is not known.
func (d *DataFacts) sizes(dataset string) string {
	s, ok := d.Size[dataset]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d training and %d test samples, %d features; ", s.train, s.test, s.Features)
}

// SizesOf is [DataFacts.sizes] for a setting. Of a data set with several splits it
// tells the features only.
func (d *DataFacts) SizesOf(s Setting) string {
	name := s[layout.Dataset].Text
	size, ok := d.Size[name]
	switch {
	case !ok:
		return ""
	case size.several: // the setting tells which
		return fmt.Sprintf("%d features; ", size.Features)
	}
	return d.sizes(name)
}

// ScoreLabel is the label of an axis of scores.
func (d *DataFacts) ScoreLabel(metric Metric, choice string) string {
	label := "test " + metric.Word()
	if (metric == RMSE || metric == MAE) && d.Target != "" {
		label += " (" + d.Target + ")"
	}
	if choice != "" {
		label += ", " + choice
	}
	return label
}
