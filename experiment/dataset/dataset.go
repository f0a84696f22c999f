// Package dataset reads tables of numbers, has the catalog of the paper's data sets, and prepares
// tables for a fit: split, scaling, noise and merging of identical rows.
package dataset

// Task is what a target is.
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
	Reading  Reading   // how the file was read; not encoded
}
