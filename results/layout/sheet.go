package layout

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/prose"
)

// Section is a part of a report.
type Section struct {
	Title  string
	Name   string   // of labels and links
	Notes  []string // before the tables
	Sheets []*Sheet
	Long   bool // omitted in Markdown
}

// Sheet is a table as text, before a format's markup.
type Sheet struct {
	Name    string // letters, digits and dashes
	Title   string
	Caption string
	Best    string // explains the mark; "" for none
	Equal   string // likewise
	Columns []SheetColumn
	Rows    [][]SheetCell
	List    bool // in text, further columns become lists
}

// SheetColumn is the head of a column.
type SheetColumn struct {
	Head  string
	Aside string // head of the cells' Aside
	Right bool
	Label bool
	Wrap  bool // text may be wrapped
}

// SheetMark highlights an entry.
type SheetMark int

const (
	Unmarked SheetMark = iota
	BestMark
	EqualMark // not significantly worse than the best
)

// SheetCell is one field. A mean has a standard deviation if several repeats count; a field with
// neither text nor mean has a note.
type SheetCell struct {
	Text string
	Std  string
	// Aside is a second number, shown small.
	Aside string
	Note  string // "n=2" if not all repeats count, "failed", "-"
	Mark  SheetMark
}

// MarshalJSON writes a text, or a list of all parts.
func (c SheetCell) MarshalJSON() ([]byte, error) {
	if c.Std == "" && c.Note == "" && c.Mark == Unmarked && c.Aside == "" {
		return json.Marshal(c.Text)
	}
	return json.Marshal([]any{c.Text, c.Std, c.Note, c.Mark, c.Aside})
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// CountCell shows a count.
func CountCell(n int) SheetCell { return SheetCell{Text: strconv.Itoa(n)} }

// NumberCell shows x to the given decimals, - for NaN.
func NumberCell(x float64, places int) SheetCell {
	if math.IsNaN(x) {
		return SheetCell{Note: "-"}
	}
	return SheetCell{Text: prose.Fixed(x, places)}
}

// ShortCell shows three significant digits, - if not finite.
func ShortCell(x float64) SheetCell {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return SheetCell{Note: "-"}
	case math.Abs(x) >= 100:
		return SheetCell{Text: prose.Fixed(x, 0)}
	}
	return SheetCell{Text: strconv.FormatFloat(x, 'g', 3, 64)}
}

// Legend explains a format's marks, with a leading space.
func (s *Sheet) Legend(best, equal string) string {
	var b strings.Builder
	if s.Best != "" {
		b.WriteString(" " + best + s.Best + ".")
	}
	if s.Equal != "" {
		b.WriteString(" " + equal + s.Equal + ".")
	}
	return b.String()
}

func (s *Sheet) AddAspects(varied []Aspect) {
	for _, a := range varied {
		s.Columns = append(s.Columns, SheetColumn{Head: a.Name, Right: a.Numeric, Label: true})
	}
}

// AspectCells fills the columns of [Sheet.AddAspects].
func AspectCells(varied []Aspect, setting Setting) []SheetCell {
	return lists.Map(varied, func(a Aspect) SheetCell { return SheetCell{Text: a.Text(setting)} })
}

// SplitSettings separates the aspects that differ between settings from the constant ones. Aspects
// that apply to no setting are in neither.
func (l *Layout) SplitSettings(settings []Setting) (varied []Aspect, constant []Fact) {
	for _, a := range l.Aspects {
		applies := false
		differs := false
		for _, setting := range settings {
			for _, d := range a.Dimensions {
				applies = applies || !setting[d].IsNull()
			}
			differs = differs || a.Text(setting) != a.Text(settings[0])
		}
		switch {
		case differs:
			varied = append(varied, a)
		case applies:
			constant = append(constant, Fact{Name: a.Name, Value: a.Text(settings[0])})
		}
	}
	return varied, constant
}

// ConstantWords states what holds for all rows.
func ConstantWords(constant []Fact) string {
	var words strings.Builder
	for _, fact := range constant {
		name := fact.Name
		if name != "" && name[0] < utf8.RuneSelf {
			name = strings.ToUpper(name[:1]) + name[1:]
		}
		fmt.Fprintf(&words, " %s: %s.", name, fact.Value)
	}
	return words.String()
}

// SettingName is for file names.
func (l *Layout) SettingName(s Setting, free ...Dimension) string {
	var parts []string
	for d, info := range l.Dimensions {
		value := s[d]
		if slices.Contains(free, Dimension(d)) || value.IsNull() {
			continue
		}
		text := value.String()
		switch {
		case info.Zero != "" && value.Number == 0:
			text = info.Zero
		case info.Named:
			text = info.Column + "-" + text
		}
		parts = append(parts, text)
	}
	return prose.Slug(parts...)
}
