// Package dataset reads tables of numbers, knows the data sets of the paper,
// and prepares them for a fit: split, scaling, noise and merging of identical
// rows.
package dataset

// Task says what a data set's target is.
type Task string

const (
	Classification Task = "classification" // targets are -1 and +1
	Regression     Task = "regression"
)

// Dataset is a table of N rows and D features with a target.
type Dataset struct {
	Name     string
	Task     Task
	Features []string  // names of the D features
	N, D     int       // rows, features
	X        []float64 // N x D, row-major, finite; NaN for a missing value that [Prepare] fills
	Y        []float64 // N targets, finite; -1 or +1 for classification
	Reading  Reading   // how it was read from a file; not part of its encoded form
}
