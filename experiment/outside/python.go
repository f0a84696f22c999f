package outside

import _ "embed"

// Python is agepath.py, the module for methods in Python, results as data frames and calls of runs.
//
//go:embed agepath.py
var Python string
