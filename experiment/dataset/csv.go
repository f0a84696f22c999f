package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// readDelimited reads a csv, tsv or space file.
func readDelimited(l *lines, t *table, delim byte) error {
	s := &splitter{delim: delim, most: t.limits.columns}
	fields, line, err := s.record(l)
	if errors.Is(err, io.EOF) {
		return errEmpty
	} else if err != nil {
		return inLine(line, err)
	}
	header, err := t.firstRecord(fields)
	if err != nil {
		return inLine(line, err)
	}
	width, first := len(fields), line
	textual := false // whether the first row's target is text, which may be a header after all
	if !header {
		textual = t.o.Header == nil && t.isTextTarget(fields)
		if err := t.addFields(fields, line); err != nil {
			return err
		}
	}
	for {
		fields, line, err := s.record(l)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return inLine(line, err)
		}
		if len(fields) != width {
			return inLine(line, fmt.Errorf("%d fields, where line %d has %d", len(fields), first, width))
		}
		if textual {
			if textual = false; !t.isTextTarget(fields) {
				return inLine(first, errHeader)
			}
		}
		if err := t.addFields(fields, line); err != nil {
			return err
		}
	}
}

// errHeader is the error of a first line that is half a header.
var errHeader = errors.New("some fields are text, others numbers: say whether the line holds the names of the columns (header: true or false)")

// firstRecord sets the columns by the first record, and tells whether it is a
// header.
func (t *table) firstRecord(fields [][]byte) (header bool, err error) {
	columns := make([]column, len(fields))
	texts, others := 0, 0
	for i, field := range fields {
		if _, kind := parse(field); kind == isText {
			texts++
		} else if i > 0 || len(field) > 0 { // R and pandas leave the name of the first column empty
			others++
		}
	}
	switch {
	case t.o.Header != nil:
		header = *t.o.Header
	default:
		header = texts > 0 && others == 0 || slices.ContainsFunc(slices.Concat(t.o.Drop, t.o.OneHot, []string{t.o.Target}), isName)
	}
	if header {
		for i, field := range fields {
			columns[i].name = string(field)
		}
	}
	if err := t.setColumns(columns); err != nil {
		return false, err
	}
	if t.o.Header == nil && !header && texts > 0 {
		for i, field := range fields {
			if _, kind := parse(field); kind == isText && columns[i].role == feature && !t.encodes(&columns[i]) {
				return false, errHeader
			}
		}
	}
	return header, nil
}

// isName tells whether a reference to a column is no index.
func isName(ref string) bool {
	if ref == "" || ref == NoTarget {
		return false
	}
	_, err := strconv.Atoi(ref)
	return err != nil
}

// isTextTarget tells whether the field of the target is text.
func (t *table) isTextTarget(fields [][]byte) bool {
	if t.target < 0 {
		return false
	}
	_, kind := parse(fields[t.target])
	return kind == isText
}

// addFields adds a row that has a field for each column.
func (t *table) addFields(fields [][]byte, line int) error {
	if err := t.begin(line); err != nil {
		return inLine(line, err)
	}
	for c, field := range fields {
		if err := t.set(c, field, false); err != nil {
			return t.inColumn(c, line, err)
		}
	}
	t.end()
	return nil
}
