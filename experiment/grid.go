package experiment

import "github.com/agepath/agepath/experiment/dataset"

// Grid is an experiment as a grid file describes it, checked as far as that
// goes without reading data. docs/grid.md describes the file.
type Grid struct {
	Name    string
	Kind    string // the file's key experiment
	Seed    int64
	Repeats int
	Sweeps  []Sweep // at least one; the cells of a grid are their union
	Select  Select  // which cells the tables of results show
	Limits  Limits  // of each cell
	Keep    Keep

	File   string   // as given to ParseFile or Parse
	Source []byte   // the file's text, from which Parse makes the grid again
	Set    []string // the overrides

	place place
}

// Sweep is a set of cells: all combinations of its data sets, noise, models
// and methods, where a method takes what it uses of regularizers and ages.
type Sweep struct {
	Data         []DataSource
	Settings     dataset.Settings // without noise
	Noise        []dataset.Noise  // the zero value is the clean cell
	Models       []Models
	Regularizers []Entry // empty where no method uses them
	Methods      []Entry
	Age          Age
	SkipAbsent   bool // data sets of the catalog that are not here are left out, else they are problems

	place       place
	noisePlaces []place // of Noise
}

// DataSource is a data set of a sweep.
type DataSource struct {
	dataset.Source

	place place
}
