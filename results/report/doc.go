// Package report writes the report of a run: its figures, and its tables, laid out once as sheets
// of text, as Markdown, LaTeX, HTML, comma-separated values or aligned text.
package report
