// Package report writes what a run says: its tables laid out once as sheets of text,
// dressed as Markdown, LaTeX, HTML, comma-separated values or aligned text, with its
// figures.
package report
