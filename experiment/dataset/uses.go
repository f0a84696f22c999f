package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// RowColumn is a column, no feature, whose values say what a row may be used for.
type RowColumn struct {
	Column string     // as in [Options.Target], "" for none
	Values [][]string // of each use; numerals compare as numbers
}

// Default values of the columns of [Options].
var (
	CleanValues = [][]string{{"1", "true", "yes", "clean"}, {"0", "false", "no", ""}}
	PartValues  = [][]string{{"train"}, {"validation"}, {"test"}}
)

// use says what a row may be used for: whether it is known to be clean, and its part.
type use struct {
	clean bool
	part  part
}

type part uint8

const (
	noPart part = iota
	trainPart
	validationPart
	testPart
)

// place returns the place of the list that has a value, -1 for none.
func (c RowColumn) place(text []byte) int {
	value := parseLabel(string(text))
	return slices.IndexFunc(c.Values, func(list []string) bool {
		return slices.ContainsFunc(list, func(s string) bool {
			l := parseLabel(s)
			return l == value || l.isText && value.isText && strings.EqualFold(l.text, value.text)
		})
	})
}

func (c RowColumn) check(key string) error {
	for i, list := range c.Values {
		for _, text := range list {
			if c.place([]byte(text)) != i {
				return fmt.Errorf("%s: the value %q is in two lists", key, text)
			}
		}
	}
	return nil
}

// setRowColumns leaves out the columns that say what rows may be used for.
func (t *table) setRowColumns() error {
	for _, c := range []struct {
		key string
		of  RowColumn
		set func(u *use, place int) (known bool)
	}{
		{"clean", t.o.Clean, func(u *use, place int) bool {
			u.clean = place == 0
			return place >= 0 || len(t.o.Clean.Values) == 1 // all other values are those of other rows
		}},
		{"split", t.o.Parts, func(u *use, place int) bool {
			u.part = part(place + 1)
			return place >= 0
		}},
	} {
		if c.of.Column == "" {
			continue
		}
		at, err := t.find(c.of.Column)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", c.key, err)
		case at == t.target:
			return fmt.Errorf("%s: column %q is the target", c.key, c.of.Column)
		case t.columns[at].use != nil:
			return fmt.Errorf("%s: column %q says which rows are clean", c.key, c.of.Column)
		}
		t.columns[at].leave()
		t.columns[at].use = func(text []byte) error {
			if !c.set(&t.uses[len(t.lines)-1], c.of.place(text)) {
				return fmt.Errorf("%s: %q; allowed are %s; %s: {column: %s, values: ...} names others",
					c.key, short(text), some(slices.DeleteFunc(slices.Concat(c.of.Values...), func(s string) bool { return s == "" })), c.key, c.of.Column)
			}
			return nil
		}
	}
	return nil
}

func (t *table) setUses(d *Dataset) {
	if t.o.Clean.Column == "" && t.o.Parts.Column == "" {
		return
	}
	d.uses = t.uses[:d.N:d.N]
	clean, parts := 0, [4]int{}
	for _, u := range d.uses {
		if u.clean {
			clean++
		}
		parts[u.part]++
	}
	if t.o.Clean.Column != "" {
		t.say("%s: %d of %d rows are known to be clean", t.o.Clean.Column, clean, d.N)
	}
	if t.o.Parts.Column != "" {
		t.say("%s: %d rows for training, %d for validation, %d for testing", t.o.Parts.Column, parts[trainPart], parts[validationPart], parts[testPart])
	}
}

// OwnSplit completes the split of a file's own parts: the shares of its rows. A file without rows
// for validation keeps the fraction, which is then drawn from the rows for training; otherwise the
// split is fixed.
func (d *Dataset) OwnSplit(s Split) (own Split, fixed bool, err error) {
	var rows [4]float64
	for _, u := range d.uses {
		rows[u.part]++
	}
	validation := rows[validationPart]
	if validation > 0 && s.Validation == 0 {
		return s, false, fmt.Errorf("split: validation is 0, and %v rows are for validation; leave the key out", validation)
	}
	s.Train, s.Test = rows[trainPart]+validation, rows[testPart]
	if validation > 0 {
		s.Validation = validation / s.Train
	}
	return s, validation > 0 || s.Validation == 0, nil
}
