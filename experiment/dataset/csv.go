package dataset

import (
	"errors"
	"fmt"
	"io"
)

// Largest sample, from which the first line is judged; at least two records.
const (
	sampleRecords = 64
	sampleBytes   = 1 << 20
)

func readDelimited(l *lines, t *table, delim byte) error {
	t.delim = delim
	t.marks = t.o.marks()
	s := splitter{delim: delim, most: t.limits.columns}
	next, err := s.record(l)
	var sample []record
	for size := 0; err == nil && (len(sample) < 2 || len(sample) < sampleRecords && size < sampleBytes); next, err = s.record(l) {
		for _, field := range next.fields {
			size += 64 + len(field)
		}
		sample = append(sample, next.clone())
	}
	if len(sample) == 0 {
		if errors.Is(err, io.EOF) {
			return errEmpty
		}
		return err
	}
	judged, below := sample, bottom{table: t}
	for errors.Is(err, io.EOF) && len(judged) > 2 && below.footing(judged[len(judged)-1], len(judged[0].fields)) >= 0 {
		judged = judged[:len(judged)-1]
	}
	if err := t.readFirst(judged, delim); err != nil {
		return inLine(sample[0].line, err)
	}
	if t.header {
		sample = sample[1:]
	}
	for _, row := range sample {
		if err := below.add(row); err != nil {
			return err
		}
	}
	for ; err == nil; next, err = s.record(l) {
		if err := below.add(next); err != nil {
			return err
		}
	}
	if errors.Is(err, io.EOF) {
		return below.settle()
	}
	return err
}

func (t *table) addRecord(row record) error {
	if row.repeatsNames(t) {
		t.report(inLine(row.line, fmt.Errorf("repeats the names of line %d, as files that were joined do; delete the line", t.headerLine)))
		return nil
	}
	if have, width := len(row.fields), len(t.columns); have != width {
		if t.uneven++; t.uneven == 1 {
			t.report(inLine(row.line, fmt.Errorf("%d fields, where line %d has %d", have, t.wide, width)))
			t.first = t.problems[len(t.problems)-1]
		}
		return nil
	}
	if err := t.begin(row.line); err != nil {
		return inLine(row.line, err)
	}
	for c, field := range row.fields {
		if !t.o.KeepQuoted && len(field) > 0 && row.isQuoted(c) && t.columns[c].role != dropped {
			if _, kind := t.parse(field); kind == isMissing {
				t.inQuotes++
			}
		}
		if err := t.set(c, field, t.o.KeepQuoted && row.isQuoted(c)); err != nil {
			return t.inColumn(c, row.line, err)
		}
	}
	t.end()
	return nil
}
