package dataset

import (
	"cmp"
	"errors"
	"fmt"
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

type column struct {
	name    string // "" if unnamed
	role    role
	names   string   // why it counts as row names
	blank   bool     // made by delimiters at line ends: must stay empty
	at      int      // first feature in a row of X
	nominal []string // declared values
	codes   map[string]int
	numbers []float64 // declared values if all are numbers
	places  map[float64]int
	missing int
	first   int // line of the first missing value

	categories *categories // while reading
	number     int         // line of the first number if text may be encoded
}

// width is 1, or the number of values of a nominal attribute with text.
func (c *column) width() int {
	if c.nominal != nil && c.numbers == nil {
		return len(c.nominal)
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
	numerals
	head
	reading

	target  int // -1 for none
	width   int // features in a row of x
	x       []float64
	y       targets
	rows    int // read, including those left out
	line    int
	gap     bool  // the row has a missing value
	dropped []int // first lines left out for missing values
	taken   int64 // bytes without the rows
	spread  int   // features that categories will add to width

	negative int // kept rows that NegativeRows makes -1
}

var errEmpty = errors.New("empty: there are no rows")

// setColumns assigns roles. It may be called again before the first row.
func (t *table) setColumns(columns []column) error {
	if len(columns) == 0 {
		return errNoFeatures(0)
	}
	t.columns, t.target, t.width = columns, -1, 0
	names := t.names()
	switch {
	case t.o.Target == NoTarget:
	case t.o.Target != "":
		at, err := t.find(names, t.o.Target)
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		t.target = at
	case t.standard >= 0:
		t.target = t.standard
	}
	for _, ref := range t.o.Drop {
		at, err := t.find(names, ref)
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
	if err := t.setCategories(names); err != nil {
		return err
	}
	for i := range columns {
		if columns[i].role == feature {
			columns[i].at = t.width
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

func (t *table) setCategories(names map[string]int) error {
	for _, ref := range t.o.OneHot {
		at, err := t.find(names, ref)
		if err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		if t.columns[at].names != "" || t.columns[at].blank {
			t.columns[at].setRole(feature)
		}
		if t.columns[at].role != feature {
			return fmt.Errorf("encode: column %q is no feature: it is the target, or dropped", ref)
		}
		t.columns[at].categories = newCategories(true)
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

// names maps names in options to columns, -1 for duplicates.
func (t *table) names() map[string]int {
	wanted := make(map[string]bool, len(t.o.Drop)+len(t.o.OneHot)+1)
	for _, ref := range slices.Concat(t.o.Drop, t.o.OneHot, []string{t.o.Target}) {
		wanted[ref] = true
	}
	names := make(map[string]int, len(wanted))
	for i := range t.columns {
		name := t.columns[i].name
		if name == "" || !wanted[name] {
			continue
		}
		if _, twice := names[name]; twice {
			names[name] = -1
		} else {
			names[name] = i
		}
	}
	return names
}

func (t *table) find(names map[string]int, ref string) (int, error) {
	if at, ok := names[ref]; ok && at < 0 {
		return 0, fmt.Errorf("column %q: more than one has this name; give its index", ref)
	} else if ok {
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
	t.line, t.gap = line, false
	t.rows++
	if err := t.fits(t.kept() + 1); err != nil {
		return err
	}
	n := len(t.x) + t.width
	t.x = slices.Grow(t.x, t.width)[:n]
	clear(t.x[n-t.width:])
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
	if col.nominal != nil {
		return t.setNominal(c, text, literal)
	}
	v, kind := t.parse(text)
	if literal && kind == isMissing {
		kind = isText
	}
	switch {
	case kind == isMissing:
		return t.setMissing(c)
	case col.categories != nil || kind == isText && col.role == feature && t.encodes(col):
		return t.setCategory(col, text, kind)
	case kind == isNumber:
		t.setNumber(c, v)
		if col.number == 0 {
			col.number = t.line
		}
		return nil
	case kind != isInfinite && col.role == target && t.o.Task != Regression:
		before := len(t.y.texts)
		err := t.y.addText(t.line, text, t.limits.columns)
		if len(t.y.texts) > before {
			t.taken += bytesOfName(text)
		}
		return err
	}
	return t.refuseText(c, text, kind)
}

func (t *table) setNumber(c int, v float64) {
	if col := &t.columns[c]; col.role == target {
		t.y.addNumber(t.line, v)
	} else if col.role == feature {
		t.x[len(t.x)-t.width+col.at] = v
	}
}

func (t *table) setNominal(c int, text []byte, literal bool) error {
	col := &t.columns[c]
	code, ok := col.codes[string(text)]
	isMark := !literal && len(text) == 1 && text[0] == '?'
	if (!ok || isMark) && !literal && missing(text) {
		return t.setMissing(c)
	}
	if !ok && col.numbers != nil { // 1.0 where 1 is declared
		if v, kind := parse(text); kind == isNumber {
			code, ok = col.places[v]
		}
	}
	if !ok {
		return fmt.Errorf("%q is not among the %d values declared: %s", short(text), len(col.nominal), some(col.nominal))
	}
	t.setCode(c, code)
	return nil
}

func (t *table) setCode(c, code int) {
	switch col := &t.columns[c]; {
	case col.role == target:
		t.y.addDeclared(t.line, col, code)
	case col.numbers != nil:
		t.x[len(t.x)-t.width+col.at] = col.numbers[code]
	default:
		t.x[len(t.x)-t.width+col.at+code] = 1
	}
}

func (t *table) end() {
	if t.gap && t.o.Missing == missingDrop {
		if len(t.dropped) < MaxLines {
			t.dropped = append(t.dropped, t.line)
		}
		t.x = t.x[:len(t.x)-t.width]
		t.y.truncate(t.kept())
		return
	}
	if t.rows <= t.o.Classes.NegativeRows {
		t.negative++
	}
}

func (t *table) kept() int { return len(t.x) / t.width }

func (t *table) finish() (*Dataset, error) {
	if t.rows == 0 {
		return nil, errEmpty
	}
	if err := t.settleUnnamed(); err != nil {
		return nil, err
	}
	if err := t.spreadCategories(); err != nil {
		return nil, err
	}
	if err := t.settleMissing(); err != nil {
		return nil, err
	}
	d := &Dataset{N: t.kept(), D: t.width, X: slices.Clip(t.x), Features: t.features()}
	t.warnCounting()
	if t.o.Numbered {
		d.number()
	}
	if t.o.Classes.NegativeRows > 0 {
		var err error
		d.Task = Classification
		d.Y, err = t.byRow()
		t.say("the first %d rows are -1, the others +1", t.o.Classes.NegativeRows)
		d.Reading = t.settled(d)
		return d, err
	}
	var err error
	if d.Task, d.Y, err = t.y.makeTargets(t.o.Task, t.o.Classes, &t.columns[t.target], t.limits.columns); err != nil {
		return nil, t.inColumn(t.target, 0, err)
	}
	t.sayTarget(&t.columns[t.target], t.target, t.o.Target == "" && t.standard < 0, cmp.Or(t.y.mapped, string(d.Task)))
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

func (t *table) byRow() ([]float64, error) {
	n := t.kept()
	if t.negative == 0 || t.negative == n {
		return nil, fmt.Errorf("one class only: the first %d rows are to be negative, the file has %d rows", t.o.Classes.NegativeRows, t.rows)
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = 1
		if i < t.negative {
			y[i] = -1
		}
	}
	return y, nil
}

// inColumn locates an error; line 0 is none.
func (t *table) inColumn(c, line int, err error) error {
	e := &ReadError{Line: line, Column: c, Name: t.columns[c].name, Err: err}
	if t.named {
		e.Column = -1
	}
	return e
}

// features names features: column or x with index, and a nominal attribute's value.
func (t *table) features() []string {
	names := make([]string, 0, t.width)
	for i := range t.columns {
		col := &t.columns[i]
		if col.role != feature {
			continue
		}
		name := col.called(i)
		if col.nominal == nil || col.numbers != nil {
			names = append(names, name)
			continue
		}
		for _, value := range col.nominal {
			names = append(names, name+"="+value)
		}
	}
	return names
}

func (t *table) fits(rows int) error { return t.limits.check(t.taken, rows, t.width+t.spread) }
