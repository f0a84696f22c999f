package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// CSV writes fields that spreadsheets do not evaluate: names come from other people's files and
// grids.
type CSV struct {
	w     *csv.Writer
	plain []string
}

// NewCSV returns a writer to w. Call [CSV.Flush] at the end.
func NewCSV(w io.Writer) *CSV { return &CSV{w: csv.NewWriter(w)} }

// Add writes one row: numbers exactly, NaN and nil as empty fields, times in UTC as
// 2026-11-25T21:31:09.000000Z, a []string as several fields, others by [fmt.Sprint]. [CSV.Flush]
// returns its error.
func (c *CSV) Add(values ...any) {
	c.plain = c.plain[:0]
	add := func(text string) {
		if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" && strings.IndexAny(text, formulaStarts) == 0 {
			text = "'" + text
		}
		c.plain = append(c.plain, text)
	}
	for _, value := range values {
		switch value := value.(type) {
		case nil:
			add("")
		case []string:
			for _, text := range value {
				add(text)
			}
		case float64:
			text := ""
			if !math.IsNaN(value) {
				text = strconv.FormatFloat(value, 'g', -1, 64)
			}
			add(text)
		case time.Time:
			add(value.Format("2006-01-02T15:04:05.000000Z"))
		default:
			add(fmt.Sprint(value))
		}
	}
	_ = c.w.Write(c.plain) // Flush returns the error
}

func (c *CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

// formulaStarts begin formulas, also in full width or after white space. Source: OWASP, CSV
// Injection.
const formulaStarts = "=+-@\t\r\n＝＋－＠"
