// Package results keeps the outcomes of a run and reads them back: Arrow tables
// in a folder, written so that a crash loses nothing that was durable, and the
// manifest that says what they are.
//
// What the files say is read from them by [github.com/agepath/agepath/results/analysis],
// drawn by [github.com/agepath/agepath/results/figure] and written as text by
// [github.com/agepath/agepath/results/report].
package results
