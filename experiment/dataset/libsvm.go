package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

const labelColumn = "label"

// readLIBSVM reads "label index:value ..." with ascending indices from 1 (LIBSVM, SVMlight) or 0
// (scikit-learn). It ignores qid:number and comments after #.
func readLIBSVM(l *lines, t *table) error {
	if target := t.o.Target; target != "" && target != labelColumn && target != NoTarget {
		return fmt.Errorf("target %q: the target of a libsvm file is its %s", target, labelColumn)
	}
	t.named = true
	label := dropped
	if t.o.Target != NoTarget && t.o.Classes.NegativeRows == 0 {
		label = target
	}
	t.columns = []column{{name: labelColumn, role: label}}
	t.addIndices(0)
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
			err = t.addSparse(b, l.line)
		}
		if err != nil {
			return inLine(l.line, err)
		}
	}
	if t.rows == 0 {
		return errEmpty
	}
	columns := slices.Concat(t.columns[1:], t.columns[:1])
	base := 0
	if columns[0].values == nil {
		base = 1
	}
	columns[len(columns)-1].role = dropped // unless the target
	t.standard = len(columns) - 1 - base
	t.say("indices from %d", base)
	return t.setColumns(columns[base:])
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

// addIndices adds columns up to an index; column i + 1 has index i.
func (t *table) addIndices(last int) {
	for i := len(t.columns) - 1; i <= last; i++ {
		c := column{name: strconv.Itoa(i)}
		if slices.Contains(t.o.Drop, c.name) {
			c.role = dropped
		}
		t.columns = append(t.columns, c)
	}
	t.width = len(t.columns) - 1
	if t.columns[1].values == nil {
		t.width-- // indices from 1
	}
}

func (t *table) nextIndex(name []byte, previous int) (int, error) {
	index, err := strconv.Atoi(string(name))
	if most := t.limits.columns; err != nil || index > most {
		return 0, fmt.Errorf("index %s: at most %d is allowed", short(name), most)
	}
	if index <= previous {
		return 0, fmt.Errorf("index %d after %d: indices ascend", index, previous)
	}
	return index, nil
}

func (t *table) addSparse(b []byte, line int) error {
	field, b := word(b)
	if len(field) == 0 {
		return nil
	}
	label, kind := parse(field)
	if kind == isInfinite || kind == isText {
		return fmt.Errorf("label %q: allowed are finite numbers", short(field))
	}
	if err := t.begin(line); err != nil {
		return err
	}
	if t.columns[0].role == target {
		if kind == isMissing {
			t.put(0, label, kind)
		} else if err := t.putLabel(0, field, label); err != nil {
			return t.inColumn(0, line, err)
		}
	}
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
		index, err := t.nextIndex(name, previous)
		if err != nil {
			return err
		}
		previous = index
		v, kind := parse(text)
		switch kind {
		case isInfinite:
			return fmt.Errorf("index %d: %q is infinite: allowed are finite numbers", index, short(text))
		case isText:
			return fmt.Errorf("index %d: text %q in a number column", index, short(text))
		}
		if t.addIndices(index); t.columns[index+1].role == feature {
			t.put(index+1, v, kind)
		}
	}
	if err := t.fits(len(t.lines)); err != nil {
		return err
	}
	t.end()
	return nil
}
