package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

type sniffer struct {
	*table
	delim  byte
	first  record
	sample []record
	body   []record // without names
}

// readFirst derives header and columns from the first records. It reports an ambiguous first line,
// and goes on with the likelier reading.
func (t *table) readFirst(sample []record, delim byte) error {
	s := &sniffer{table: t, delim: delim, first: sample[0], sample: sample}
	var sure bool
	t.header, sure = s.isHeader()
	if err := s.setFirst(); err != nil {
		return err
	}
	what := "the line counts 0, 1, 2, ... as names of columns without names do, and may hold values"
	guess := false
	if sure {
		what = "some fields are text, others numbers"
		sure, guess = s.isRow()
	}
	if !sure {
		remedies := []Remedy{remedy("takes the line for a row", "header: false"), remedy("takes it for the names of the columns", "header: true")}
		if guess {
			slices.Reverse(remedies)
		}
		t.report(inLine(s.first.line, remedied(errors.New(what), remedies...)))
	}
	if t.header = t.header || guess; guess {
		if err := s.setFirst(); err != nil {
			return err
		}
	}
	s.describe()
	return nil
}

func (s *sniffer) setFirst() error {
	s.body, s.trailing = s.sample, 0
	if s.header {
		s.body = s.sample[1:]
	}
	s.makeColumns()
	return s.setColumns(s.columns)
}

// isRow reports whether a first line that is taken for a row is surely one, or may have names.
func (s *sniffer) isRow() (sure, named bool) {
	if s.header || s.o.Header != nil {
		return true, false
	}
	sure = true
	for c, field := range s.first.fields {
		feature := s.columns[c].role == feature && s.columns[c].words == nil
		below := len(s.body) > 1 && !s.isText(s.body[1], c) && !s.body[1].isEmpty(c)
		if s.isText(s.first, c) && !looksNumber(string(field)) && (feature || c == s.target && below) {
			sure, named = false, named || below || s.isEven(s.first)
		}
	}
	return sure, named
}

func (s *sniffer) isText(r record, c int) bool {
	if c >= len(r.fields) {
		return false
	}
	_, kind := s.o.number(r.fields[c])
	return kind == isText
}

// isHeader reports whether the first line has names. It is not sure of small counts.
func (s *sniffer) isHeader() (names, sure bool) {
	if s.o.Header != nil {
		return *s.o.Header, true
	}
	if slices.ContainsFunc(slices.Concat(s.o.Drop, s.o.OneHot, []string{s.o.Target, s.o.Clean.Column, s.o.Parts.Column}), isName) {
		return true, true
	}
	first, rows := s.first, s.sample[1:]
	f := s.fieldsOf(first, rows)
	switch {
	case f.others > 0:
		return false, true
	case f.numbers == 0:
		return f.texts > 0, true
	case len(rows) == 0:
		return false, true
	case f.quoted == f.numbers: // only names are quoted
		return true, true
	case f.own < f.numbers:
		return f.texts <= 1 && s.isAbove(rows), true
	case f.texts > 0:
		return s.isNamed(first, rows), true
	case f.unnamed:
		return distinct(rows, 0), true
	}
	return s.isCounted(first.fields[:f.end], rows)
}

type firstFields struct {
	end                    int  // before fields that are always empty
	unnamed                bool // the first is empty
	texts, numbers, others int
	own                    int
	quoted                 int // above unquoted rows
}

func (s *sniffer) fieldsOf(first record, rows []record) (f firstFields) {
	end := len(first.fields)
	for end > 1 && len(rows) > 0 && !slices.ContainsFunc(s.sample, func(r record) bool { return !r.isEmpty(end - 1) }) {
		end--
	}
	start := 0 // 1 if the first name is empty (R, pandas)
	if end > 1 && first.isEmpty(0) {
		start, f.unnamed = 1, true
	}
	f.end = end
	short := 0 // 1 if it is missing (R)
	if len(rows) > 0 && len(rows[0].fields) == len(first.fields)+1 {
		short = 1
	}
	for i, field := range first.fields[start:end] {
		switch _, kind := s.o.number(field); kind {
		case isText:
			f.texts++
		case isNumber:
			if name := string(field); name == strconv.Itoa(i) || name == strconv.Itoa(f.numbers) {
				f.own++
			}
			f.numbers++
			if c := i + start; first.isQuoted(c) && !slices.ContainsFunc(rows, func(r record) bool { return r.isQuoted(c + short) }) {
				f.quoted++
			}
		default:
			f.others++
		}
	}
	return f
}

// isEven reports whether there are three or more equidistant numbers, such as years, after an
// optional text.
func (s *sniffer) isEven(r record) bool {
	var values []float64
	for c := 0; c < len(r.fields) && (!r.isEmpty(c) || c == 0); c++ {
		if v, kind := s.o.number(r.fields[c]); kind == isNumber {
			values = append(values, v)
		} else if c > 0 {
			return false
		}
	}
	if len(values) < 3 || values[1] == values[0] {
		return false
	}
	for i, v := range values[1:] {
		if step := values[1] - values[0]; math.Abs(v-values[i]-step) > 1e-9*math.Abs(step) {
			return false
		}
	}
	return true
}

// isAbove reports whether equidistant integers are above rows of fractions only.
func (s *sniffer) isAbove(rows []record) bool {
	if len(rows) < 5 || !s.isEven(s.first) {
		return false
	}
	from := 0
	if s.first.isEmpty(0) || s.isText(s.first, 0) {
		from = 1
	}
	for c := from; c < len(s.first.fields) && !s.first.isEmpty(c); c++ {
		if !isIndex(trimSign(s.first.fields[c])) || !s.isFraction(rows, c) {
			return false
		}
	}
	return true
}

// isNamed reports whether a record with column indexes is a header: another name is above a number
// or unique in a column with repeated values, or a column has only fractions.
func (s *sniffer) isNamed(first record, rows []record) bool {
	for c, name := range first.fields {
		if !s.isText(first, c) {
			continue
		}
		if !s.isText(rows[0], c) && !rows[0].isEmpty(c) || !isAmong(rows, c, name) && !distinct(rows, c) {
			return true
		}
	}
	return s.hasFraction(rows)
}

func isAmong(rows []record, c int, text []byte) bool {
	return slices.ContainsFunc(rows, func(r record) bool { return !r.isEmpty(c) && bytes.Equal(r.fields[c], text) })
}

// isCounted reports whether a record that counts columns from 0 is a header, as pandas writes: a
// column has only fractions, or a value is unique. Six consecutive numbers are no coincidence.
func (s *sniffer) isCounted(names [][]byte, rows []record) (counted, sure bool) {
	if s.hasFraction(rows) {
		return true, true
	}
	on := len(names) // first value if rows continue the count
	for c := range names {
		if !rows[0].isEmpty(c) && string(rows[0].fields[c]) == strconv.Itoa(len(names)+c) {
			on--
		}
	}
	if len(names) < 3 || on == 0 {
		return false, true
	}
	if len(names) > 5 {
		return true, true
	}
	for c, name := range names {
		if !isAmong(rows, c, name) {
			return true, true
		}
	}
	return false, false
}

func (s *sniffer) isFraction(rows []record, c int) bool {
	fractions := 0
	for _, r := range rows {
		if r.isEmpty(c) {
			continue
		}
		switch _, kind := s.o.number(r.fields[c]); {
		case kind == isMissing:
		case kind != isNumber || isIndex(trimSign(r.fields[c])):
			return false
		default:
			fractions++
		}
	}
	return fractions > 0
}

func (s *sniffer) hasFraction(rows []record) bool {
	for c := range s.first.fields {
		if s.isFraction(rows, c) {
			return true
		}
	}
	return false
}

func trimSign(b []byte) []byte {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		return b[1:]
	}
	return b
}

func isName(ref string) bool {
	if ref == "" || ref == NoTarget {
		return false
	}
	_, err := strconv.Atoi(ref)
	return err != nil
}

func distinct(rows []record, c int) bool {
	seen := make(map[string]bool, len(rows))
	for _, r := range rows {
		if r.isEmpty(c) || seen[string(r.fields[c])] {
			return false
		}
		seen[string(r.fields[c])] = true
	}
	return true
}

func (s *sniffer) makeColumns() {
	first, rows := s.first, s.body
	width, short := len(first.fields), 0 // 1 if the header lacks the first name
	s.wide, s.headerLine = first.line, first.line
	if s.header && len(rows) > 0 {
		have := len(rows[0].fields)
		filled := func(r record, from int) bool {
			return slices.ContainsFunc(r.fields[from:], func(field []byte) bool { return len(field) > 0 })
		}
		switch {
		case have == width || slices.ContainsFunc(rows, func(r record) bool { return len(r.fields) != have }):
		case have < width && !filled(first, have),
			have > width && s.delim != ' ' && !slices.ContainsFunc(rows, func(r record) bool { return filled(r, width) }):
			width, s.wide = have, rows[0].line
		case have == width+1 && distinct(rows, 0):
			width, s.wide, short = have, rows[0].line, 1
		}
	}
	s.columns = make([]column, width)
	if s.header {
		for i := range s.columns {
			if at := i - short; at >= 0 && at < len(first.fields) {
				s.columns[i].name = string(first.fields[at])
			}
		}
	}
	if len(rows) > 0 && !slices.ContainsFunc(rows, func(r record) bool { return len(r.fields) != width }) {
		s.leaveOut(short > 0)
	}
}

// leaveOut drops row names and columns made by delimiters at line ends.
func (s *sniffer) leaveOut(short bool) {
	empty := func(c int) bool {
		return isUnnamed(s.columns[c].name) && !slices.ContainsFunc(s.body, func(r record) bool { return !r.isEmpty(c) || r.isQuoted(c) })
	}
	if s.delim != ' ' && (s.header || len(s.body) > 1) {
		for c := len(s.columns) - 1; c > 0 && empty(c); c-- {
			s.columns[c].role, s.columns[c].blank = dropped, true
			s.trailing++
		}
	}
	switch col := &s.columns[0]; {
	case !s.header || !isUnnamed(col.name):
	case short:
		col.role, col.names = dropped, fmt.Sprintf("line %d has a name for every column but this one, as R writes row names", s.headerLine)
	case empty(0):
		col.role, col.blank = dropped, true
	case distinct(s.body, 0) && slices.ContainsFunc(s.body, func(r record) bool { return s.isText(r, 0) }):
		col.role, col.names = dropped, "it has no name and another text in every row, as row names have"
	}
}

func isUnnamed(name string) bool { return name == "" || strings.HasPrefix(name, "Unnamed: ") }

func (s *sniffer) describe() {
	s.clauses[0] += " separated by " + map[byte]string{',': "commas", ';': "semicolons", '\t': "tabs", ' ': "blanks"}[s.delim]
	if s.o.Decimal == decimalComma {
		s.say("decimal commas")
	}
	if s.header {
		s.say("names in line %d", s.headerLine)
	} else {
		s.say("no names, line %d is a row", s.headerLine)
	}
	switch {
	case s.o.Header != nil:
	case s.header && s.counts():
		s.warn("line %d counts the columns from 0 and is taken for their names; header: false takes it for a row", s.headerLine)
	case s.header && s.isEven(s.first):
		s.warn("line %d has whole numbers at even distances above fractions and is taken for names; header: false takes it for a row", s.headerLine)
	case !s.header && s.isEven(s.first) && !slices.ContainsFunc(s.body[1:], func(r record) bool { return s.isEven(r) }):
		s.warn("line %d has numbers at even distances and is taken for a row; header: true takes it for names", s.headerLine)
	}
	var blank []int
	for i := range s.columns {
		switch col := &s.columns[i]; {
		case col.blank:
			blank = append(blank, i)
		case col.names != "":
			s.warn("column %d is left out: %s; %s", i, col.names, s.keeping())
		}
	}
	if blank != nil {
		s.say("left out, with neither name nor values: column %s", some(blank))
	}
}

func (t *table) keeping() string {
	return fmt.Sprintf("a name for it in line %d keeps it", t.headerLine)
}

func (s *sniffer) counts() bool {
	fields := s.first.fields[:len(s.first.fields)-min(s.trailing, len(s.first.fields)-1)]
	if len(fields) > 1 && len(fields[0]) == 0 {
		fields = fields[1:]
	}
	for i, field := range fields {
		if string(field) != strconv.Itoa(i) {
			return false
		}
	}
	return len(fields) > 1
}
