package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options tell how to read a table. The zero value tells everything by name
// and content.
type Options struct {
	// Format is csv, tsv, space, arff or libsvm; "" tells it by the file name
	// (also before .gz) or the content. A csv file is separated by semicolons
	// where its first line has no comma, or decimal ones only.
	Format string
	// Skip is the number of lines to leave out at the start of the file.
	Skip int
	// Header tells whether the first line of a csv, tsv or space file holds
	// the names of the columns. nil tells by content: a line of text is a header, and
	// one of column indices, or of quoted numbers above numbers without quotes; a line
	// with another number in it is not. A header may lack the name of the first column.
	Header *bool
	// Decimal is the decimal mark of a csv, tsv or space file: "" or "." is a point, ","
	// a comma; numbers may not hold the other one.
	Decimal string
	// Target is the column to predict: its name, or its index from 0, negative
	// from the end; a name goes before an index. "" is the last column that is not
	// dropped, the @outputs of KEEL's form of ARFF, or the label of a libsvm file, which
	// is its only target. [NoTarget] makes every
	// column a feature, which only Classes.NegativeRows allows.
	Target string
	// Drop lists columns to leave out, written as in Target. They may hold
	// anything.
	Drop []string
	// Numbered adds a first feature, "row": the number of the row, from 1, among those that
	// are kept.
	Numbered bool
	// Task "" makes a target with text labels, with exactly two distinct
	// values, of a nominal attribute or with Classes classification, every
	// other one regression.
	Task Task
	// Classes maps the labels of a classification target to -1 and +1.
	Classes Classes
	// Marks are what stands for a missing value in a csv, tsv or space file besides an
	// empty field; nil for ?, NaN, NA, N/A, NULL, None and what else pandas takes for one.
	Marks []string
	// KeepQuoted makes text of a mark in quotes, and of empty quotes, in such a file.
	KeepQuoted bool
	// Missing says what becomes of missing values: "" or "refuse" is an error with
	// count and column, "mean" puts the
	// mean of the column's other values there, those of test rows included, "drop"
	// leaves out the row. "median" keeps them as NaN for [Prepare], which puts the
	// median of the training part there. Mean and median do not apply to the
	// target, where missing values are an error.
	Missing string
	// Encode says what becomes of text in the features of a csv, tsv or space
	// file: "" or "refuse" is an error, "onehot" makes of a column of text one
	// feature of 0 and 1 for each of its values, in their order, called name=value.
	// A column with text and numbers is an error, and so is one whose text mostly looks
	// like numbers.
	Encode string
	// OneHot lists columns, written as in Target, of which each value becomes such a
	// feature, whether text or number.
	OneHot []string
}

// NoTarget is the [Options.Target] of a file that holds features only.
const NoTarget = "none"

// Classes maps the labels of the target to -1 and +1. The zero value wants
// exactly two labels and makes the smaller -1: numerically, else in byte
// order, for a nominal ARFF attribute in the declared order.
type Classes struct {
	// Negative and Positive are labels as they stand in the file; numerals
	// compare as numbers. A label in neither is an error unless one of the
	// lists is empty: that one takes all the rest.
	Negative, Positive []string
	// NegativeRows > 0 makes the first so many rows of the file -1 and the
	// rest +1, whatever the target says (mfeat-pixel in the scripts of the
	// paper). It excludes the lists.
	NegativeRows int
}

// isZero tells whether the classes are left to the default.
func (c Classes) isZero() bool {
	return len(c.Negative) == 0 && len(c.Positive) == 0 && c.NegativeRows == 0
}

const (
	formatCSV    = "csv"
	formatTSV    = "tsv"
	formatSpace  = "space"
	formatARFF   = "arff"
	formatLIBSVM = "libsvm"
)

const (
	missingRefuse = "refuse"
	missingMean   = "mean"
	missingMedian = "median"
	missingDrop   = "drop"
)

const (
	decimalPoint = "."
	decimalComma = ","
)

const (
	encodeRefuse = "refuse"
	encodeOneHot = "onehot"
)

// Validate checks what can be checked without the file.
func (o Options) Validate() error {
	err := cmp.Or(
		allow("format", o.Format, formatCSV, formatTSV, formatSpace, formatARFF, formatLIBSVM),
		allow("decimal", o.Decimal, decimalPoint, decimalComma),
		allow("task", o.Task, Classification, Regression),
		allow("missing", o.Missing, missingRefuse, missingMean, missingMedian, missingDrop),
		allow("encode", o.Encode, encodeRefuse, encodeOneHot))
	if err != nil {
		return err
	}
	if o.Skip < 0 {
		return fmt.Errorf("skip %d: must be 0 or more lines", o.Skip)
	}
	if o.Task == Regression && !o.Classes.isZero() {
		return errors.New("classes: a regression target has none")
	}
	if o.Target == NoTarget && o.Classes.NegativeRows <= 0 {
		return fmt.Errorf("target %s: needs the number of negative rows in classes", NoTarget)
	}
	return o.Classes.validate()
}

// delimitedOnly names an option that is for csv, tsv and space files only.
func (o Options) delimitedOnly() error {
	switch {
	case len(o.OneHot) > 0:
		return errors.New("encode: columns are named")
	case o.Decimal != "":
		return errors.New("decimal: it is")
	case o.Marks != nil:
		return errors.New("missing_marks: they are")
	case o.KeepQuoted:
		return errors.New("keep_quoted: it is")
	}
	return nil
}

// allow returns an error unless a value is "" or one of several.
func allow[T ~string](what string, value T, allowed ...T) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	words := make([]string, len(allowed))
	for i, word := range allowed {
		words[i] = string(word)
	}
	last := len(words) - 1
	return fmt.Errorf("%s %q: allowed are %s and %s", what, value, strings.Join(words[:last], ", "), words[last])
}

// validate refuses classes that contradict themselves.
func (c Classes) validate() error {
	if c.NegativeRows < 0 {
		return fmt.Errorf("classes: %d negative rows: must be 0 or more", c.NegativeRows)
	}
	if c.NegativeRows > 0 && len(c.Negative)+len(c.Positive) > 0 {
		return errors.New("classes: negative rows exclude lists of labels")
	}
	negative := make(map[label]bool, len(c.Negative))
	for _, text := range c.Negative {
		negative[parseLabel(text)] = true
	}
	for _, text := range c.Positive {
		if negative[parseLabel(text)] {
			return fmt.Errorf("classes: label %q is both negative and positive", text)
		}
	}
	return nil
}
