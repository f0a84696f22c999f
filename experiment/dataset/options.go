package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// Options say how to read a table; by default name and content decide.
type Options struct {
	// Format is csv, tsv, space, arff or libsvm; "" derives it from the extension (also before .gz)
	// or content. csv uses semicolons if the first line has no comma, or only decimal ones.
	Format string
	Skip   int
	// Header says whether a csv, tsv or space file begins with column names, of which the first may
	// be missing. By default texts, column indices, and quoted numbers above unquoted ones are
	// names; a line with another number is not.
	Header *bool
	// Decimal is the decimal mark of a csv, tsv or space file, default point. The other mark must
	// not occur in numbers, unless it is Thousands.
	Decimal string
	// Thousands separates groups of three digits before the decimal mark of a csv, tsv or space
	// file: a comma, point, blank or apostrophe. By default nothing does.
	Thousands string
	// Target is the column to predict: a name, else an index from 0, negative from the end.
	// Default: the last column not dropped, KEEL's @outputs, or a libsvm file's label, its only
	// target. [NoTarget] makes all columns features and requires Classes.NegativeRows.
	Target string
	// Drop lists columns to leave out, as in Target.
	Drop []string
	// Numbered prepends a feature "row" that counts kept rows from 1.
	Numbered bool
	// Task defaults to classification for a target with text, two distinct values, nominal type or
	// Classes, else to regression.
	Task    Task
	Classes Classes
	// Marks are missing values of a csv, tsv or space file other than empty fields; numerals compare
	// as numbers. Default: ?, NaN, NA, N/A, NULL, None, \N and others of pandas.
	Marks []string
	// KeepQuoted keeps quoted marks and empty quotes as text.
	KeepQuoted bool
	// Missing treats missing values: "" or "refuse" is an error; "drop" leaves out the row; "mean"
	// fills in the column's mean, test rows included; "median" keeps NaN for [Prepare] to fill in
	// the training median. The last two are errors for a target.
	Missing string
	// Encode treats text features of a csv, tsv or space file: "" or "refuse" is an error; "onehot"
	// makes a sorted 0/1 feature name=value per value. Columns that also have numbers, or mostly
	// look like numbers, are errors.
	Encode string
	// OneHot lists columns to encode so in any case, as in Target.
	OneHot []string
	// Clean is a column that says which rows of a csv, tsv or space file are known to be clean. By
	// default the values are [CleanValues]; with one list of values every other row is not.
	Clean RowColumn
	// Parts is a column that says which part a row of such a file belongs to, by default by
	// [PartValues].
	Parts RowColumn
}

// NoTarget is the [Options.Target] of files without target.
const NoTarget = "none"

// Classes maps labels to -1 and +1. By default there are two labels, and the smaller one is -1: by
// number, byte order, or order of declaration in ARFF.
type Classes struct {
	// Negative and Positive are labels as in the file; numerals compare as numbers. An empty list
	// takes the remaining labels.
	Negative, Positive []string
	// NegativeRows > 0 makes that many first rows -1 and the rest +1, whatever the target
	// (mfeat-pixel in the GAGA scripts). It excludes lists.
	NegativeRows int
}

func (c Classes) isZero() bool {
	return len(c.Negative) == 0 && len(c.Positive) == 0 && c.NegativeRows == 0
}

const (
	formatCSV, formatTSV, formatSpace, formatARFF, formatLIBSVM = "csv", "tsv", "space", "arff", "libsvm"
	missingRefuse, missingMean, missingDrop                     = "refuse", "mean", "drop"
	decimalPoint, decimalComma                                  = ".", ","
	encodeRefuse, encodeOneHot                                  = "refuse", "onehot"

	Median = "median" // of [Options.Missing] and [Settings.Missing]
)

var otherMark = map[string]string{decimalPoint: decimalComma, decimalComma: decimalPoint}

// ThousandsMarks are the values of [Options.Thousands]; the last two include typographic forms.
var ThousandsMarks = []string{",", ".", " ", "'"}

// Validate checks the options without the file.
func (o Options) Validate() error {
	return cmp.Or(
		allow("format", o.Format, formatCSV, formatTSV, formatSpace, formatARFF, formatLIBSVM),
		allow("decimal", o.Decimal, decimalPoint, decimalComma),
		allow("thousands", o.Thousands, ThousandsMarks...),
		allow("task", o.Task, Classification, Regression),
		allow("missing", o.Missing, missingRefuse, missingMean, Median, missingDrop),
		allow("encode", o.Encode, encodeRefuse, encodeOneHot),
		refuse(o.Thousands != "" && o.Thousands == cmp.Or(o.Decimal, decimalPoint), "thousands %q: is the decimal mark", o.Thousands),
		refuse(o.Skip < 0, "skip %d: must be 0 or more lines", o.Skip),
		refuse(o.Task == Regression && !o.Classes.isZero(), "classes: a regression target has none"),
		refuse(o.Target == NoTarget && o.Classes.NegativeRows <= 0, "target %s: needs the number of negative rows in classes", NoTarget),
		o.Classes.validate(), o.Clean.check("clean"), o.Parts.check("split"))
}

func refuse(bad bool, format string, args ...any) error {
	if bad {
		return fmt.Errorf(format, args...)
	}
	return nil
}

func (o Options) delimitedOnly() error {
	return cmp.Or(
		refuse(len(o.OneHot) > 0, "encode: columns are named"), refuse(o.Decimal != "", "decimal: it is"), refuse(o.Thousands != "", "thousands: they are"),
		refuse(o.Marks != nil, "missing_marks: they are"), refuse(o.KeepQuoted, "keep_quoted: it is"),
		refuse(o.Clean.Column != "", "clean: it is"), refuse(o.Parts.Column != "", "split: a column of parts is"))
}

func allow[T ~string](what string, value T, allowed ...T) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	words := lists.Map(allowed, func(word T) string { return string(word) })
	last := len(words) - 1
	return fmt.Errorf("%s %q: allowed are %s and %s", what, value, strings.Join(words[:last], ", "), words[last])
}

func (c Classes) validate() error {
	for _, text := range c.Positive {
		if slices.ContainsFunc(c.Negative, func(other string) bool { return parseLabel(other) == parseLabel(text) }) {
			return fmt.Errorf("classes: label %q is both negative and positive", text)
		}
	}
	return cmp.Or(
		refuse(c.NegativeRows < 0, "classes: %d negative rows: must be 0 or more", c.NegativeRows),
		refuse(c.NegativeRows > 0 && len(c.Negative)+len(c.Positive) > 0, "classes: negative rows exclude lists of labels"))
}
