// Package results keeps the outcomes of a run and reads them back: the Arrow
// tables of a folder, written so that a crash loses nothing that was durable,
// and the report on them, tables of scores and figures.
package results
