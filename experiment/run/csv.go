package run

import (
	"encoding/csv"
	"io"
)

// csvWriter writes a table row by row.
type csvWriter struct {
	w   *csv.Writer
	row []string
}

func newCSV(w io.Writer) *csvWriter { return &csvWriter{w: csv.NewWriter(w)} }

func (c *csvWriter) text(s string) { c.row = append(c.row, s) }

// end ends the row. An error is kept for flush.
func (c *csvWriter) end() {
	_ = c.w.Write(c.row) // csv.Writer keeps its first error
	c.row = c.row[:0]
}

func (c *csvWriter) flush() error {
	c.w.Flush()
	return c.w.Error()
}
