// Package methods has examples of methods from outside, which docs/methods.md
// describes, and the Python module that they use; its test compares the examples with
// agepath's own methods.
package methods

import _ "embed"

// Python is agepath.py, with which a method of one's own is a function in Python, results are
// data frames and runs are calls.
//
//go:embed agepath.py
var Python string
