package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// The first row of a textTable is the head. A column whose head begins with > is aligned to the
// right.
type textTable [][]string

func (t *textTable) add(row ...string) { *t = append(*t, row) }

func (t textTable) drop(head string) {
	j := slices.IndexFunc(t[0], func(text string) bool { return strings.TrimPrefix(text, ">") == head })
	for i := range t {
		t[i] = slices.Delete(t[i], j, j+1)
	}
}

func (t textTable) write(w io.Writer) error {
	widths := make([]int, len(t[0]))
	right := make([]bool, len(t[0]))
	for j, head := range t[0] {
		t[0][j], right[j] = strings.CutPrefix(head, ">")
	}
	for _, row := range t {
		for j, text := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	for _, row := range t {
		var line strings.Builder
		for j, text := range row {
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(text))
			if right[j] {
				text = pad + text
			} else {
				text += pad
			}
			line.WriteString(text + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// humanTime rounds to two units: 0.4 s, 12 s, 3 min 20 s, 5 h 12 min, 3 d 4 h.
func humanTime(seconds float64) string {
	switch {
	case math.IsNaN(seconds) || math.IsInf(seconds, 0):
		return "unknown"
	case seconds < 0.05:
		return "0 s"
	case seconds < 1:
		return fmt.Sprintf("%.1f s", seconds)
	case math.Round(seconds) < 60:
		return fmt.Sprintf("%.0f s", seconds)
	}
	units := []struct {
		name    string
		seconds float64
	}{{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}
	i := 0 // the largest unit of which there is one, rounded to the next smaller
	for math.Round(seconds/units[i+1].seconds)*units[i+1].seconds < units[i].seconds {
		i++
	}
	small := units[i+1]
	count, of := int64(math.Round(seconds/small.seconds)), int64(units[i].seconds/small.seconds)
	text := fmt.Sprintf("%d %s", count/of, units[i].name)
	if rest := count % of; rest > 0 {
		text += fmt.Sprintf(" %d %s", rest, small.name)
	}
	return text
}

// roughTime formats estimated seconds in one unit, with one digit above 3, halves below: 1.5 s, 20
// s, 4 min, 2.5 h.
func roughTime(seconds float64) string {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return "unknown"
	}
	unit, value := "s", seconds
	for _, next := range []struct {
		unit  string
		units float64
	}{{"min", 60}, {"h", 60}, {"d", 24}} {
		if roughly(value) < next.units {
			break
		}
		unit, value = next.unit, max(1, value/next.units)
	}
	if value = roughly(value); value < 1 {
		if value == 0 {
			return "0 s"
		}
		return "< 1 s"
	}
	return strconv.FormatFloat(value, 'f', -1, 64) + " " + unit
}

func roughly(x float64) float64 {
	if x <= 0 {
		return 0
	}
	digit := math.Pow(10, math.Floor(math.Log10(x)))
	if x < 2.75*digit {
		digit /= 2
	}
	return math.Round(x/digit) * digit
}

type object = map[string]any

type jsonFlag bool

func (j *jsonFlag) addTo(flags *pflag.FlagSet) {
	flags.BoolVar((*bool)(j), "json", false, "print one JSON object instead of text")
}

func (a *app) writeJSON(object any) error {
	encoder := json.NewEncoder(a.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object)
}
