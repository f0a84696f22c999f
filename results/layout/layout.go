// Package layout defines how reports read the results of a kind of experiment.
package layout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/prose"
)

// Dimension is a position in [Layout.Dimensions].
type Dimension int

// The first dimensions of every layout.
const (
	Dataset Dimension = iota
	Model
)

// MaxDimensions is the maximum number of dimensions of a layout.
const MaxDimensions = 27

// Columns are the labels and measures that reports read by name: dataset, method, repeat, seed and
// metric (a name of package metric) of every kind; if a kind has them, settings (a JSON object), sizes
// and scores.
var Columns = []string{
	"dataset", "method", "method_params", "repeat", "seed", "metric", "n_train", "n_test", "n_features",
	"test_at_best_validation", "test_at_best_test", "test_at_end", "best_validation", "target_scale", "test_outliers",
}

// Layout defines how the cells of a kind of experiment are read. Reports also read [Columns].
type Layout struct {
	// Dimensions are the label columns that a grid varies, except the method and the repeat, in the
	// order by which rows are sorted: [Dataset] and [Model] first, the parameter that varies
	// fastest last. At most [MaxDimensions].
	Dimensions []DimensionInfo
	// Aspects are the dimensions for readers, in the order of columns; the first is the data set.
	Aspects []Aspect
	// Complete may be nil.
	Complete func(s *Setting)

	// Ignorable dimensions are null in the cells of methods that ignore them, which appear next to
	// every value of other methods. At most 16.
	Ignorable []Dimension
	// Extents are stated only if a data set has several values; figures with room for one show the
	// fullest.
	Extents []Extent
	// Conditions are likewise, without an order of extent.
	Conditions      []Dimension
	Hyperparameters []Hyperparameter

	// Methods are in the order of every table; others come last.
	Methods []Method
	Floor   *Floor
	// Split are the columns of the parts of the rows for testing and for training, validation included,
	// of which tests take the ratio; "" where repeats share no rows.
	Split [2]string
	// Variant are the dimensions of one aspect that belong to methods; may be nil. The first tables
	// of a report also choose among their values.
	Variant []Dimension

	Step Step

	// Sensitivity has the axes of figures of scores.
	Sensitivity []Axis
	Path        *Path
	// Certificate is the measure that is already relative to the problem's scale; "" for none.
	Certificate string
	Own         *Own
	// WithoutValidation says why cells may have no validation part; "" if obvious.
	WithoutValidation string
}

// DimensionInfo describes a dimension of a layout.
type DimensionInfo struct {
	Column string
	Named  bool   // file names include it
	Zero   string // text for 0 in file names, if any
}

// Extent is a dimension of which some values cover more.
type Extent struct {
	Dimension Dimension
	Least     bool // the smallest covers most
}

// Hyperparameter is a dimension that a score can choose.
type Hyperparameter struct {
	Dimension Dimension
	// Across are dimensions over whose values the parameter is the same.
	Across []Dimension
}

// Step is the variable along a path of scores.
type Step struct {
	Word string // such as "age"
	End  string // "" for "at the end of the path"
	// Chosen and Oracle are the columns with the steps of the best validation and test score, or
	// "".
	Chosen, Oracle string
	// LastOut is the column with the last step at which a row does not count, 0 for none, or "";
	// AllWords are those for steps after it.
	LastOut, AllWords string
	// Ends are the columns with the first and the last step, as given and as derived, or "".
	Ends [4]string
	// Practice is the name of what methods with steps do, of which reports say whether it helped
	// against the reference, whose words are Plain; "" for none.
	Practice, Plain string
}

// Method describes a method for readers.
type Method struct {
	Name, Label string
	Style       int  // of lines, from 1; 0 for the next free one
	Continuous  bool // its path is known between its steps
	Reference   bool // a horizontal line in figures of paths
}

// Floor is a method that all others should beat. Tables show its scores in a separate column.
type Floor struct {
	Method     string
	Dimensions []Dimension // of its cells; null in all others
}

// Axis is a dimension along x in figures.
type Axis struct {
	Dimension Dimension
	Word      string
	Label     string // after the value of Kind, if any
	// Kind has separate axes for its values, null belonging to all; [Dataset] for none.
	Kind Dimension
}

// Path locates the scores along a cell's path.
type Path struct {
	Label  string    // such as "age λ"
	Curve  string    // such as "learning curve"
	Within Dimension // rows with this dimension have paths

	// Table has a row for each point: its number, the step (a number), the test score, and the
	// event and the direction, or ""; "start" begins a continuous piece, and steps fall
	// where the direction is Down.
	Table, Number, Step, Score, Event, Direction, Down string
	Counts                                             [3]string // of a path with events: columns of the rows that count fully, in part and not
	Share                                              string    // label of the share of those that count

	// Points and Fits count the points and those with their own model.
	Points, Fits string

	// Steps is the method with a path at its steps, "" for none, and Spacing their size.
	Steps   string
	Spacing Dimension
	// Choice is a word of package choice, [Dataset] if there is one way.
	Choice Dimension
}

func (p *Path) File() string { return p.Table + ".arrow" }

func (l *Layout) Columns() []string {
	return lists.Map(l.Dimensions, func(d DimensionInfo) string { return d.Column })
}

func (l *Layout) Column(d Dimension) string { return l.Dimensions[d].Column }

// VariantAspect requires a Variant.
func (l *Layout) VariantAspect() *Aspect { return l.AspectOf(l.Variant[0]) }

func (l *Layout) AspectOf(d Dimension) *Aspect {
	return &l.Aspects[slices.IndexFunc(l.Aspects, func(a Aspect) bool { return slices.Contains(a.Dimensions, d) })]
}

func (l *Layout) Chosen() []Dimension {
	return lists.Map(l.Hyperparameters, func(h Hyperparameter) Dimension { return h.Dimension })
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

func (l *Layout) Fields(s Setting) []string {
	fields := make([]string, len(l.Dimensions))
	for d := range fields {
		fields[d] = s[d].String()
	}
	return fields
}

// Aspect is one column for readers: related dimensions with their words.
type Aspect struct {
	Name       string // in captions and heads
	Dimensions []Dimension
	Numeric    bool // aligned right
	Text       func(Setting) string
	// Words, if not nil, describes Text in a sentence.
	Words func(text string) string
}

// Describe states a setting without the given dimensions.
func (l *Layout) Describe(s Setting, free ...Dimension) string {
	aspects := slices.DeleteFunc(slices.Clone(l.Aspects), func(a Aspect) bool {
		return slices.ContainsFunc(a.Dimensions, func(d Dimension) bool { return slices.Contains(free, d) })
	})
	return Words(aspects, s.Without(free...))
}

// Words states some aspects of a setting.
func Words(aspects []Aspect, s Setting) string {
	var parts []string
	for _, a := range aspects {
		text := a.Text(s)
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

// Plain is the value of one dimension.
func Plain(name string, d Dimension, numeric bool, words func(text string) string) Aspect {
	return Aspect{name, []Dimension{d}, numeric, func(s Setting) string { return s[d].String() }, words}
}

// Around returns Words that write the text between two others.
func Around(before, after string) func(text string) string {
	return func(text string) string { return before + text + after }
}

// Value is a text, a number, or neither if the dimension does not apply. A number with a text is
// shown as the text: [Value.String] would round it to another value's text.
type Value struct {
	Text     string
	Number   float64
	IsNumber bool
}

func (v Value) IsNull() bool { return v == Value{} }

// String returns the value as in a grid file, "" for null.
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

// Setting identifies a row of a table: a value of every dimension, null beyond them.
type Setting [MaxDimensions]Value

func (s Setting) Compare(other Setting) int {
	for d := range s {
		if c := CompareValues(s[d], other[d]); c != 0 {
			return c
		}
	}
	return 0
}

func (s Setting) Without(ds ...Dimension) Setting {
	for _, d := range ds {
		s[d] = Value{}
	}
	return s
}
