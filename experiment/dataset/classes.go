package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// label is a label of a target, equal by text or number: 1, 1.0 and +1 are one.
type label struct {
	text   string // unless a number that a float64 has
	number float64
	isText bool
}

func parseLabel(text string) label {
	if v, kind := parse([]byte(text)); kind == isNumber {
		l := label{number: v + 0} // -0 is 0
		if exact := exactNumber([]byte(text), v); exact != formatNumber(v) {
			l.text = exact
		}
		return l
	}
	return label{text: text, isText: true}
}

func (l label) String() string {
	if l.isText {
		return strconv.Quote(short([]byte(l.text)))
	}
	return cmp.Or(l.text, formatNumber(l.number))
}

// value is the label in JSON.
func (l label) value() any {
	if l.isText {
		return l.text
	}
	return json.Number(l.String())
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
	return cmp.Or(cmp.Compare(a.number, b.number), decimal(a.String()).Cmp(decimal(b.String())))
}

func (w *words) labels() []label { return lists.Map(w.list, parseLabel) }

func errLabels(most int) error {
	return fmt.Errorf("more than %d labels, the most that are allowed", most)
}

func (t *table) setTargets(d *Dataset) error {
	col := &t.columns[t.target]
	if d.Task = t.o.Task; d.Task == "" {
		d.Task = Regression
		numbers := col.words != nil && !col.words.declared && col.words.areNumbers()
		if col.words != nil && !numbers || !t.o.Classes.isZero() || twoValues(col.values) {
			d.Task = Classification
		}
	}
	became, err := string(d.Task), error(nil)
	switch {
	case d.Task == Classification:
		became, err = t.classify(d, col)
		col.lossy.count = 0 // labels have all their digits
	case col.words != nil && !col.words.areNumbers():
		err = errors.New("nominal values that are no numbers: not a target for regression")
	default:
		d.Y = col.numbers()
	}
	if err != nil {
		return t.inColumn(t.target, 0, err)
	}
	last := ""
	if t.o.Target == "" && t.standard < 0 {
		last = " (the last column)"
	}
	t.say("target %s%s: %s", short([]byte(col.called(t.target))), last, became)
	return nil
}

func twoValues(values []float64) bool {
	seen := map[float64]bool{}
	for _, v := range values {
		if !math.IsNaN(v) {
			seen[v] = true
		}
		if len(seen) > 2 {
			return false
		}
	}
	return len(seen) == 2
}

func (t *table) classify(d *Dataset, col *column) (became string, err error) {
	at := func(v float64) label { return label{number: v + 0} }
	var words []label
	if col.words != nil {
		words = col.words.labels()
		at = func(v float64) label { return words[int(v)] }
	}
	first := make(map[label]int) // line of first appearance
	for row, v := range col.values {
		if math.IsNaN(v) {
			continue
		}
		if l := at(v); first[l] == 0 {
			if len(first) == t.limits.columns {
				return "", errLabels(t.limits.columns)
			}
			first[l] = t.lines[row]
		}
	}
	labels := slices.SortedFunc(maps.Keys(first), compareLabels)
	if col.words != nil && col.words.declared {
		rank := make(map[label]int, len(words))
		for i, l := range words {
			rank[l] = i
			if first[l] == 0 {
				first[l] = -1 // unused
			}
		}
		slices.SortFunc(labels, func(a, b label) int { return cmp.Compare(rank[a], rank[b]) })
	}
	if len(labels) == 0 || len(labels) == 1 && col.gaps > 0 {
		return "", nil // the missing ones are reported
	}
	signs, err := t.o.Classes.signs(labels, first)
	if err != nil {
		if label := (judge{t}).labelling(); label.Options != nil {
			err = remedied(err, label)
		}
		return "", err
	}
	d.Y = make([]float64, d.N)
	for row, v := range col.values {
		if !math.IsNaN(v) {
			d.Y[row] = signs[at(v)]
		}
	}
	are := func(sign float64) string {
		list := slices.DeleteFunc(slices.Clone(labels), func(l label) bool { return signs[l] != sign })
		if len(list) == 1 {
			t.classes = append(t.classes, list[0].value())
			return some(list) + " is"
		}
		return some(list) + " are"
	}
	became = fmt.Sprintf("%s -1, %s +1", are(-1), are(1))
	if len(t.classes) < 2 {
		t.classes = nil
	}
	return became, nil
}

// signs maps sorted labels to -1 and +1. first has the lines of these and of labels that may be
// named.
func (c Classes) signs(labels []label, first map[label]int) (map[label]float64, error) {
	if len(labels) == 1 {
		return nil, fmt.Errorf("one class only: every row is labelled %v", labels[0])
	}
	signs := make(map[label]float64, len(labels))
	if c.isZero() {
		if len(labels) > 2 {
			return nil, remedied(fmt.Errorf("%d labels (%s) and no mapping to two classes; the third, %v, is first in line %d",
				len(labels), some(labels), labels[2], first[labels[2]]),
				remedy("makes all others the negative class", fmt.Sprintf("classes: {positive: [%v]}", labels[len(labels)-1])))
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

const someMost = 10

func some[T any](values []T) string {
	texts := lists.Map(values[:min(len(values), someMost)], func(v T) string { return fmt.Sprint(v) })
	if len(values) > someMost {
		texts = append(texts, fmt.Sprintf("... (%d in all)", len(values)))
	}
	return strings.Join(texts, ", ")
}
