package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// CSV writes fields that spreadsheets do not evaluate: names come from other people's files and
// grids.
type CSV struct {
	w     *csv.Writer
	plain []string
}

// NewCSV returns a writer to w. Call [CSV.Flush] at the end.
func NewCSV(w io.Writer) *CSV { return &CSV{w: csv.NewWriter(w)} }

func (c *CSV) Write(row []string) error {
	c.plain = c.plain[:0]
	for _, field := range row {
		c.plain = append(c.plain, plainField(field))
	}
	return c.w.Write(c.plain)
}

// Add writes one row: numbers exactly, NaN as an empty field, a []string as several fields, others
// by [fmt.Sprint]. [CSV.Flush] returns its error.
func (c *CSV) Add(values ...any) {
	var row []string
	for _, value := range values {
		switch value := value.(type) {
		case []string:
			row = append(row, value...)
		case float64:
			text := ""
			if !math.IsNaN(value) {
				text = strconv.FormatFloat(value, 'g', -1, 64)
			}
			row = append(row, text)
		default:
			row = append(row, fmt.Sprint(value))
		}
	}
	_ = c.Write(row) // Flush returns the error
}

func (c *CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

// formulaStarts begin formulas, also in full width or after white space. Source: OWASP, CSV
// Injection.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

func plainField(text string) string {
	if text == "" || strings.IndexAny(text, formulaStarts) != 0 {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
