// Package figure selects the plots for a run's tables and writes each, with its numbers, as SVG,
// PNG and comma-separated values.
package figure
