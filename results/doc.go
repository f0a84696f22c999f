// Package results stores the outcomes of a run and reads them back: Arrow tables in a folder,
// written so that a crash loses nothing durable, and the manifest that describes them.
//
// [github.com/agepath/agepath/results/analysis] evaluates the files,
// [github.com/agepath/agepath/results/figure] draws them, and
// [github.com/agepath/agepath/results/report] writes them as text.
package results
