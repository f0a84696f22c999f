package selfpaced

import (
	"github.com/agepath/agepath/experiment/dataset"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Sweep is a set of cells: all combinations of its data sets, noise, models and methods, with
// regularizers and ages as these need.
type Sweep struct {
	Data         []DataSource
	Settings     dataset.Settings // without noise
	Noise        []dataset.Noise  // zero for the clean cell
	Models       []Models
	Regularizers []gridfile.Entry // empty if no method uses them
	Methods      []MethodEntry
	Age          Age
	Choice       Choice
	SkipAbsent   bool // of missing data sets of the catalog

	place       gridfile.Place
	noisePlaces []gridfile.Place // of Noise
}

// DataSource is a data set of a sweep.
type DataSource struct {
	dataset.Source

	place gridfile.Place
}
