package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// sparse collects rows until the number of features is known.
type sparse struct {
	labels  []float64 // NaN if missing
	lines   []int
	ends    []int // by row, in indices and values
	indices []int32
	values  []float64 // NaN if missing
	base    int       // smallest index, at most 1
	width   int
}

// readLIBSVM reads "label index:value ..." with ascending indices from 1 (LIBSVM, SVMlight) or 0
// (scikit-learn). It ignores qid:number and comments after #.
func readLIBSVM(l *lines, t *table) error {
	s := &sparse{base: 1}
	for {
		b, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			b, _, _ = bytes.Cut(b, []byte("#"))
			err = checkText(b)
		}
		if err == nil {
			err = s.row(b, l.line, t.limits.columns)
		}
		if err == nil {
			err = t.limits.check(s.bytes(), len(s.lines), 0)
		}
		if err != nil {
			return inLine(l.line, err)
		}
	}
	if len(s.lines) == 0 {
		return errEmpty
	}
	return s.fill(t)
}

func (s *sparse) bytes() int64 {
	return growing * int64((8+8+8)*len(s.lines)+(4+8)*len(s.values))
}

func word(b []byte) (first, rest []byte) {
	b = trim(b)
	for i, c := range b {
		if c == ' ' || c == '\t' {
			return b[:i], b[i:]
		}
	}
	return b, nil
}

func (s *sparse) row(b []byte, line, most int) error {
	field, b := word(b)
	if len(field) == 0 {
		return nil
	}
	label, kind := parse(field)
	switch kind {
	case isMissing:
		label = math.NaN()
	case isInfinite, isText:
		return fmt.Errorf("label %q: allowed are finite numbers", short(field))
	}
	s.labels, s.lines = append(s.labels, label), append(s.lines, line)
	previous := -1
	for first := true; len(b) > 0; first = false {
		if field, b = word(b); len(field) == 0 {
			break
		}
		name, text, found := bytes.Cut(field, []byte(":"))
		if first && found && string(name) == "qid" {
			continue
		}
		if !found || !isIndex(name) {
			return fmt.Errorf("%q: allowed is index:value", short(field))
		}
		index, err := strconv.Atoi(string(name))
		if err != nil || index > most {
			return fmt.Errorf("index %s: at most %d is allowed", short(name), most)
		}
		if index <= previous {
			return fmt.Errorf("index %d after %d: indices ascend", index, previous)
		}
		previous, s.base = index, min(s.base, index)
		v, kind := parse(text)
		if kind == isMissing {
			v = math.NaN()
		} else if kind != isNumber {
			return fmt.Errorf("index %d: %w", index, notNumber(text, kind))
		}
		s.indices, s.values = append(s.indices, int32(index)), append(s.values, v) //nolint:gosec // bounded above
	}
	s.width = max(s.width, previous) // largest index until the end
	s.ends = append(s.ends, len(s.values))
	return nil
}

const labelColumn = "label"

func (s *sparse) fill(t *table) error {
	if target := t.o.Target; target != "" && target != labelColumn && target != NoTarget {
		return fmt.Errorf("target %q: the target of a libsvm file is its %s", target, labelColumn)
	}
	s.width += 1 - s.base
	columns := make([]column, s.width+1)
	for i := range s.width {
		columns[i].name = strconv.Itoa(i + s.base)
	}
	columns[s.width] = column{name: labelColumn, role: dropped} // unless the target
	t.named, t.standard = true, s.width
	t.say("indices from %d", s.base)
	if err := t.setColumns(columns); err != nil {
		return err
	}
	t.taken = s.bytes()
	if err := t.fits(len(s.lines)); err != nil {
		return err
	}
	t.x = make([]float64, 0, t.width*len(s.lines))
	start := 0
	for row, line := range s.lines {
		if err := t.begin(line); err != nil {
			return inLine(line, err)
		}
		for k := start; k < s.ends[row]; k++ {
			if err := t.setFloat(int(s.indices[k])-s.base, s.values[k]); err != nil {
				return err
			}
		}
		if err := t.setFloat(s.width, s.labels[row]); err != nil {
			return err
		}
		start = s.ends[row]
		t.end()
	}
	return nil
}

func (t *table) setFloat(c int, v float64) error {
	if !math.IsNaN(v) {
		t.setNumber(c, v)
		return nil
	}
	if err := t.setMissing(c); err != nil {
		return t.inColumn(c, t.line, err)
	}
	return nil
}
