package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/lists"
)

// ReadError locates an error in a file.
type ReadError struct {
	File   string
	Line   int    // from 1; 0 if unknown
	Column int    // from 0, as in [Options.Target]; -1 if unknown
	Name   string // of the column
	Err    error
	// Remedies are options that settle it, each alone. The first is the likely one.
	Remedies []Remedy
}

// Remedy has options as a grid's data set takes them, such as "skip: 1", with their effect.
type Remedy struct {
	Options []string
	Effect  string
}

func remedy(effect string, options ...string) Remedy { return Remedy{options, effect} }

// Follow adds the remedy to options, in place of those of the same keys; columns to drop add up.
func (r Remedy) Follow(options []string) []string {
	for _, option := range r.Options {
		key, value, _ := strings.Cut(option, ": ")
		at := slices.IndexFunc(options, func(o string) bool { return strings.HasPrefix(o, key+": ") })
		if at >= 0 && key == "drop" {
			list := strings.Split(strings.Trim(options[at][len("drop: "):], "[]")+", "+strings.Trim(value, "[]"), ", ")
			slices.Sort(list)
			option = "drop: [" + strings.Join(slices.Compact(list), ", ") + "]"
		}
		if at >= 0 {
			options = slices.Delete(slices.Clone(options), at, at+1)
		}
		options = append(slices.Clip(options), option)
	}
	return options
}

// ReadErrors are all errors found in a file, in the order of its lines.
type ReadErrors []*ReadError

func (e ReadErrors) Error() string { return errors.Join(e.Unwrap()...).Error() }

func (e ReadErrors) Unwrap() []error {
	return lists.Map(e, func(err *ReadError) error { return err })
}

// Each returns the single errors of one that [Read] returned, with their remedies.
func Each(err error) ReadErrors {
	if all, ok := errors.AsType[ReadErrors](err); ok {
		return all
	}
	if one, ok := errors.AsType[*ReadError](err); ok {
		return ReadErrors{one}
	}
	return nil
}

func (e *ReadError) Error() string {
	var place []string
	if e.File != "" {
		place = append(place, e.File)
	}
	if e.Line > 0 {
		place = append(place, fmt.Sprintf("line %d", e.Line))
	}
	switch {
	case e.Column >= 0 && e.Name != "":
		place = append(place, fmt.Sprintf("column %d (%s)", e.Column, short([]byte(e.Name))))
	case e.Column >= 0:
		place = append(place, fmt.Sprintf("column %d", e.Column))
	case e.Name != "":
		place = append(place, "column "+short([]byte(e.Name)))
	}
	parts := []string{e.Err.Error()}
	for _, r := range e.Remedies {
		parts = append(parts, strings.Join(r.Options, ", ")+" "+r.Effect)
	}
	text := strings.Join(parts, "; ")
	if len(place) == 0 {
		return text
	}
	return strings.Join(place, ", ") + ": " + text
}

func (e *ReadError) Unwrap() error { return e.Err }

// readError returns err as it is if it has a place or remedies.
func readError(err error) *ReadError {
	if at, ok := errors.AsType[*ReadError](err); ok {
		return at
	}
	return &ReadError{Column: -1, Err: err}
}

// inLine locates an error that has no place yet.
func inLine(line int, err error) error {
	at := readError(err)
	if at.Line == 0 && at.Column < 0 {
		at.Line = line
	}
	return at
}

func remedied(err error, remedies ...Remedy) error {
	return &ReadError{Column: -1, Err: err, Remedies: remedies}
}

// Read reads a table of numbers. name appears in errors and may decide the format; without folder
// and extensions it names the data set.
//
// csv, tsv and space (runs of blanks) files may quote fields; a doubled quote means one.
// Features must be numbers unless [Options.Encode] allows text. Columns count from 0. An unnamed
// first column that numbers or names the rows is left out, as are columns made by delimiters at
// line ends.
//
// ARFF files may be dense or sparse. Nominal attributes are numbers if all declared values are,
// else 0/1 features name=value. String and date attributes must be dropped. KEEL's
// @inputs and @outputs declare features and target.
//
// Columns of libsvm files are named by their indices, from 0 if it occurs, else from 1; the label
// is "label". Target and Drop know only these names.
//
// Lines end with LF, CRLF or CR. Blank lines count but are ignored, as is a byte order mark; gzip
// (also of several members) is detected. Limits: 64 MiB per line or quoted row, 2^20 features and
// labels, [DefaultMemory]. [Dataset.Reading] says what the content decided. Errors are
// [*ReadError], or [ReadErrors] if there are several.
func Read(ctx context.Context, r io.Reader, name string, o Options) (*Dataset, error) {
	return read(ctx, r, name, o, limited(0))
}

func readFile(ctx context.Context, path string, o Options, memory int64) (*Dataset, error) {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("read data set: %w", err)
	}
	defer f.Close()
	return read(ctx, f, path, o, limited(memory))
}

func read(ctx context.Context, r io.Reader, name string, o Options, max limits) (*Dataset, error) {
	d, err := readTable(ctx, r, name, o, max)
	if err != nil {
		all := Each(err)
		if all == nil {
			all = ReadErrors{readError(err)}
		}
		for _, at := range all {
			at.File = name
		}
		if len(all) == 1 {
			return nil, all[0]
		}
		return nil, all
	}
	d.Name, _ = split(name)
	return d, nil
}

func readTable(ctx context.Context, r io.Reader, name string, o Options, max limits) (*Dataset, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	l, err := newLines(ctx, r, max.line)
	if err != nil {
		return nil, err
	}
	if err := l.skip(o.Skip); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("empty: the file has %d lines, and %d are skipped", l.line, o.Skip)
	} else if err != nil {
		return nil, err
	}
	start := logicalLines(l.peek(), l.line)
	format, delim := tell(start, name, o)
	if format == formatARFF || format == formatLIBSVM {
		if err := o.delimitedOnly(); err != nil {
			return nil, fmt.Errorf("%w for csv, tsv and space files, not for %s", err, format)
		}
	}
	t := &table{o: o, limits: max, standard: -1, reading: reading{clauses: []string{format}}}
	switch format {
	case formatARFF:
		err = readARFF(l, t)
	case formatLIBSVM:
		err = readLIBSVM(l, t)
	default:
		err = readDelimited(l, t, delim)
	}
	var d *Dataset
	if err == nil {
		d, err = t.finish()
	}
	if err != nil && delim != 0 {
		if titles := findTitles(start, o); titles != nil {
			return nil, titles // the cause of the others
		}
	}
	return d, err
}

func split(path string) (name, ext string) {
	name = filepath.Base(path)
	if strings.EqualFold(filepath.Ext(name), ".gz") {
		name = name[:len(name)-len(".gz")]
	}
	ext = filepath.Ext(name)
	return strings.ToValidUTF8(strings.TrimSuffix(name, ext), "\uFFFD"), strings.ToLower(ext)
}

// logicalLine is a line with the further lines of its quotes.
type logicalLine struct {
	bare   []byte // with a letter for each quoted field
	number int    // of the first line in the file
}

// quotedField matches a field in quotes, which the end of the text may cut, and the separator before.
var quotedField = regexp.MustCompile(`(?m)(^|[,;\t ])"(?:[^"]|"")*(?:"|\z)`)

// logicalLines returns the first lines that are not blank.
func logicalLines(lines [][]byte, number int) (list []logicalLine) {
	const most, feed = 40, "\x00" // for line feeds in quotes
	text := quotedField.ReplaceAllFunc(bytes.Join(lines, []byte("\n")), func(field []byte) []byte {
		separator, rest, _ := bytes.Cut(field, []byte(`"`))
		return slices.Concat(separator, []byte("q"), bytes.Repeat([]byte(feed), bytes.Count(rest, []byte("\n"))))
	})
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		number++
		if len(list) < most && len(bytes.TrimSpace(line)) > 0 {
			bare := bytes.ReplaceAll(bytes.ReplaceAll(line, []byte(feed), nil), []byte(`"`), []byte("q")) // zero bytes may have been before a quote
			list = append(list, logicalLine{bare, number})
		}
		number += bytes.Count(line, []byte(feed))
	}
	return list
}

func tell(start []logicalLine, name string, o Options) (format string, delim byte) {
	bare := lists.Map(start, func(l logicalLine) []byte { return l.bare })
	if format = o.Format; format == "" {
		_, ext := split(name)
		format = tellFormat(ext, bare[:min(len(bare), 20)], bare, o.Decimal)
	}
	switch format {
	case formatTSV:
		return format, '\t'
	case formatSpace:
		return format, ' '
	case formatCSV:
		if separates(bare, ';', o.Decimal) {
			return format, ';'
		}
		return format, ','
	}
	return format, 0
}

// tellFormat prefers decisive extensions; .csv and .data may hold anything.
func tellFormat(ext string, list, start [][]byte, decimal string) string {
	switch ext {
	case ".arff":
		return formatARFF
	case ".libsvm", ".svm", ".svmlight":
		return formatLIBSVM
	case ".tsv", ".tab":
		return formatTSV
	}
	var line []byte
	if len(list) > 0 {
		line = trim(list[0])
	}
	comma := bytes.IndexByte(line, ',') >= 0
	after := slices.IndexFunc(list, func(l []byte) bool { return !bytes.HasPrefix(trim(l), []byte("%")) })
	isARFF := after < 0 || bytes.HasPrefix(trim(list[after]), []byte("@"))
	switch {
	case bytes.HasPrefix(line, []byte("%")) && isARFF, bytes.HasPrefix(line, []byte("@")):
		return formatARFF
	case looksLIBSVM(start):
		return formatLIBSVM
	case comma && separates(list, ';', decimal):
		return formatCSV
	case comma && separates(list, '\t', decimal):
		return formatTSV
	case comma && separates(list, ' ', decimal):
		return formatSpace
	case comma:
		return formatCSV
	case bytes.IndexByte(line, '\t') >= 0 && (bytes.IndexByte(line, ' ') < 0 || isTabbed(list)):
		return formatTSV
	case bytes.IndexByte(line, ';') >= 0:
		return formatCSV
	}
	return formatSpace
}

func looksLIBSVM(start [][]byte) bool {
	for _, line := range start {
		line, _, _ = bytes.Cut(line, []byte("#"))
		label, rest := word(bytes.TrimSpace(line))
		pair, _ := word(rest)
		if len(pair) == 0 {
			continue
		}
		_, kind := parse(label)
		index, _, found := bytes.Cut(pair, []byte(":"))
		return kind == isNumber && found && (string(index) == "qid" || isIndex(index))
	}
	return false
}

func isIndex(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// isTabbed reports whether lines have equally many tabs but different numbers of words: fields
// contain blanks.
func isTabbed(lines [][]byte) bool {
	words, tabs := len(bytes.Fields(lines[0])), bytes.Count(lines[0], []byte{'\t'})
	other := false
	for _, line := range lines {
		if bytes.Count(line, []byte{'\t'}) != tabs {
			return false
		}
		other = other || len(bytes.Fields(line)) != words
	}
	return tabs > 0 && other
}

// separates reports whether delim separates fields despite commas in the first line, which are
// decimal or vary in number.
func separates(lines [][]byte, delim byte, decimal string) bool {
	if len(lines) == 0 || bytes.IndexByte(lines[0], delim) < 0 {
		return false
	}
	if bytes.IndexByte(lines[0], ',') < 0 || decimal == decimalComma || areDecimals(lines[0], delim) {
		return true
	}
	commas, even := false, delim != ' ' && len(lines) > 1
	for _, line := range lines[1:] {
		commas = commas || bytes.Count(line, []byte{','}) != bytes.Count(lines[0], []byte{','})
		even = even && bytes.Count(line, []byte{delim}) == bytes.Count(lines[0], []byte{delim})
	}
	return commas && even
}

func areDecimals(line []byte, delim byte) bool {
	for field := range bytes.SplitSeq(line, []byte{delim}) {
		if field = trim(field); bytes.IndexByte(field, ',') >= 0 && !looksNumber(string(field)) {
			return false
		}
	}
	return true
}
