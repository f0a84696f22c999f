// Package report writes the report of a run: its figures, and its tables, laid out once as sheets
// of text, in several formats.
package report
