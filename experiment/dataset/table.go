package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/agepath/agepath/internal/lists"
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

	many     bool     // more different numbers than a target has labels
	count    int      // rows that are neither missing nor left out
	gaps     int      // missing values
	refused  refusals // counted too
	reported bool     // among the problems
	lossy    refusals // numbers that lose digits

	use func(text []byte) error // sets what the row may be used for; nil for other columns
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
	delim    byte
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
	uses    []use // of kept rows
	gap     bool  // the row has a missing value
	dropped []int // lines of [reading.omitted]
	taken   int64 // bytes without the rows

	negative int // kept rows that NegativeRows makes -1
}

var errEmpty = errors.New("empty: there are no rows")

// setColumns assigns roles. It may be called again before the first row.
func (t *table) setColumns(columns []column) error {
	if len(columns) == 0 {
		return errNoFeatures(0)
	}
	t.columns, t.width = columns, 0
	var err error
	if t.target, err = (judge{t}).wanted(); err != nil {
		return fmt.Errorf("target: %w", err)
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
	if err := t.setRowColumns(); err != nil {
		return err
	}
	if t.target < 0 && t.o.Target != NoTarget {
		t.target = len(columns) - 1
		for t.target >= 0 && columns[t.target].role != feature {
			t.target--
		}
		if t.target < 0 {
			return errNoFeatures(len(columns))
		}
	}
	if t.target >= 0 {
		columns[t.target].setRole(target)
		judge{t}.refuseTwins()
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

// wanted returns the target of the options, or of the format; -1 for none.
func (t judge) wanted() (at int, err error) {
	switch t.o.Target {
	case NoTarget:
		return -1, nil
	case "":
		return t.standard, nil
	}
	return t.find(t.o.Target)
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

func (t *table) find(ref string) (int, error) {
	named := func(c column) bool { return c.name == ref && ref != "" }
	if at := slices.IndexFunc(t.columns, named); at >= 0 {
		if next := slices.IndexFunc(t.columns[at+1:], named); next >= 0 {
			return 0, fmt.Errorf("columns %d and %d are both named %q: give the index", at, at+1+next, ref)
		}
		return at, nil
	}
	at, err := strconv.Atoi(ref)
	if err != nil || t.named {
		names := lists.Map(t.columns, func(c column) string { return c.name })
		return 0, fmt.Errorf("no column is named %q%s", ref, spelling.After(ref, names))
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

func (t *table) begin(line int) error {
	t.gap = false
	t.rows++
	if err := t.fits(len(t.lines) + 1); err != nil {
		return err
	}
	t.lines, t.uses = append(t.lines, line), append(t.uses, use{})
	return nil
}

// set sets a column of the current row. Literal text is no mark of a missing value.
func (t *table) set(c int, text []byte, literal bool) error {
	col := &t.columns[c]
	if col.role == dropped {
		if col.use != nil {
			return col.use(text)
		}
		if col.blank && len(text) > 0 {
			col.blank = false // once
			t.report(t.inColumn(c, t.lines[len(t.lines)-1], judge{t}.notBlank(c, text)))
		}
		return nil
	}
	if col.words != nil && col.words.declared {
		v, kind := col.words.declaredPlace(text, literal)
		if kind == isText {
			t.refuse(c, text, kind)
			return nil
		}
		t.put(c, v, kind)
		return nil
	}
	v, kind := t.parse(text)
	if literal && kind == isMissing {
		kind = isText
	}
	return t.setParsed(c, text, v, kind)
}

func (t *table) setParsed(c int, text []byte, v float64, kind kind) error {
	col := &t.columns[c]
	switch {
	case kind == isMissing:
		t.noteMark(col, string(text))
		t.put(c, v, kind)
		return nil
	case col.role == target && kind == isNumber:
		return t.putLabel(c, t.o.plain(text), v)
	case col.role == target && kind == isText && t.o.Task != Regression, col.words != nil && col.words.listed:
		return t.putWord(c, text)
	case kind == isNumber && col.words == nil:
		t.putNumber(c, text, v)
		return nil
	case col.role == feature && (t.delim != 0 || t.o.Encode == encodeOneHot) && (kind == isText && col.line == 0 || kind != isNumber && col.words != nil):
		return t.putWord(c, text)
	}
	t.refuse(c, text, kind)
	return nil
}

func (t *table) putNumber(c int, text []byte, v float64) {
	col := &t.columns[c]
	judge{t}.noteLoss(col, text, v)
	if mark := cmp.Or(t.o.Decimal, decimalPoint); !t.pointed && bytes.Contains(text, []byte(mark)) {
		o := Options{Decimal: otherMark[mark], Thousands: mark}
		_, kind := o.number(text)
		t.pointed, t.grouped = kind != isNumber, t.grouped || kind == isNumber
	}
	t.put(c, v, isNumber)
}

// noteLoss looks at whole numbers, as of codes, and at the first fractions.
func (t judge) noteLoss(col *column, text []byte, v float64) {
	const first = 1000
	if len(text) <= exactDigits || len(t.lines) > first && v != math.Trunc(v) || !losesDigits(t.o.plain(text), v) {
		return
	}
	col.lossy.note(t.lines[len(t.lines)-1], text, isNumber)
}

// putLabel sets the target of the current row to a number, and to a word if a float64 would lose
// digits of a label.
func (t *table) putLabel(c int, text []byte, v float64) error {
	const most = 1000 // different labels; more are values of a regression
	col := &t.columns[c]
	maybe := t.o.Task == "" && t.o.Classes.isZero()
	switch {
	case t.o.Task == Regression || col.words == nil && (col.many || exactNumber(text, v) == formatNumber(v)):
		t.putNumber(c, text, v)
		return nil
	case maybe && col.words != nil && len(col.words.list) == most:
		if texts, _ := col.words.texts(); texts == nil {
			col.values, col.words, col.many = col.numbers(), nil, true
			t.putNumber(c, text, v)
			return nil
		}
	}
	judge{t}.noteLoss(col, text, v)
	return t.putWord(c, text)
}

func (r *reading) noteMark(col *column, text string) {
	switch {
	case text == "":
	case col.role == target:
		r.unlabelled = cmp.Or(r.unlabelled, text)
	case len(r.seen) < mostTexts && !slices.Contains(r.seen, text):
		r.seen = append(r.seen, text)
	}
}

// put sets a column of the current row to a number, or the place of a word, unless it is missing.
func (t *table) put(c int, v float64, kind kind) {
	col := &t.columns[c]
	if kind == isMissing {
		v, t.gap = math.NaN(), true
	} else if col.line == 0 {
		col.line = t.lines[len(t.lines)-1]
	}
	col.extend(len(t.lines) - 1)
	col.values = append(col.values, v)
}

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
		t.omitted = append(t.omitted, t.rows-1)
		t.dropped = append(t.dropped, t.lines[last])
		t.lines, t.uses = t.lines[:last], t.uses[:last]
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
	switch {
	case t.rows == 0 && t.problems == nil:
		return nil, errEmpty
	case t.rows == 0:
		return nil, t.problems
	}
	judge{t}.countValues()
	if err := t.settleUnnamed(); err != nil {
		return nil, err
	}
	judge{t}.reportMisfits()
	if err := t.sortWords(); err != nil {
		return nil, err
	}
	judge{t}.settleMissing()
	d := &Dataset{N: len(t.lines)}
	targets := t.setTargets
	if t.o.Classes.NegativeRows > 0 {
		targets = t.byRow
	}
	if t.target < 0 || !t.columns[t.target].reported {
		if err := targets(d); err != nil {
			t.report(err)
		}
	}
	if t.uneven > 1 {
		t.first.Err = fmt.Errorf("%w, and in %d more rows", t.first.Err, t.uneven-1)
	}
	if t.problems != nil {
		slices.SortStableFunc(t.problems, func(a, b *ReadError) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
		return nil, t.problems
	}
	t.setFeatures(d)
	if t.o.Missing == missingMean {
		fill(d.X, d.D, Indices(d.N), mean)
	}
	t.warnCounting(d)
	if t.o.Numbered {
		d.number()
	}
	t.setUses(d)
	d.Reading = t.settled(d)
	return d, nil
}

func (t judge) countValues() {
	for i := range t.columns {
		col := &t.columns[i]
		if col.role == dropped {
			continue
		}
		col.extend(len(t.lines))
		for _, v := range col.values {
			if math.IsNaN(v) {
				col.gaps++
			} else {
				col.count++
			}
		}
	}
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
	e := *readError(err)
	e.Line, e.Column, e.Name = line, c, t.columns[c].name
	if t.named {
		e.Column = -1
	}
	return &e
}

// setFeatures sets the rows, with a feature for each column of numbers, named by column or x with
// index, and for each word.
func (t *table) setFeatures(d *Dataset) {
	d.D, d.X = t.width, make([]float64, len(t.lines)*t.width)
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
}

func (t *table) fits(rows int) error { return t.limits.check(t.taken, rows, t.width) }
