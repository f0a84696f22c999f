// Package layout says how reports read the results of a kind of experiment: which
// columns a grid varies, in what words readers see them, and which figures there are.
package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/prose"
)

// Dimension is the position of a dimension in [Layout.Dimensions].
type Dimension int

// The dimensions that every layout begins with.
const (
	Dataset Dimension = iota
	Model
)

// MaxDimensions is how many dimensions a layout can have.
const MaxDimensions = 25

// Columns are the labels and measures that reports ask for by name: dataset, method, repeat,
// seed and metric (rmse, mae or accuracy) of every kind, and, where a kind has them, the
// method's settings as a JSON object, sizes and scores.
var Columns = []string{
	"dataset", "method", "method_params", "repeat", "seed", "metric", "n_train", "n_test", "n_features",
	"test_at_best_validation", "test_at_best_test", "test_at_end", "best_validation",
}

// Layout says how the cells of a kind of experiment are read. Beside the columns that it
// names reports read those of [Columns].
type Layout struct {
	// Dimensions are the label columns that a grid varies, other than the method and the
	// repeat, in the order by which rows are sorted: [Dataset] and [Model] first, the
	// parameter that varies fastest last. There are at most [MaxDimensions].
	Dimensions []DimensionInfo
	// Aspects are what readers see of the dimensions, in the order of a table's columns;
	// the first is the data set.
	Aspects []Aspect
	// Complete, where it is not nil, fills in what a setting leaves open.
	Complete func(s *Setting)

	// Ignorable are the dimensions that some methods ignore: their cells have null there
	// and stand beside every value that other methods have. There are at most 16.
	Ignorable []Dimension
	// Extents are dimensions that a row states only where a data set has several values
	// of them; figures that have room for one show the fullest.
	Extents []Extent
	// Conditions are further such dimensions, of which none says more than another.
	Conditions []Dimension
	// Hyperparameters are what a choice by a score chooses among, with the settings of
	// methods.
	Hyperparameters []Hyperparameter

	// Methods are the kind's methods in the order of every table; others come last.
	Methods []Method
	// Floor is the method that all others should beat, nil for kinds without.
	Floor *Floor
	// Variant are the dimensions of one aspect that are of methods rather than of what these
	// are compared on, nil for kinds without. The first tables of a report choose among their
	// values, too.
	Variant []Dimension

	// Step is what a path of scores goes over.
	Step Step

	// Sensitivity are the dimensions that scores are drawn against.
	Sensitivity []Axis
	// Times are the dimensions that the time of a cell is drawn against.
	Times []Axis
	// Path says where the path of scores of a cell is, nil for kinds without.
	Path *Path
	// Certificate is the measure that is an error relative to the problem's scale, whose own
	// relative changes mean nothing; "" for none.
	Certificate string
	// Own declares the kind's own part of a report, nil for kinds without.
	Own *Own
	// Published returns numbers published for the kind, to be put next to those of a run; nil
	// for kinds without.
	Published func() ([]*PublishedTable, error)
	// WithoutValidation says why cells may have no validation part; "" where that is clear.
	WithoutValidation string
}

// DimensionInfo is a dimension of a layout.
type DimensionInfo struct {
	Column string
	Named  bool   // names of files say the column with the value
	Zero   string // what names of files say for 0, "" for the number
}

// Extent is a dimension of which some values say more than others.
type Extent struct {
	Dimension Dimension
	Least     bool // the smallest says most
}

// Hyperparameter is a dimension that can be chosen by a score.
type Hyperparameter struct {
	Dimension Dimension
	// Across are dimensions over whose values it is the same parameter; nil for one that
	// belongs to a single value of them.
	Across []Dimension
}

// Step is what a path of scores goes over.
type Step struct {
	Word string // as in "age"
	End  string // where the last one is, "" for "at the end of the path"
	// Chosen and Oracle are the columns with the step of the best validation score and with
	// that of the best test score, "" for none.
	Chosen, Oracle string
}

// Method is a method of a kind, for readers.
type Method struct {
	Name, Label string
	Style       int  // of its lines in figures, from 1; 0 for the next one that is free
	Continuous  bool // its path is known between its steps
	Reference   bool // figures of paths show it as a level
}

// Floor is a method that all others should beat. Tables show its scores in a column, next to
// those of the methods that they compare.
type Floor struct {
	Method     string      // its name
	Dimensions []Dimension // that its cells differ in; they are null in all others
}

// Axis is a dimension that figures have along x.
type Axis struct {
	Dimension Dimension
	Word      string // in titles
	Label     string // of the axis; behind the value of Kind where there is one
	// Kind is the dimension whose values have axes of their own, null belonging to all
	// of them; [Dataset] for none.
	Kind Dimension
	// Free are further dimensions that the title leaves out.
	Free []Dimension
}

// Path says where the path of scores of a cell is in the tables of a kind.
type Path struct {
	Label  string    // of its axis, as in "age λ"
	Curve  string    // what a test score against it is called, as in "learning curve"
	Within Dimension // rows that have it have paths

	// Table has a row for each point of a path: its number, the step (a number), the
	// test score there, and the event, "" for paths without events: a point of the event
	// "start" begins a continuous piece. Validation is the score on the validation part,
	// "" for none.
	Table, Number, Step, Score, Validation, Event string

	// Points and Fits are the measures that count the points of a path and those with a model of
	// their own.
	Points, Fits string

	// Main is the method whose paths have critical points, Steps the one that knows a path
	// at the ages of its steps, by their names, and Values the table with the coefficients
	// at each point in its column Value; "" for kinds without.
	Main, Steps, Values, Value string

	// Spacing is the size of the steps of methods that go by steps: reports of several sizes say
	// what each reaches of what Main does, in which time. [Dataset] for kinds without.
	Spacing Dimension
}

// Columns returns the columns of the dimensions.
func (l *Layout) Columns() []string {
	columns := make([]string, len(l.Dimensions))
	for d, info := range l.Dimensions {
		columns[d] = info.Column
	}
	return columns
}

// At returns the dimension of a column, which the layout has.
func (l *Layout) At(column string) Dimension {
	d := slices.IndexFunc(l.Dimensions, func(info DimensionInfo) bool { return info.Column == column })
	if d < 0 {
		panic("layout: there is no dimension " + column)
	}
	return Dimension(d)
}

// Column returns the column of a dimension.
func (l *Layout) Column(d Dimension) string { return l.Dimensions[d].Column }

// VariantAspect is the aspect of Variant, which there is.
func (l *Layout) VariantAspect() *Aspect {
	return &l.Aspects[slices.IndexFunc(l.Aspects, func(a Aspect) bool { return slices.Contains(a.Dimensions, l.Variant[0]) })]
}

// Chosen returns the dimensions of the hyperparameters.
func (l *Layout) Chosen() []Dimension {
	list := make([]Dimension, len(l.Hyperparameters))
	for i, h := range l.Hyperparameters {
		list[i] = h.Dimension
	}
	return list
}

// Parameters returns the hyperparameters that are the same over other dimensions.
func (l *Layout) Parameters() []Dimension {
	var list []Dimension
	for _, h := range l.Hyperparameters {
		if h.Across != nil {
			list = append(list, h.Dimension)
		}
	}
	return list
}

// Fields returns the values of a setting as texts, in the order of the dimensions.
func (l *Layout) Fields(s Setting) []string {
	fields := make([]string, len(l.Dimensions))
	for d := range fields {
		fields[d] = s[d].String()
	}
	return fields
}

// Aspect is one column that readers see: one or more dimensions that belong
// together, with the words for them.
type Aspect struct {
	Name       string // in captions and heads
	Dimensions []Dimension
	Numeric    bool // aligned right
	Text       func(Setting) string
	// Words, where it is not nil, says in a sentence what Text says in a column.
	Words func(text string) string
}

// Describe says what holds for a figure, without the given dimensions.
func (l *Layout) Describe(s Setting, free ...Dimension) string {
	shown := s.Without(free...)
	var parts []string
	for _, a := range l.Aspects {
		if slices.ContainsFunc(a.Dimensions, func(d Dimension) bool { return slices.Contains(free, d) }) {
			continue
		}
		text := a.Text(shown)
		if text == "" {
			continue
		}
		if a.Words != nil {
			text = a.Words(text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// Plain is an aspect that is the value of one dimension.
func Plain(name string, d Dimension, numeric bool, words func(text string) string) Aspect {
	return Aspect{name, []Dimension{d}, numeric, func(s Setting) string { return s[d].String() }, words}
}

// Equals writes name=text, for the words of an aspect.
func Equals(name string) func(text string) string {
	return func(text string) string { return name + "=" + text }
}

// Before writes a word and the text, for the words of an aspect.
func Before(word string) func(text string) string {
	return func(text string) string { return word + " " + text }
}

// Behind writes the text and a word, for the words of an aspect.
func Behind(word string) func(text string) string {
	return func(text string) string { return text + " " + word }
}

// Equal reports whether a value is a number, to within rounding.
func (v Value) Equal(x float64) bool {
	return v.IsNumber && math.Abs(v.Number-x) <= 1e-9*math.Abs(x)
}

// Value is the value of a dimension: a text, a number, or neither where the
// dimension does not apply (the zero Value). A number with a text is shown as that: one that
// [Value.String] would round to what another one is.
type Value struct {
	Text     string
	Number   float64
	IsNumber bool
}

// IsNull reports whether the dimension does not apply.
func (v Value) IsNull() bool { return v == Value{} }

// String returns the value as a grid file would write it, "" for null.
func (v Value) String() string {
	if v.IsNumber && v.Text == "" {
		return prose.Short(v.Number)
	}
	return v.Text
}

// CompareValues orders null before numbers before texts.
func CompareValues(a, b Value) int {
	rank := func(v Value) int {
		switch {
		case v.IsNumber:
			return 1
		case v.Text != "":
			return 2
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(a.Number, b.Number),
		cmp.Compare(a.Text, b.Text),
	)
}

// Setting is what a row of a table stands for: a value of every dimension of a
// layout, null beyond them. It is comparable.
type Setting [MaxDimensions]Value

// Compare orders settings dimension by dimension.
func (s Setting) Compare(other Setting) int {
	for d := range s {
		if c := CompareValues(s[d], other[d]); c != 0 {
			return c
		}
	}
	return 0
}

// Without returns the setting with the given dimensions set to null.
func (s Setting) Without(ds ...Dimension) Setting {
	for _, d := range ds {
		s[d] = Value{}
	}
	return s
}
