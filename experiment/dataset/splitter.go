package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// splitter cuts lines into fields, valid until the next call.
type splitter struct {
	delim  byte // ' ' means runs of blanks and tabs
	most   int  // fields per line
	arff   bool // ' also quotes, \ escapes in quotes, % starts a comment, quotes end in their line
	fields [][]byte
	quoted []bool // for lines with quotes
	text   []byte // fields of a line with quotes
	ends   []int
}

// record reads the next line that is not blank, with further lines of its quotes. line is the
// first.
func (s *splitter) record(l *lines) (fields [][]byte, line int, err error) {
	for {
		b, err := l.next()
		if err != nil {
			return nil, l.line, err
		}
		if s.skipBlanks(b, 0) == len(b) {
			continue
		}
		line = l.line
		if err := checkText(b); err != nil {
			return nil, line, err
		}
		fields, err = s.split(b, l)
		return fields, line, err
	}
}

func (s *splitter) split(b []byte, l *lines) ([][]byte, error) {
	s.clear()
	if bytes.IndexByte(b, '"') >= 0 || s.arff && (bytes.IndexByte(b, '\'') >= 0 || bytes.IndexByte(b, '%') >= 0) {
		err := s.splitQuoted(b, l)
		return s.fields, err
	}
	s.fields = s.fields[:0]
	if s.delim == ' ' {
		err := s.splitBlanks(b)
		return s.fields, err
	}
	for {
		if len(s.fields) == s.most {
			return nil, s.errMost()
		}
		i := bytes.IndexByte(b, s.delim)
		if i < 0 {
			s.fields = append(s.fields, trim(b))
			return s.fields, nil
		}
		s.fields = append(s.fields, trim(b[:i]))
		b = b[i+1:]
	}
}

func (s *splitter) errMost() error {
	return fmt.Errorf("more than %d columns, the most that are allowed", s.most)
}

func (s *splitter) splitBlanks(b []byte) error {
	for field, rest := word(b); len(field) > 0; field, rest = word(rest) {
		if len(s.fields) == s.most {
			return s.errMost()
		}
		s.fields = append(s.fields, field)
	}
	return nil
}

func (s *splitter) splitQuoted(b []byte, l *lines) error {
	s.fields = s.fields[:0]
	stops := string(s.delim)
	if s.delim == ' ' {
		stops = " \t"
	}
	if s.arff {
		stops += "%"
	}
	i := s.skipBlanks(b, 0)
	for more := i < len(b); more; {
		if len(s.ends) == s.most {
			return s.errMost()
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
	for k := range s.ends {
		s.fields = append(s.fields, s.nth(k))
	}
	return nil
}

func (s *splitter) clear() { s.text, s.ends, s.quoted = s.text[:0], s.ends[:0], s.quoted[:0] }

// nth is the k-th field since clear.
func (s *splitter) nth(k int) []byte {
	start := 0
	if k > 0 {
		start = s.ends[k-1]
	}
	return s.text[start:s.ends[k]]
}

// field appends the field at b[i], which without quotes ends before a stop. It returns the line and
// index of its end.
func (s *splitter) field(b []byte, i int, stops string, l *lines) ([]byte, int, error) {
	if i < len(b) && (b[i] == '"' || s.arff && b[i] == '\'') {
		rest, end, err := s.quote(b, i+1, b[i], l)
		s.ends, s.quoted = append(s.ends, len(s.text)), append(s.quoted, true)
		return rest, end, err
	}
	start := i
	for i < len(b) && strings.IndexByte(stops, b[i]) < 0 {
		i++
	}
	s.text = append(s.text, trim(b[start:i])...)
	s.ends, s.quoted = append(s.ends, len(s.text)), append(s.quoted, false)
	return b, i, nil
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
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func (s *splitter) skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' && s.delim != '\t') {
		i++
	}
	return i
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

func short(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	return string(b[:most]) + "..."
}
