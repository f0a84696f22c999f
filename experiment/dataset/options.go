package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options say how to read a table. By default the name and the content decide.
type Options struct {
	// Format is csv, tsv, space, arff or libsvm; "" derives it from the file name (also before .gz)
	// or the content. A csv file is separated by semicolons if its first line has no comma, or only
	// decimal commas.
	Format string
	Skip   int
	// Header says whether the first line of a csv, tsv or space file has the names of the columns.
	// With nil the content decides: a line of text is a header, and so is one of column indices, or
	// of quoted numbers above numbers without quotes; a line with another number is not. A header
	// may lack the name of the first column.
	Header *bool
	// Decimal is the decimal mark of a csv, tsv or space file, by default a point. Numbers may not
	// hold the other mark.
	Decimal string
	// Target is the column to predict: its name, or its index from 0, negative from the end; a name
	// takes precedence. The default is the last column that is not dropped, KEEL's @outputs, or the
	// label of a libsvm file, which is its only target. [NoTarget] makes every column a feature,
	// which only Classes.NegativeRows allows.
	Target string
	// Drop lists columns to leave out, written as in Target, with any content.
	Drop []string
	// Numbered adds a first feature "row": the number of the row, from 1, among those kept.
	Numbered bool
	// Task defaults to classification for a target with text labels, with exactly two distinct
	// values, of a nominal attribute or with Classes, and to regression otherwise.
	Task    Task
	Classes Classes
	// Marks are the missing values of a csv, tsv or space file, in addition to an empty field; nil
	// for ?, NaN, NA, N/A, NULL, None and the other defaults of pandas.
	Marks []string
	// KeepQuoted keeps a mark in quotes, and empty quotes, as text.
	KeepQuoted bool
	// Missing is the treatment of missing values. "" or "refuse" is an error with count and column;
	// "drop" leaves out the row; "mean" fills in the mean of the column's other values, test rows
	// included; "median" keeps NaN for [Prepare], which fills in the median of the training part.
	// In a target, mean and median are errors.
	Missing string
	// Encode is the treatment of text in features of a csv, tsv or space file. "" or "refuse" is an
	// error; "onehot" makes a feature of 0 and 1, called name=value, for each value of a column of
	// text, in their order. A column with text and numbers, or whose text mostly looks like
	// numbers, is an error.
	Encode string
	// OneHot lists columns, written as in Target, whose values all become such features, text or
	// number.
	OneHot []string
}

// NoTarget is the [Options.Target] of a file that has only features.
const NoTarget = "none"

// Classes maps the labels of the target to -1 and +1. The zero value wants exactly two labels and
// makes the smaller one -1: numerically, else in byte order, for a nominal ARFF attribute in the
// declared order.
type Classes struct {
	// Negative and Positive are labels as in the file; numerals compare as numbers. One empty list
	// takes all labels that are not in the other.
	Negative, Positive []string
	// NegativeRows > 0 makes that many rows at the start -1 and the rest +1, whatever the target
	// says (mfeat-pixel in the scripts of the paper). It excludes the lists.
	NegativeRows int
}

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

// Validate checks the options without the file.
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

// delimitedOnly names an option that only csv, tsv and space files have.
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
