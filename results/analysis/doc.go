// Package analysis reads what the files of a run say: cells gathered into tables of
// scores, hyperparameters chosen, methods compared on the same splits, ranked over
// data sets and put beside published numbers. It draws and writes nothing.
package analysis
