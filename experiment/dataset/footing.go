package dataset

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
)

// totals match words that begin lines below a table.
var totals = regexp.MustCompile(`^(?i:(grand |sub)?totals?|sum|summe|gesamt(summe)?|insgesamt|somme|suma|totale|average|avg|mean|median|mittelwert|durchschnitt|moyenne|media|promedio|count|std|min|max|source|quelle|notes?)([ :.]|$)`)

func isTotal(field []byte) bool { return len(field) > 2 && field[0] >= 'A' && totals.Match(field) }

// bottom holds back records that may be below the table, such as totals, until another follows.
type bottom struct {
	*table
	held []record
}

// footing returns the column of the text by which a record seems to be below a table of a width: a
// word of totals, text alone, or nothing. It returns -1 for other records.
func (t bottom) footing(row record, width int) (column int) {
	if at := slices.IndexFunc(row.fields, isTotal); at >= 0 {
		return at
	}
	filled, first := 0, 0
	for c := range row.fields {
		if row.isEmpty(c) && !row.isQuoted(c) {
			continue
		}
		if filled++; filled == 1 {
			first = c
		} else if len(row.fields) == width {
			return -1
		}
	}
	other := func(field []byte) bool { _, kind := t.parse(field); return kind != isText && len(field) > 0 }
	if filled > 0 && (width == 1 || slices.ContainsFunc(row.fields, other)) {
		return -1
	}
	return first
}

// repeatsNames reports whether a record has the names of the columns, of which one is no number.
func (r record) repeatsNames(t *table) bool {
	text := false
	return t.header && len(t.columns) > 1 && slices.EqualFunc(r.fields, t.columns, func(field []byte, c column) bool {
		if field = bytes.TrimPrefix(field, utf8Mark); c.name == "" || c.name != string(field) {
			return false
		}
		_, kind := t.o.number(field)
		text = text || kind == isText
		return true
	}) && text
}

func (t *bottom) add(row record) error {
	const most = 100
	if len(t.held) < most && t.rows > 1 && t.footing(row, len(t.columns)) >= 0 {
		t.held = append(t.held, row.clone())
		return nil
	}
	for _, held := range t.held {
		if err := t.addRecord(held); err != nil {
			return err
		}
	}
	t.held = nil
	return t.addRecord(row)
}

// settle reports records below the table, which are text in a column of numbers or have another
// number of fields. Empty ones are none, others rows, with a warning if their text is new.
func (t *bottom) settle() error {
	for _, row := range t.held {
		c := t.footing(row, len(t.columns))
		text := row.fields[c]
		below := fmt.Errorf("%q seems to be below the table, as totals and notes are; delete the line", short(text))
		_, kind := t.parse(text)
		switch uneven := len(row.fields) != len(t.columns); {
		case len(text) == 0 && !row.isQuoted(c):
			continue
		case kind == isText && uneven:
			t.report(inLine(row.line, fmt.Errorf("%d fields, where line %d has %d: %w", len(row.fields), t.wide, len(t.columns), below)))
			continue
		case kind == isText && t.columns[c].role != dropped && t.columns[c].words == nil && t.columns[c].refused.count == 0:
			t.report(t.inColumn(c, row.line, below))
			continue
		case isTotal(text) && (t.columns[c].words == nil || !t.columns[c].words.has(text)):
			t.warn("line %d has %q, as a line of totals has; delete the line if it is one", row.line, short(text))
		}
		if err := t.addRecord(row); err != nil {
			return err
		}
	}
	return nil
}
