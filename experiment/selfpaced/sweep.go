package selfpaced

import (
	"github.com/agepath/agepath/experiment/dataset"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Sweep is a set of cells: all combinations of its data sets, noise, models
// and methods, where a method takes what it uses of regularizers and ages.
type Sweep struct {
	Data         []DataSource
	Settings     dataset.Settings // without noise
	Noise        []dataset.Noise  // the zero value is the clean cell
	Models       []Models
	Regularizers []gridfile.Entry // empty where no method uses them
	Methods      []MethodEntry
	Age          Age
	Choice       Choice
	SkipAbsent   bool // data sets of the catalog that are not here are left out, else they are problems

	place       gridfile.Place
	noisePlaces []gridfile.Place // of Noise
}

// DataSource is a data set of a sweep.
type DataSource struct {
	dataset.Source

	place gridfile.Place
}
