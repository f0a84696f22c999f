// Package figure draws a run: which plots its tables call for, the numbers behind
// them, and each as SVG, PNG and comma-separated values.
package figure
