// Package methods has examples of external methods, see docs/methods.md, and the Python module that
// they use; its test compares them with agepath's own methods.
package methods

import _ "embed"

// Python is agepath.py, the module for methods in Python, results as data frames and calls of runs.
//
//go:embed agepath.py
var Python string
