package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/agepath/agepath/internal/spelling"
)

type role uint8

const (
	feature role = iota
	target
	dropped
)

// column has a value for each row that is kept: a number or, with words, the place of one. NaN is
// missing; omitted values at the end are 0.
type column struct {
	name   string // "" if unnamed
	role   role
	names  string // why it counts as row names
	blank  bool   // made by delimiters at line ends: must stay empty
	words  *words // nil while all values are numbers
	values []float64
	line   int // of the first value, 0 for none
}

// width is 1, or the number of words that become features.
func (c *column) width() int {
	if c.words != nil && !c.words.numeric {
		return max(len(c.words.list), 1)
	}
	return 1
}

func (c *column) called(index int) string {
	if c.name == "" {
		return "x" + strconv.Itoa(index)
	}
	return c.name
}

type table struct {
	o        Options
	limits   limits
	named    bool // columns have no indexes
	columns  []column
	standard int // target by default, -1 for the last column
	reading

	header     bool // the first line has names
	headerLine int
	wide       int // line with a field per column
	trailing   int // blank columns at the end

	target  int   // -1 for none
	width   int   // features
	rows    int   // read, including those left out
	lines   []int // of kept rows
	gap     bool  // the row has a missing value
	dropped []int // first lines left out for missing values
	taken   int64 // bytes without the rows

	negative int // kept rows that NegativeRows makes -1
}

var errEmpty = errors.New("empty: there are no rows")

// setColumns assigns roles. It may be called again before the first row.
func (t *table) setColumns(columns []column) error {
	if len(columns) == 0 {
		return errNoFeatures(0)
	}
	t.columns, t.target, t.width = columns, -1, 0
	switch {
	case t.o.Target == NoTarget:
	case t.o.Target != "":
		at, err := t.find(t.o.Target)
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		t.target = at
	case t.standard >= 0:
		t.target = t.standard
	}
	for _, ref := range t.o.Drop {
		at, err := t.find(ref)
		if err != nil {
			return fmt.Errorf("drop: %w", err)
		}
		if at == t.target {
			return fmt.Errorf("drop: column %q is the target", ref)
		}
		columns[at].leave()
	}
	if t.target < 0 && t.o.Target != NoTarget {
		if t.target = lastFeature(columns); t.target < 0 {
			return errNoFeatures(len(columns))
		}
	}
	if t.target >= 0 {
		columns[t.target].setRole(target)
	}
	if t.o.Classes.NegativeRows > 0 && t.target >= 0 {
		columns[t.target].role = dropped
	}
	if err := t.setCategories(); err != nil {
		return err
	}
	for i := range columns {
		if columns[i].role == feature {
			t.width += columns[i].width()
		}
	}
	if t.width == 0 {
		return errNoFeatures(len(columns))
	}
	if t.width > t.limits.columns {
		return fmt.Errorf("%d features: at most %d are allowed", t.width, t.limits.columns)
	}
	return nil
}

// lastFeature returns -1 if there is none.
func lastFeature(columns []column) int {
	at := len(columns) - 1
	for at >= 0 && columns[at].role != feature {
		at--
	}
	return at
}

func (t *table) setCategories() error {
	for _, ref := range t.o.OneHot {
		at, err := t.find(ref)
		if err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		if t.columns[at].names != "" || t.columns[at].blank {
			t.columns[at].setRole(feature)
		}
		if t.columns[at].role != feature {
			return fmt.Errorf("encode: column %q is no feature: it is the target, or dropped", ref)
		}
		t.columns[at].words = &words{places: map[string]int{}, listed: true}
	}
	return nil
}

// setRole also clears the reader's reasons for leaving the column out.
func (c *column) setRole(r role) { c.role, c.names, c.blank = r, "", false }
func (c *column) leave()         { c.setRole(dropped) }

func errNoFeatures(columns int) error {
	if columns == 1 {
		return errors.New("no features: there is one column, the target; commas, semicolons, tabs and blanks separate columns")
	}
	return fmt.Errorf("no features: of %d columns none is left apart from the target", columns)
}

// find returns the column of a name or an index.
func (t *table) find(ref string) (int, error) {
	named := func(c column) bool { return c.name == ref && ref != "" }
	if at := slices.IndexFunc(t.columns, named); at >= 0 {
		if slices.ContainsFunc(t.columns[at+1:], named) {
			return 0, fmt.Errorf("column %q: more than one has this name; give its index", ref)
		}
		return at, nil
	}
	at, err := strconv.Atoi(ref)
	if err != nil || t.named {
		return 0, fmt.Errorf("no column is named %q%s", ref, t.meant(ref))
	}
	n := len(t.columns)
	if at < -n || at >= n {
		return 0, fmt.Errorf("column %d is out of range: the file has %d, allowed are 0 to %d, and -1 to -%d from the end", at, n, n-1, n)
	}
	if at < 0 {
		at = max(0, at+n-t.trailing)
	}
	return at, nil
}

func (t *table) meant(ref string) string {
	known := make([]string, len(t.columns))
	for i := range t.columns {
		known[i] = t.columns[i].name
	}
	return spelling.After(ref, known)
}

func (t *table) begin(line int) error {
	t.gap = false
	t.rows++
	if err := t.fits(len(t.lines) + 1); err != nil {
		return err
	}
	t.lines = append(t.lines, line)
	return nil
}

// set sets a column of the current row. Literal text is no mark of a missing value.
func (t *table) set(c int, text []byte, literal bool) error {
	col := &t.columns[c]
	if col.role == dropped {
		if col.blank && len(text) > 0 {
			return notBlank(t, c, text)
		}
		return nil
	}
	if col.words != nil && col.words.declared {
		v, kind := col.words.declaredPlace(text, literal)
		if kind == isText {
			return fmt.Errorf("%q is not among the %d values declared: %s", short(text), len(col.words.list), some(col.words.list))
		}
		return t.put(c, v, kind)
	}
	v, kind := t.o.parse(text)
	if literal && kind == isMissing {
		kind = isText
	}
	encoded := col.role == feature && (col.words != nil || kind == isText && t.o.Encode == encodeOneHot)
	labels := col.role == target && kind != isInfinite && t.o.Task != Regression
	switch {
	case kind == isMissing || kind == isNumber && col.words == nil:
		return t.put(c, v, kind)
	case encoded || labels:
		return t.putWord(c, text, kind)
	}
	return t.refuseText(c, text, kind)
}

// put sets a column of the current row to a number, or the place of a word, unless it is missing.
func (t *table) put(c int, v float64, kind kind) error {
	col := &t.columns[c]
	if kind == isMissing {
		if col.role == target && (t.o.Missing == missingMean || t.o.Missing == missingMedian) {
			return fmt.Errorf("missing value in the target: missing: %s fills features only, missing: drop leaves out the row", t.o.Missing)
		}
		v, t.gap = math.NaN(), true
	} else if col.line == 0 {
		col.line = t.lines[len(t.lines)-1]
	}
	col.extend(len(t.lines) - 1)
	col.values = append(col.values, v)
	return nil
}

// extend adds omitted values.
func (c *column) extend(rows int) {
	if len(c.values) >= rows {
		return
	}
	omitted := 0.0
	if c.words != nil && !c.words.declared {
		omitted = float64(c.words.place("0"))
	}
	for len(c.values) < rows {
		c.values = append(c.values, omitted)
	}
}

func (t *table) end() {
	if t.gap && t.o.Missing == missingDrop {
		last := len(t.lines) - 1
		if len(t.dropped) < MaxLines {
			t.dropped = append(t.dropped, t.lines[last])
		}
		t.lines = t.lines[:last]
		for i := range t.columns {
			col := &t.columns[i]
			col.values = col.values[:min(last, len(col.values))]
		}
		return
	}
	if t.rows <= t.o.Classes.NegativeRows {
		t.negative++
	}
}

func (t *table) finish() (*Dataset, error) {
	if t.rows == 0 {
		return nil, errEmpty
	}
	for i := range t.columns {
		if col := &t.columns[i]; col.role != dropped {
			col.extend(len(t.lines))
		}
	}
	if err := t.settleUnnamed(); err != nil {
		return nil, err
	}
	if err := t.sortWords(); err != nil {
		return nil, err
	}
	if err := t.settleMissing(); err != nil {
		return nil, err
	}
	d := t.features()
	if t.o.Missing == missingMean {
		fill(d.X, d.D, count(d.N), mean)
	}
	t.warnCounting(d)
	if t.o.Numbered {
		d.number()
	}
	targets := t.setTargets
	if t.o.Classes.NegativeRows > 0 {
		targets = t.byRow
	}
	if err := targets(d); err != nil {
		return nil, err
	}
	d.Reading = t.settled(d)
	return d, nil
}

func (d *Dataset) number() {
	x := make([]float64, 0, d.N*(d.D+1))
	for i := range d.N {
		x = append(append(x, float64(i+1)), d.X[i*d.D:(i+1)*d.D]...)
	}
	d.X, d.D, d.Features = x, d.D+1, append([]string{"row"}, d.Features...)
}

func (t *table) byRow(d *Dataset) error {
	if t.negative == 0 || t.negative == d.N {
		return fmt.Errorf("one class only: the first %d rows are to be negative, the file has %d rows", t.o.Classes.NegativeRows, t.rows)
	}
	t.say("the first %d rows are -1, the others +1", t.o.Classes.NegativeRows)
	d.Task = Classification
	d.Y = append(slices.Repeat([]float64{-1}, t.negative), slices.Repeat([]float64{1}, d.N-t.negative)...)
	return nil
}

// inColumn locates an error; line 0 is none.
func (t *table) inColumn(c, line int, err error) error {
	e := &ReadError{Line: line, Column: c, Name: t.columns[c].name, Err: err}
	if t.named {
		e.Column = -1
	}
	return e
}

// features returns the rows with a feature for each column of numbers, named by column or x with
// index, and for each word.
func (t *table) features() *Dataset {
	d := &Dataset{N: len(t.lines), D: t.width, X: make([]float64, len(t.lines)*t.width)}
	for i := range t.columns {
		col := &t.columns[i]
		if col.role != feature {
			continue
		}
		x, name := d.X[len(d.Features):], col.called(i)
		if col.words == nil || col.words.numeric {
			for row, v := range col.numbers() {
				x[row*d.D] = v
			}
			d.Features = append(d.Features, name)
			continue
		}
		for row, v := range col.values {
			if to := x[row*d.D:][:len(col.words.list)]; !math.IsNaN(v) {
				to[int(v)] = 1
			} else {
				for j := range to {
					to[j] = v
				}
			}
		}
		for _, word := range col.words.list {
			d.Features = append(d.Features, name+"="+word)
		}
	}
	return d
}

func (t *table) fits(rows int) error { return t.limits.check(t.taken, rows, t.width) }
