// Package dataset reads tables of numbers, catalogs the paper's data sets, and prepares tables for
// a fit: split, scaling, noise and merging.
package dataset

// Task is the kind of target.
type Task string

const (
	Classification Task = "classification" // targets -1 and +1
	Regression     Task = "regression"
)

// Dataset is a table of N rows and D features with a target.
type Dataset struct {
	Name     string
	Task     Task
	Features []string
	N, D     int
	X        []float64 // N × D, row-major, finite; NaN if missing, for [Prepare] to fill
	Y        []float64 // finite; -1 or +1 for classification
	Reading  Reading   // not encoded

	uses []use // by row, nil unless [Options.Clean] or [Options.Parts] is set
}
