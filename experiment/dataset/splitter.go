package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// splitter cuts lines into fields, valid until the next call.
type splitter struct {
	delim  byte // ' ' means runs of blanks and tabs
	most   int  // fields per line
	arff   bool // ' also quotes, \ escapes in quotes, % starts a comment, quotes end in their line
	fields [][]byte
	quoted []bool
	text   []byte // of quoted fields
}

type record struct {
	fields [][]byte
	quoted []bool
	line   int // first
}

func (r record) clone() record {
	fields := lists.Map(r.fields, func(field []byte) []byte { return append([]byte{}, field...) })
	return record{fields, slices.Clone(r.quoted), r.line}
}

func (r record) isQuoted(c int) bool { return c < len(r.quoted) && r.quoted[c] }

func (r record) isEmpty(c int) bool { return c >= len(r.fields) || len(r.fields[c]) == 0 }

// record reads the next line that is not blank, with further lines of its quotes.
func (s *splitter) record(l *lines) (record, error) {
	for {
		b, err := l.next()
		if errors.Is(err, io.EOF) {
			return record{}, err
		}
		line := l.line
		if err == nil {
			if s.skipBlanks(b, 0) == len(b) {
				continue
			}
			err = checkText(b)
		}
		if err == nil {
			err = s.split(b, l)
		}
		if err != nil {
			return record{}, inLine(line, err)
		}
		return record{s.fields, s.quoted, line}, nil
	}
}

func (s *splitter) split(b []byte, l *lines) error {
	s.clear()
	stops := string(s.delim)
	switch {
	case s.arff && s.delim == ' ':
		stops = " \t%"
	case s.arff:
		stops = ",%"
	case s.delim == ' ':
		stops = " \t"
	}
	i := s.skipBlanks(b, 0)
	for more := i < len(b); more; {
		if len(s.fields) == s.most {
			return fmt.Errorf("more than %d columns, the most that are allowed", s.most)
		}
		var err error
		if b, i, err = s.field(b, i, stops, l); err != nil {
			return err
		}
		switch i = s.skipBlanks(b, i); {
		case i >= len(b) || s.arff && b[i] == '%':
			more = false
		case s.delim == ' ':
		case b[i] == s.delim:
			i = s.skipBlanks(b, i+1)
		default:
			return fmt.Errorf("%q after a closing quote: allowed is %q or the end of the line", short(b[i:]), s.delim)
		}
	}
	return nil
}

func (s *splitter) clear() { s.fields, s.quoted, s.text = s.fields[:0], s.quoted[:0], s.text[:0] }

// field appends the field at b[i], which without quotes ends before a stop. It returns the line and
// index of its end.
func (s *splitter) field(b []byte, i int, stops string, l *lines) (rest []byte, end int, err error) {
	if i < len(b) && (b[i] == '"' || s.arff && b[i] == '\'') {
		start := len(s.text)
		rest, end, err = s.quote(b, i+1, b[i], l)
		s.fields, s.quoted = append(s.fields, s.text[start:]), append(s.quoted, true)
		return rest, end, err
	}
	if end = bytes.IndexAny(b[i:], stops); end < 0 {
		end = len(b) - i
	}
	s.fields, s.quoted = append(s.fields, trim(b[i:i+end])), append(s.quoted, false)
	return b, i + end, nil
}

func (s *splitter) quote(b []byte, i int, mark byte, l *lines) ([]byte, int, error) {
	line := l.line
	for {
		switch {
		case i >= len(b):
			if s.arff {
				return nil, 0, fmt.Errorf("the quote %c is not closed", mark)
			}
			s.text = append(s.text, '\n')
			for k, field := range s.fields { // of the line that goes
				s.fields[k] = bytes.Clone(field)
			}
			var err error
			if b, err = l.next(); errors.Is(err, io.EOF) {
				return nil, 0, fmt.Errorf("the quote %c is not closed up to the end of the file", mark)
			} else if err != nil {
				return nil, 0, fmt.Errorf("in a quote open to line %d: %w", l.line, err)
			}
			if err = checkText(b); err == nil && len(s.text)+len(b) > l.limit {
				err = fmt.Errorf("longer than %d bytes, the longest row allowed", l.limit)
			}
			if err != nil {
				return nil, 0, fmt.Errorf("in a quote open from line %d to line %d: %w", line, l.line, err)
			}
			i = 0
		case s.arff && b[i] == '\\' && i+1 < len(b):
			s.text = append(s.text, escaped(b[i+1]))
			i += 2
		case b[i] != mark:
			s.text = append(s.text, b[i])
			i++
		case !s.arff && i+1 < len(b) && b[i+1] == mark:
			s.text = append(s.text, mark)
			i += 2
		default:
			return b, i + 1, nil
		}
	}
}

func escaped(c byte) byte {
	if at := strings.IndexByte("nrt", c); at >= 0 {
		return "\n\r\t"[at]
	}
	return c
}

func (s *splitter) skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' && s.delim != '\t') {
		i++
	}
	return i
}

func trim(b []byte) []byte { return bytes.Trim(b, " \t") }

func short(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	return string(b[:most]) + "..."
}
