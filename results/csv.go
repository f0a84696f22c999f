package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// CSV writes comma-separated values of which no field is a formula to a
// spreadsheet: names of data sets, features and settings come from files and
// grids of others. Numbers stay as they are.
type CSV struct {
	w     *csv.Writer
	plain []string
}

// NewCSV returns a writer to w. Call [CSV.Flush] at the end.
func NewCSV(w io.Writer) *CSV { return &CSV{w: csv.NewWriter(w)} }

// Write writes one row, which it does not change.
func (c *CSV) Write(row []string) error {
	c.plain = c.plain[:0]
	for _, field := range row {
		c.plain = append(c.plain, plainField(field))
	}
	return c.w.Write(c.plain)
}

// Add writes one row of values: numbers exactly, NaN as an empty field, a []string
// as several fields, others as [fmt.Sprint] does. [CSV.Flush] returns its error.
func (c *CSV) Add(values ...any) {
	var row []string
	for _, value := range values {
		switch value := value.(type) {
		case []string:
			row = append(row, value...)
		case float64:
			row = append(row, exactly(value))
		default:
			row = append(row, fmt.Sprint(value))
		}
	}
	_ = c.Write(row) // Flush returns it
}

// exactly writes x exactly, "" where it is not a number.
func exactly(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Flush writes what is buffered and returns the first error of all writes.
func (c *CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

// formulaStarts are the first characters by which spreadsheets tell a formula,
// those of full width too, and the white space that some of them skip before.
// Source: OWASP, CSV Injection.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// plainField puts an apostrophe before a text that a spreadsheet would compute.
// A number with its sign is none.
func plainField(text string) string {
	if text == "" || strings.IndexAny(text, formulaStarts) != 0 {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
