// Package figure draws a run: it selects the plots for its tables and writes each, with its
// numbers, as SVG, PNG and comma-separated values.
package figure
