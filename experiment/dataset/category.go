package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// categories are the values of a one-hot column. While reading, rows hold indexes into list.
type categories struct {
	list   []label // by first appearance
	places map[label]int
	line   int  // of the first
	listed bool // in [Options.OneHot], so that numbers count

	rows, alike int // with text; with text like a number
	like        string
	likeLine    int
}

func newCategories(listed bool) *categories {
	return &categories{places: make(map[label]int), listed: listed}
}

func (t *table) encodes(col *column) bool { return t.o.Encode == encodeOneHot || col.categories != nil }

func (t *table) setCategory(col *column, text []byte, kind kind) error {
	if col.categories == nil {
		col.categories = newCategories(false)
	}
	c := col.categories
	switch {
	case c.listed:
	case kind == isNumber:
		return fmt.Errorf("the number %s where line %d has text%s%s", short(text), c.line, decimalHintFor(c.like), oneKind)
	case col.number > 0:
		return fmt.Errorf("text %q where line %d has a number%s%s", short(text), col.number, decimalHintFor(string(text)), oneKind)
	}
	c.rows++
	if looksNumber(text) {
		if c.alike++; c.alike == 1 {
			c.like, c.likeLine = string(text), t.line
		}
	}
	value := parseLabel(string(text))
	place, known := c.places[value]
	if !known {
		if c.line == 0 {
			c.line = t.line
		} else if t.spread++; t.width+t.spread > t.limits.columns {
			return fmt.Errorf("more than %d features with one for each value, the most that are allowed", t.limits.columns)
		}
		place = len(c.list)
		if place == sampleRecords && c.refuses() { // before they fill the memory
			return c.refusal(t.ref(slices.IndexFunc(t.columns, func(other column) bool { return other.categories == c })))
		}
		c.list = append(c.list, value)
		c.places[value] = place
		t.taken += bytesOfName(text)
	}
	t.x[len(t.x)-t.width+col.at] = float64(place)
	return nil
}

// refuses reports whether most values look like numbers without being listed.
func (c *categories) refuses() bool { return !c.listed && 2*c.alike > c.rows }

func (c *categories) refusal(ref string) error {
	what := decimalHintFor(c.like)
	if what == "" {
		what = "; numbers are digits with a decimal mark"
	}
	return fmt.Errorf("text %q, and %d of the %d values so far look like numbers%s; drop: %s leaves the column out, "+
		"and encode: {onehot: [...]} with it and the columns of text makes each of its values a feature",
		short([]byte(c.like)), c.alike, c.rows, what, ref)
}

func decimalHintFor(text string) string {
	if isDecimalComma(text) {
		return decimalHint
	}
	return ""
}

const oneKind = "; a column has one kind unless encode: {onehot: [...]} lists it, which makes each of its values a feature " +
	"(header: true where the first line holds names)"

func (t *table) spreadCategories() error {
	rows := t.kept()
	if rows == 0 || !slices.ContainsFunc(t.columns, func(c column) bool { return c.categories != nil }) {
		return nil
	}
	old, width := t.x, t.width
	from := make([]int, len(t.columns))
	t.width = 0
	for i := range t.columns {
		col := &t.columns[i]
		if col.role != feature {
			continue
		}
		from[i] = col.at
		if col.categories != nil {
			if col.categories.refuses() {
				return t.inColumn(i, col.categories.likeLine, col.categories.refusal(t.ref(i)))
			}
			if col.nominal = col.categories.sortUsed(old[col.at:], width); len(col.nominal) == 0 {
				return t.inColumn(i, col.first, errors.New("every value is missing: there is nothing to encode"))
			}
		}
		col.at = t.width
		t.width += col.width()
	}
	t.spread = 0
	if err := t.fits(rows); err != nil {
		return err
	}
	t.x = make([]float64, rows*t.width)
	for row := range rows {
		source, to := old[row*width:][:width], t.x[row*t.width:][:t.width]
		for i := range t.columns {
			if col := &t.columns[i]; col.role == feature {
				col.spread(to[col.at:][:col.width()], source[from[i]:])
			}
		}
	}
	return nil
}

func (c *column) spread(to, from []float64) {
	switch place := from[0]; {
	case c.categories == nil:
		copy(to, from)
	case math.IsNaN(place):
		for j := range to {
			to[j] = place
		}
	default:
		to[c.categories.places[c.categories.list[int(place)]]] = 1
	}
}

// sortUsed sorts the categories among every width-th value and returns their names.
func (c *categories) sortUsed(values []float64, width int) []string {
	used := make([]bool, len(c.list))
	for k := 0; k < len(values); k += width {
		if place := values[k]; !math.IsNaN(place) {
			used[int(place)] = true
		}
	}
	var sorted []label
	for place, value := range c.list {
		if used[place] {
			sorted = append(sorted, value)
		}
	}
	slices.SortFunc(sorted, compareLabels)
	names := make([]string, len(sorted))
	for place, value := range sorted {
		c.places[value] = place
		names[place] = value.text
		if !value.isText {
			names[place] = strconv.FormatFloat(value.number, 'g', -1, 64)
		}
	}
	return names
}
