package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// label is a label of a target, equal by text or number: 1, 1.0 and +1 are one.
type label struct {
	text   string // unless a number
	number float64
	isText bool
}

func parseLabel(text string) label {
	if v, kind := parse([]byte(text)); kind == isNumber {
		return label{number: v + 0} // -0 and 0 print alike
	}
	return label{text: text, isText: true}
}

func (l label) String() string {
	if l.isText {
		return strconv.Quote(short([]byte(l.text)))
	}
	return strconv.FormatFloat(l.number, 'g', -1, 64)
}

func compareLabels(a, b label) int {
	switch {
	case a.isText && b.isText:
		return cmp.Compare(a.text, b.text)
	case a.isText:
		return 1
	case b.isText:
		return -1
	}
	return cmp.Compare(a.number, b.number)
}

type targets struct {
	numbers []float64 // 0 for texts, NaN for missing values
	lines   []int
	mapped  string // labels of the classes, for people
	codes   []int  // indexes into texts, -1 for numbers; nil while there are only numbers
	texts   []string
	places  map[string]int
}

func (t *targets) addNumber(line int, v float64) {
	t.numbers = append(t.numbers, v)
	t.lines = append(t.lines, line)
	if t.codes != nil {
		t.codes = append(t.codes, -1)
	}
}

func (t *targets) addText(line int, text []byte, most int) error {
	code, ok := t.places[string(text)]
	if !ok {
		if len(t.texts) == most {
			return errLabels(most)
		}
		if t.places == nil {
			t.places = make(map[string]int)
		}
		code = len(t.texts)
		t.texts = append(t.texts, string(text))
		t.places[t.texts[code]] = code
	}
	t.addCode(line, 0, code)
	return nil
}

func errLabels(most int) error {
	return fmt.Errorf("more than %d labels, the most that are allowed", most)
}

func (t *targets) addDeclared(line int, col *column, code int) {
	t.texts = col.nominal
	v := 0.0
	if col.numbers != nil {
		v = col.numbers[code]
	}
	t.addCode(line, v, code)
}

func (t *targets) addCode(line int, v float64, code int) {
	if t.codes == nil {
		t.codes = slices.Repeat([]int{-1}, len(t.numbers))
	}
	t.addNumber(line, v)
	t.codes[len(t.codes)-1] = code
}

func (t *targets) truncate(n int) {
	if len(t.numbers) <= n {
		return
	}
	t.numbers, t.lines = t.numbers[:n], t.lines[:n]
	if t.codes != nil {
		t.codes = t.codes[:n]
	}
}

func (t *targets) makeTargets(task Task, classes Classes, col *column, most int) (Task, []float64, error) {
	if task == "" {
		task = Regression
		if t.codes != nil || !classes.isZero() || t.twoValues() {
			task = Classification
		}
	}
	if task == Classification {
		y, err := t.classify(classes, col, most)
		return task, y, err
	}
	if t.codes != nil && col.numbers == nil {
		return task, nil, errors.New("nominal values that are no numbers: not a target for regression")
	}
	return task, t.numbers, nil
}

func (t *targets) twoValues() bool {
	second, two := 0.0, false
	for _, v := range t.numbers {
		switch {
		case v == t.numbers[0] || two && v == second:
		case two:
			return false
		default:
			second, two = v, true
		}
	}
	return two
}

func (t *targets) classify(classes Classes, col *column, most int) ([]float64, error) {
	texts := make([]label, len(t.texts))
	for i, text := range t.texts {
		texts[i] = parseLabel(text)
	}
	at := func(row int) label {
		if t.codes != nil && t.codes[row] >= 0 {
			return texts[t.codes[row]]
		}
		return label{number: t.numbers[row] + 0}
	}
	first := make(map[label]int) // line of first appearance
	for row, line := range t.lines {
		if l := at(row); first[l] == 0 {
			if len(first) == most {
				return nil, errLabels(most)
			}
			first[l] = line
		}
	}
	labels := slices.SortedFunc(maps.Keys(first), compareLabels)
	if col.nominal != nil {
		rank := make(map[label]int, len(texts))
		for i, l := range texts {
			rank[l] = i
			if first[l] == 0 {
				first[l] = -1 // unused
			}
		}
		slices.SortFunc(labels, func(a, b label) int { return cmp.Compare(rank[a], rank[b]) })
	}
	signs, err := classes.signs(labels, first)
	if err != nil {
		return nil, err
	}
	negative, positive := divide(labels, signs)
	t.mapped = fmt.Sprintf("%s -1, %s +1", are(negative), are(positive))
	for row := range t.numbers {
		t.numbers[row] = signs[at(row)]
	}
	return t.numbers, nil
}

// signs maps sorted labels to -1 and +1. first has the lines of these and of labels that may be
// named.
func (c Classes) signs(labels []label, first map[label]int) (map[label]float64, error) {
	if len(labels) == 1 {
		return nil, fmt.Errorf("one class only: every row is labelled %v", labels[0])
	}
	signs := make(map[label]float64, len(labels))
	if c.isZero() {
		words := func(l label) bool { return l.isText && !isDecimalComma(l.text) }
		if labels[len(labels)-1].isText && !slices.ContainsFunc(labels, words) {
			return nil, fmt.Errorf("labels with decimal commas (%s)%s", some(labels), decimalHint)
		}
		if len(labels) > 2 {
			return nil, fmt.Errorf("%d labels (%s) and no mapping to two classes: name the negative or the positive labels, as in classes: {positive: [%v]}; "+
				"the third, %v, is first in line %d", len(labels), some(labels), labels[len(labels)-1], labels[2], first[labels[2]])
		}
		signs[labels[0]], signs[labels[1]] = -1, 1
		return signs, nil
	}
	for _, list := range []struct {
		texts []string
		sign  float64
	}{{c.Negative, -1}, {c.Positive, 1}} {
		for _, text := range list.texts {
			l := parseLabel(text)
			if first[l] == 0 {
				return nil, fmt.Errorf("classes: no row is labelled %v: the labels are %s", l, some(labels))
			}
			signs[l] = list.sign
		}
	}
	has := make(map[float64]bool, 2)
	for _, l := range labels {
		if signs[l] == 0 {
			switch {
			case len(c.Negative) == 0:
				signs[l] = -1
			case len(c.Positive) == 0:
				signs[l] = 1
			default:
				return nil, fmt.Errorf("label %v, first in line %d, is neither among the negative nor among the positive labels", l, first[l])
			}
		}
		has[signs[l]] = true
	}
	if len(has) < 2 {
		return nil, fmt.Errorf("one class only: the mapping gives every row the same class; the labels are %s", some(labels))
	}
	return signs, nil
}

func divide(labels []label, signs map[label]float64) (negative, positive []label) {
	for _, l := range labels {
		if signs[l] < 0 {
			negative = append(negative, l)
		} else {
			positive = append(positive, l)
		}
	}
	return negative, positive
}

func are(labels []label) string {
	if len(labels) == 1 {
		return some(labels) + " is"
	}
	return some(labels) + " are"
}

const someMost = 10

func some[T any](values []T) string {
	var b strings.Builder
	for i, v := range values {
		if i == someMost {
			fmt.Fprintf(&b, ", ... (%d in all)", len(values))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}
