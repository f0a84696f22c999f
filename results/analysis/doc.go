// Package analysis evaluates the files of a run: it tabulates scores, chooses hyperparameters,
// compares methods on the same splits, ranks them over data sets and compares scores with published
// numbers.
package analysis
