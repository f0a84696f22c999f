package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// words are the values of a column with text: declared, or by first appearance with numbers in
// their shortest form, so that 1, 1.0 and +1 are one.
type words struct {
	list     []string
	places   map[string]int
	declared bool
	numeric  bool // declared, and all are numbers
	listed   bool // in [Options.OneHot], so that numbers count
	refused  bool // most look like numbers
}

func formatNumber(v float64) string { return strconv.FormatFloat(v+0, 'g', -1, 64) } // -0 is 0

// find returns the place of a text, or the word that it would be.
func (w *words) find(text []byte) (place int, word string, known bool) {
	if place, known = w.places[string(text)]; known {
		return place, "", true
	}
	word = string(text)
	if v, kind := parse(bytes.TrimSpace(text)); kind == isNumber && (!w.declared || w.numeric) {
		word = exactNumber(bytes.TrimSpace(text), v)
	}
	place, known = w.places[word]
	return place, word, known
}

func (w *words) has(text []byte) bool {
	_, _, known := w.find(text)
	return known
}

// place adds an unknown word.
func (w *words) place(word string) int {
	place, known := w.places[word]
	if !known {
		place = len(w.list)
		w.places[word], w.list = place, append(w.list, word)
	}
	return place
}

// declaredPlace returns isText for a word that is not declared.
func (w *words) declaredPlace(text []byte, literal bool) (float64, kind) {
	place, _, known := w.find(text)
	switch {
	case !literal && (!known || string(text) == "?") && missing(text):
		return 0, isMissing
	case !known:
		return 0, isText
	}
	return float64(place), isNumber
}

func (w *words) areNumbers() bool {
	texts, _ := w.texts()
	return texts == nil
}

func (w *words) settleDeclared() {
	if w.numeric = w.areNumbers(); !w.numeric {
		return
	}
	for place, l := range w.labels() {
		number := l.String()
		if _, twice := w.places[number]; !twice {
			w.places[number] = place
		}
	}
}

// numbers are the values with words that are numbers as such.
func (c *column) numbers() []float64 {
	if c.words == nil {
		return c.values
	}
	numbers := slices.Clone(c.values)
	for row, place := range numbers {
		if !math.IsNaN(place) {
			numbers[row], _ = parse([]byte(c.words.list[int(place)]))
		}
	}
	return numbers
}

// putWord sets a column of the current row to a word: a label, or a category to encode.
func (t *table) putWord(c int, text []byte) error {
	col := &t.columns[c]
	if col.words == nil {
		col.words = &words{places: map[string]int{}}
		for row, v := range col.values { // earlier labels were numbers
			if math.IsNaN(v) {
				continue
			}
			if err := t.addWord(col, formatNumber(v)); err != nil {
				return err
			}
			col.values[row] = float64(col.words.place(formatNumber(v)))
		}
	}
	place, word, known := col.words.find(text)
	switch {
	case known:
	case col.words.refused:
	case col.role == feature && !col.words.listed && len(col.words.list) == sampleRecords && judge{t}.looksNumeric(c):
		col.words.refused = true // they are not to fill the memory
	case col.role == feature && !col.words.listed && t.o.Encode != encodeOneHot && len(col.words.list) == mostWords:
	default:
		if err := t.addWord(col, word); err != nil {
			return err
		}
		place = col.words.place(word)
	}
	t.put(c, float64(place), isText)
	return nil
}

// addWord bounds words and the features that they become.
func (t *table) addWord(col *column, word string) error {
	n := len(col.words.list)
	if _, known := col.words.places[word]; known {
		return nil
	}
	if col.role == target && n == t.limits.columns {
		return errLabels(n)
	}
	if col.role == feature && n > 0 {
		if t.width++; t.width > t.limits.columns {
			return fmt.Errorf("more than %d features with one for each value, the most that are allowed", t.limits.columns)
		}
	}
	col.words.place(word)
	t.taken += bytesOfName(word)
	return nil
}

// sortWords sorts the words of columns to encode, without those of rows that are left out.
func (t *table) sortWords() error {
	t.width = 0
	for i := range t.columns {
		col := &t.columns[i]
		if col.role != feature {
			continue
		}
		if col.words != nil && !col.words.declared && len(t.lines) > 0 && t.problems == nil {
			if col.sortWords(); len(col.words.list) == 0 {
				return t.inColumn(i, t.lines[0], errors.New("every value is missing: there is nothing to encode"))
			}
		}
		t.width += col.width()
	}
	return t.fits(len(t.lines))
}

func (c *column) sortWords() {
	labels, used := c.words.labels(), make([]bool, len(c.words.list))
	for _, v := range c.values {
		if !math.IsNaN(v) {
			used[int(v)] = true
		}
	}
	order := slices.DeleteFunc(Indices(len(used)), func(place int) bool { return !used[place] })
	slices.SortFunc(order, func(a, b int) int { return compareLabels(labels[a], labels[b]) })
	sorted, list := make([]float64, len(used)), make([]string, len(order))
	for place, old := range order {
		sorted[old], list[place] = float64(place), c.words.list[old]
	}
	for row, v := range c.values {
		if !math.IsNaN(v) {
			c.values[row] = sorted[int(v)]
		}
	}
	c.words.list = list
}
