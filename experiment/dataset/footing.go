package dataset

import (
	"bytes"
	"fmt"
	"slices"
)

// totals are words that begin lines below a table.
var totals = map[string]bool{
	"total": true, "totals": true, "subtotal": true, "grand": true, "sum": true, "summe": true, "gesamt": true, "gesamtsumme": true,
	"insgesamt": true, "somme": true, "suma": true, "totale": true, "average": true, "avg": true, "mean": true, "median": true, "mittelwert": true,
	"durchschnitt": true, "moyenne": true, "media": true, "promedio": true, "count": true, "std": true, "min": true, "max": true, "source": true, "quelle": true, "note": true,
}

func isTotal(field []byte) bool {
	var word [16]byte
	for i, b := range field {
		lower := b | 0x20
		if lower < 'a' || lower > 'z' || i == len(word) {
			return (b == ' ' || b == ':' || b == '.') && totals[string(word[:i])]
		}
		word[i] = lower
	}
	return totals[string(word[:len(field)])]
}

// footing returns the column of the text by which a record seems to be below a table of a width: a
// word of totals, text alone, or nothing. It returns -1 for other records.
func (t *table) footing(row record, width int) (column int) {
	filled, first := 0, 0
	for c, field := range row.fields {
		if len(field) > 0 {
			if filled++; filled == 1 {
				first = c
			}
			if isTotal(field) {
				return c
			}
		}
	}
	if len(row.fields) == width && (filled > 1 || width == 1) || slices.Contains(row.quoted, true) && filled == 0 {
		return -1
	}
	for _, field := range row.fields {
		if _, kind := t.parse(field); len(field) > 0 && kind != isText {
			return -1
		}
	}
	return first
}

// repeatsNames reports whether a record has the names of the columns.
func (t *table) repeatsNames(row record) bool {
	if !t.header || len(row.fields) != len(t.columns) || len(t.columns) < 2 {
		return false
	}
	for c, field := range row.fields {
		if name := t.columns[c].name; name == "" || name != string(bytes.TrimPrefix(field, utf8Mark)) {
			return false
		}
	}
	return true
}

// holdRecord keeps records that may be below the table until another follows.
func (t *table) holdRecord(row record) error {
	const most = 100
	if len(t.held) < most && t.rows > 1 && t.footing(row, len(t.columns)) >= 0 {
		t.held = append(t.held, row.clone())
		return nil
	}
	for _, held := range append(t.held, row) {
		if err := t.addRecord(held); err != nil {
			return err
		}
	}
	t.held = nil
	return nil
}

// settleHeld reports records below the table, which are text in a column of numbers or have another
// number of fields. Others are rows, with a warning if their text is new.
func (t *table) settleHeld() error {
	var below []*ReadError
	empty := 0
	for _, row := range t.held {
		c := t.footing(row, len(t.columns))
		uneven, text := len(row.fields) != len(t.columns), row.fields[c]
		_, kind := t.parse(text)
		switch {
		case len(text) == 0:
			empty++
			continue
		case kind == isText && uneven:
			below = append(below, &ReadError{Column: -1, Line: row.line, Err: fmt.Errorf("%d fields, where line %d has %d: %q", len(row.fields), t.wide, len(t.columns), short(text))})
			continue
		case kind == isText && t.columns[c].role != dropped && t.columns[c].words == nil && t.columns[c].refused.count == 0:
			below = append(below, readError(t.inColumn(c, row.line, fmt.Errorf("%q", short(text)))))
			continue
		case isTotal(text) && (t.columns[c].words == nil || !t.columns[c].words.has(text)):
			t.warn("line %d has %q, as a line of totals has; delete the line if it is one", row.line, short(text))
		}
		if err := t.addRecord(row); err != nil {
			return err
		}
	}
	if empty > 0 {
		t.say("%d empty lines below the table left out", empty)
	}
	for i, at := range below {
		at.Err = fmt.Errorf("%w seems to be below the table, as totals and notes are; delete the line", at.Err)
		if i == someMost && len(below) > i+1 {
			at.Err = fmt.Errorf("%w, and the %d below", at.Err, len(below)-1-i)
			below = below[:i+1]
		}
		t.report(at)
	}
	return nil
}
