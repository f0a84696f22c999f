package dataset

import (
	"errors"
	"fmt"
	"io"
)

type record struct {
	fields [][]byte
	quoted []bool // by field; nil for a line without quotes
	line   int    // first
}

func (r record) isQuoted(c int) bool { return c < len(r.quoted) && r.quoted[c] }

func (r record) isEmpty(c int) bool { return c >= len(r.fields) || len(r.fields[c]) == 0 }

type records struct {
	l      *lines
	s      splitter
	sample []record
	at     int
	err    error // of the sample
}

// Largest sample; at least two records.
const (
	sampleRecords = 64
	sampleBytes   = 1 << 20
)

func (r *records) look() {
	for size := 0; len(r.sample) < 2 || len(r.sample) < sampleRecords && size < sampleBytes; {
		next, err := r.read()
		if err != nil {
			r.err = err
			return
		}
		kept := record{fields: make([][]byte, len(next.fields)), quoted: append([]bool(nil), next.quoted...), line: next.line}
		for i, field := range next.fields {
			kept.fields[i] = append([]byte{}, field...)
			size += 64 + len(field)
		}
		r.sample = append(r.sample, kept)
	}
}

// read returns a record, valid until the next call.
func (r *records) read() (record, error) {
	fields, line, err := r.s.record(r.l)
	if errors.Is(err, io.EOF) {
		return record{}, io.EOF
	} else if err != nil {
		return record{}, inLine(line, err)
	}
	return record{fields: fields, quoted: r.s.quoted, line: line}, nil
}

func (r *records) next() (record, error) {
	if r.at < len(r.sample) {
		r.at++
		return r.sample[r.at-1], nil
	}
	if r.err != nil {
		return record{}, r.err
	}
	return r.read()
}

func readDelimited(l *lines, t *table, delim byte) error {
	r := &records{l: l, s: splitter{delim: delim, most: t.limits.columns}}
	r.look()
	if len(r.sample) == 0 {
		if errors.Is(r.err, io.EOF) {
			return errEmpty
		}
		return r.err
	}
	if err := t.readFirst(r.sample, delim); err != nil {
		return inLine(r.sample[0].line, err)
	}
	if t.header {
		r.at = 1
	}
	for {
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if have, width := len(row.fields), len(t.columns); have != width {
			return inLine(row.line, fmt.Errorf("%d fields, where line %d has %d", have, t.wide, width))
		}
		if err := t.addRecord(row); err != nil {
			return err
		}
	}
}

func (t *table) addRecord(row record) error {
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
