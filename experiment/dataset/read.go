package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadError locates an error in a file.
type ReadError struct {
	File   string
	Line   int    // from 1; 0 if unknown
	Column int    // from 0, as in [Options.Target]; -1 if unknown
	Name   string // of the column
	Err    error
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
	if len(place) == 0 {
		return e.Err.Error()
	}
	return strings.Join(place, ", ") + ": " + e.Err.Error()
}

func (e *ReadError) Unwrap() error { return e.Err }

// inLine locates an error that has no place yet.
func inLine(line int, err error) error {
	if _, ok := errors.AsType[*ReadError](err); ok {
		return err
	}
	return &ReadError{Line: line, Column: -1, Err: err}
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
// else 0/1 features name=value. String, date and relational attributes must be dropped. KEEL's
// @inputs and @outputs declare features and target.
//
// Columns of libsvm files are named by their indices, from 0 if it occurs, else from 1; the label
// is "label". Target and Drop know only these names.
//
// Lines end with LF, CRLF or CR. Blank lines count but are ignored, as is a byte order mark; gzip
// (also of several members) is detected. Limits: 64 MiB per line or quoted row, 2^20 features and
// labels, [DefaultMemory]. [Dataset.Reading] says what the content decided. Errors are
// [*ReadError].
func Read(ctx context.Context, r io.Reader, name string, o Options) (*Dataset, error) {
	return read(ctx, r, name, o, limited(0))
}

// readFile refuses special files: opening a named pipe would block.
func readFile(ctx context.Context, path string, o Options, memory int64) (*Dataset, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, fmt.Errorf("read data set %s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read data set: %w", err)
	}
	defer f.Close()
	return read(ctx, f, path, o, limited(memory))
}

func regular(info fs.FileInfo) error {
	what := "a device"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("is %s; a regular file is allowed", what)
}

func read(ctx context.Context, r io.Reader, name string, o Options, max limits) (*Dataset, error) {
	d, err := readTable(ctx, r, name, o, max)
	if err != nil {
		var at *ReadError
		if !errors.As(err, &at) {
			at = &ReadError{Column: -1, Err: err}
		}
		at.File = name
		return nil, at
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
	format, delim := tell(l, name, o)
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
	if err != nil {
		return nil, err
	}
	return t.finish()
}

func split(path string) (name, ext string) {
	name = filepath.Base(path)
	if strings.EqualFold(filepath.Ext(name), ".gz") {
		name = name[:len(name)-len(".gz")]
	}
	ext = filepath.Ext(name)
	return strings.ToValidUTF8(strings.TrimSuffix(name, ext), "\uFFFD"), strings.ToLower(ext)
}

func tell(l *lines, name string, o Options) (format string, delim byte) {
	start := slices.DeleteFunc(slices.Clone(l.peek()), func(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 })
	bare := make([][]byte, min(len(start), 20))
	for i := range bare {
		bare[i] = withoutQuoted(start[i])
	}
	if format = o.Format; format == "" {
		_, ext := split(name)
		format = tellFormat(ext, bare, start, o.Decimal)
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
	switch {
	case len(line) > 0 && (line[0] == '%' || line[0] == '@'):
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

// withoutQuoted replaces quoted fields by a letter.
func withoutQuoted(line []byte) []byte {
	if bytes.IndexByte(line, '"') < 0 {
		return line
	}
	bare := make([]byte, 0, len(line))
	starts := true
	for i := 0; i < len(line); i++ {
		c := line[i]
		if starts && c == '"' {
			for i++; i < len(line) && (line[i] != '"' || i+1 < len(line) && line[i+1] == '"'); i++ {
				if line[i] == '"' {
					i++
				}
			}
			c = 'q'
		}
		bare = append(bare, c)
		starts = c == ',' || c == ';' || c == '\t' || c == ' '
	}
	return bare
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
		if field = trim(field); bytes.IndexByte(field, ',') >= 0 && !isDecimalComma(field) {
			return false
		}
	}
	return true
}
