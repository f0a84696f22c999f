package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// arff reads ARFF (https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/) and
// KEEL's extension by inputs and outputs (https://sci2s.ugr.es/keel/dataset).
type arff struct {
	l       *lines
	t       *table
	s       splitter
	columns []column
	refused []refused
	inputs  []int // columns of @inputs, nil if absent
	outputs []int
}

type refused struct {
	column, line int
	why          string
}

func readARFF(l *lines, t *table) error {
	a := &arff{l: l, t: t, s: splitter{arff: true, most: t.limits.columns}}
	if err := a.header(); err != nil {
		return err
	}
	if err := a.checkOutputs(); err != nil {
		return err
	}
	a.leaveOut()
	if err := t.setColumns(a.columns); err != nil {
		return err
	}
	for _, r := range a.refused {
		if t.columns[r.column].role != dropped {
			return t.inColumn(r.column, r.line, fmt.Errorf("%s: allowed are numeric, real, integer and {value, ...}, and anything that is dropped", r.why))
		}
	}
	for {
		b, err := a.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = t.begin(l.line)
		}
		if err == nil && b[0] == '{' {
			err = a.sparseRow(b)
		} else if err == nil {
			err = a.denseRow(b)
		}
		if err != nil {
			return inLine(l.line, err)
		}
		t.end()
	}
}

func (a *arff) line() ([]byte, error) {
	for {
		b, err := a.l.next()
		if err != nil {
			return nil, err
		}
		if b = trim(b); len(b) > 0 && b[0] != '%' {
			return b, checkText(b)
		}
	}
}

func (a *arff) header() error {
	for {
		b, err := a.line()
		if errors.Is(err, io.EOF) {
			return errors.New("there is no @data: not an ARFF file, or an empty one")
		}
		if err == nil {
			keyword, rest := word(b)
			switch {
			case equalFold(keyword, "@relation"):
			case equalFold(keyword, "@attribute"):
				err = a.attribute(rest)
			case equalFold(keyword, "@inputs"), equalFold(keyword, "@input"):
				a.inputs, err = a.listed(rest, a.inputs)
			case equalFold(keyword, "@outputs"), equalFold(keyword, "@output"):
				a.outputs, err = a.listed(rest, a.outputs)
			case equalFold(keyword, "@data"):
				return nil
			default:
				err = fmt.Errorf("%q: allowed are @relation, @attribute, @inputs, @outputs, @data and comments that start with %%", short(b))
			}
		}
		if err != nil {
			return inLine(a.l.line, err)
		}
	}
}

func (a *arff) listed(b []byte, columns []int) ([]int, error) {
	if columns == nil {
		columns = []int{}
	}
	for i := a.s.skipBlanks(b, 0); i < len(b) && b[i] != '%'; i = a.s.skipBlanks(b, i) {
		a.s.clear()
		var err error
		if b, i, err = a.s.field(b, i, ",%", a.l); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(a.columns, func(c column) bool { return c.name == string(a.s.fields[0]) })
		if at < 0 {
			return nil, fmt.Errorf("no attribute before it is named %q", short(a.s.fields[0]))
		}
		columns = append(columns, at)
		if i < len(b) && b[i] == ',' {
			i++
		}
	}
	return columns, nil
}

// leaveOut drops all but inputs and the target of @outputs.
func (a *arff) leaveOut() {
	if len(a.outputs) == 1 {
		a.t.standard = a.outputs[0]
		a.t.say("target by @outputs")
	}
	var out []string
	for i := range a.columns {
		if slices.Contains(a.outputs, i) || a.inputs != nil && !slices.Contains(a.inputs, i) {
			a.columns[i].leave()
			if i != a.t.standard {
				out = append(out, short([]byte(a.columns[i].name)))
			}
		}
	}
	if out != nil {
		a.t.say("left out, being no input: %s", some(out))
	}
}

func (a *arff) checkOutputs() error {
	if len(a.outputs) < 2 || a.t.o.Target != "" {
		return nil
	}
	names := lists.Map(a.outputs, func(at int) string { return a.columns[at].name })
	return fmt.Errorf("@outputs names %d attributes (%s): say which is the target, as in target: %s", len(names), some(names), names[0])
}

func (a *arff) attribute(b []byte) error {
	if len(a.columns) >= a.t.limits.columns {
		return fmt.Errorf("more than %d attributes, the most that are allowed", a.t.limits.columns)
	}
	a.s.clear()
	b, i, err := a.s.field(b, a.s.skipBlanks(b, 0), " \t{%", a.l)
	if err != nil {
		return fmt.Errorf("@attribute: %w", err)
	}
	col := column{name: string(a.s.fields[0])}
	if col.name == "" {
		return errors.New("@attribute: a name is missing")
	}
	b = trim(b[i:])
	end := bytes.IndexAny(b, " \t[%{")
	if end < 0 {
		end = len(b)
	}
	kind := b[:end]
	switch {
	case equalFold(kind, "numeric"), equalFold(kind, "real"), equalFold(kind, "integer"):
		// KEEL appends the range.
		if rest := trim(b[end:]); len(rest) > 0 && rest[0] != '[' && rest[0] != '%' {
			err = fmt.Errorf("%q after the type", short(rest))
		}
	case end == 0 && len(b) > 0 && b[0] == '{':
		if err = a.nominal(b, &col); err == nil && len(col.words.list) == 0 {
			a.refuse("a nominal attribute without values")
		}
	case equalFold(kind, "string"), equalFold(kind, "date"):
		a.refuse(strings.ToLower(string(kind)) + " attribute")
	default:
		err = fmt.Errorf("type %q: allowed are numeric, real, integer and {value, ...}", short(b))
	}
	if err != nil {
		return fmt.Errorf("@attribute %s: %w", short([]byte(col.name)), err)
	}
	a.columns = append(a.columns, col)
	a.t.taken += bytesOfName(col.name)
	if col.words != nil {
		for _, word := range col.words.list {
			a.t.taken += bytesOfName(word)
		}
	}
	return a.t.fits(0)
}

func (a *arff) refuse(why string) {
	a.refused = append(a.refused, refused{len(a.columns), a.l.line, why})
}

func (a *arff) nominal(b []byte, col *column) error {
	col.words = &words{places: map[string]int{}, declared: true}
	i, err := a.inBraces(b, func(i, k int) (int, error) {
		if k == a.t.limits.columns {
			return 0, fmt.Errorf("more than %d values, the most that are allowed", k)
		}
		_, i, err := a.s.field(b, i, ",}%", a.l)
		if err != nil {
			return 0, err
		}
		value := string(a.s.fields[k])
		if value == "" && !a.s.quoted[k] {
			return 0, errors.New("a value is empty, or } is missing")
		}
		if _, twice := col.words.places[value]; twice {
			return 0, fmt.Errorf("value %q is declared twice", short([]byte(value)))
		}
		col.words.place(value)
		return i, nil
	})
	if errors.Is(err, errBrace) {
		last := col.words.list[len(col.words.list)-1]
		return fmt.Errorf("after value %q: allowed are a comma and }", short([]byte(last)))
	} else if err != nil {
		return err
	}
	if rest := trim(b[i:]); len(rest) > 0 && rest[0] != '%' {
		return fmt.Errorf("%q after the values", short(rest))
	}
	col.words.settleDeclared()
	return nil
}

var errBrace = errors.New("neither a comma nor }")

// inBraces reads a list from b[0] = '{' and returns the index after it. element reads the k-th
// element at b[i] and returns its end.
func (a *arff) inBraces(b []byte, element func(i, k int) (int, error)) (int, error) {
	a.s.clear()
	i := a.s.skipBlanks(b, 1)
	for k := 0; i >= len(b) || b[i] != '}' || k > 0; k++ {
		var err error
		if i, err = element(i, k); err != nil {
			return 0, err
		}
		if i = a.s.skipBlanks(b, i); i >= len(b) || b[i] != ',' && b[i] != '}' {
			return 0, errBrace
		}
		if b[i] == '}' {
			break
		}
		i = a.s.skipBlanks(b, i+1)
	}
	return i + 1, nil
}

// denseRow separates values by commas, if any, else by blanks.
func (a *arff) denseRow(b []byte) error {
	a.s.delim = ' '
	if bytes.IndexByte(b, ',') >= 0 {
		a.s.delim = ','
	}
	if err := a.s.split(b, a.l); err != nil {
		return err
	}
	n := len(a.s.fields)
	if last := a.s.fields[n-1]; n == len(a.columns)+1 && len(last) > 2 && last[0] == '{' && last[len(last)-1] == '}' {
		return fmt.Errorf("%d values, where %d attributes are declared: %s is a weight of the row; weights are not read: remove it", n, n-1, short(last))
	}
	if n != len(a.columns) {
		return fmt.Errorf("%d values, where %d attributes are declared", n, len(a.columns))
	}
	for c, field := range a.s.fields {
		if err := a.t.set(c, field, a.s.quoted[c]); err != nil {
			return a.t.inColumn(c, a.l.line, err)
		}
	}
	return nil
}

// sparseRow reads {index value, ...} with ascending indices from 0. Omitted are numbers 0 and the
// first declared values.
func (a *arff) sparseRow(b []byte) error {
	previous := -1
	i, err := a.inBraces(b, func(i, k int) (int, error) {
		digits := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		c, err := strconv.Atoi(string(b[digits:i]))
		if err != nil || c >= len(a.columns) || i >= len(b) || b[i] != ' ' && b[i] != '\t' {
			return 0, fmt.Errorf("%q in a sparse row: allowed is {index value, ...} with indices from 0 to %d",
				short(b[digits:]), len(a.columns)-1)
		}
		if c <= previous {
			return 0, fmt.Errorf("index %d after %d in a sparse row: indices ascend", c, previous)
		}
		previous = c
		if _, i, err = a.s.field(b, a.s.skipBlanks(b, i), ",}%", a.l); err != nil {
			return 0, err
		}
		if err := a.t.set(c, a.s.fields[k], a.s.quoted[k]); err != nil {
			return 0, a.t.inColumn(c, a.l.line, err)
		}
		return i, nil
	})
	if errors.Is(err, errBrace) {
		return errors.New("a sparse row without } at its end")
	} else if err != nil {
		return err
	}
	if rest := trim(b[i:]); len(rest) > 0 && rest[0] != '%' {
		return fmt.Errorf("%q after a sparse row: weights are not read: remove it", short(rest))
	}
	return nil
}
