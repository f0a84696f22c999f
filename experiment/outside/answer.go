package outside

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/agepath/agepath/experiment/dataset"
)

const (
	maxLine   = 64 << 20 // bytes
	maxAnswer = 1 << 30  // bytes
	maxKnots  = 1_000_000
)

type request struct {
	Protocol int             `json:"protocol"`
	Cell     json.RawMessage `json:"cell"`
	Data     *Data           `json:"data"`
	Answer   string          `json:"answer"` // path of the command's file, if any
}

// Answer is a command's answer for a cell: coefficients or predictions of one knot or, with ages,
// of a path's knots; or the coefficients of a [Curve].
type Answer struct {
	Cell    string    `json:"cell"`
	Error   string    `json:"error"`   // why there is no result
	Skipped string    `json:"skipped"` // likewise, but not a failure
	Ages    []float64 `json:"ages"`    // increasing; none for a method without ages

	Curve

	Coefficients [][]float64 `json:"coefficients"` // of the features, then the intercept
	Predictions  Predictions `json:"predictions"`

	File    bool   `json:"file"`    // the rest is in the request's file
	Stopped string `json:"stopped"` // why a path ends before the last requested age

	// Software lists the interpreter and libraries with their versions.
	Software string `json:"software"`
}

// Curve is a solver's account of each point of a run, or of runs to decreasing tolerances. Lists
// may be missing; -1 is unknown.
type Curve struct {
	Seconds    []float64 `json:"seconds"` // until the point, including setup
	Passes     []float64 `json:"passes"`  // over the data, or iterations
	Gaps       []float64 `json:"gaps"`    // relative, as the solver estimates them
	Tolerances []float64 `json:"tolerances"`
	Setup      float64   `json:"setup"` // seconds
}

func (c *Curve) lists() map[string]*[]float64 {
	return map[string]*[]float64{"seconds": &c.Seconds, "passes": &c.Passes, "gaps": &c.Gaps, "tolerances": &c.Tolerances}
}

// Predictions are linear predictors or, of classes, decision values of each knot for the rows of
// two parts.
type Predictions struct {
	Validation [][]float64 `json:"validation"`
	Test       [][]float64 `json:"test"`
}

// CellError is a command's reason not to compute a cell.
type CellError struct {
	Text    string
	Skipped bool // not a failure
}

func (e *CellError) Error() string { return e.Text }

// NumberError says that an answer has numbers that are not finite.
type NumberError struct{ What string }

func (e *NumberError) Error() string { return e.What + " hold a number that is not finite" }

// notFiniteWords matches Python's NaN and Infinity, others' null in lists, and strings and keys'
// null values, which withoutNaN skips.
var notFiniteWords = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|:\s*null\b|null\b|-?NaN\b|-?Infinity\b`)

// withoutNaN replaces numbers that are not finite by the valid 1e999.
func withoutNaN(line []byte) []byte {
	if !bytes.Contains(line, []byte("null")) && !bytes.Contains(line, []byte("NaN")) && !bytes.Contains(line, []byte("Infinity")) {
		return line
	}
	return notFiniteWords.ReplaceAllFunc(line, func(word []byte) []byte {
		if word[0] == '"' || word[0] == ':' {
			return word
		}
		return []byte("1e999")
	})
}

const oneLine = "a command writes one line for each line that it reads and nothing else to its standard output, as notes go to standard error"

func readAnswer(line []byte, cell, file string, check func(*Answer) error) (*Answer, error) {
	a := new(Answer)
	decoder := json.NewDecoder(bytes.NewReader(withoutNaN(line)))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(a)
	var beyond *json.UnmarshalTypeError // numbers beyond float64; the rest is decoded
	if errors.As(err, &beyond) && strings.HasPrefix(beyond.Value, "number ") {
		err = nil
	} else {
		beyond = nil
	}
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one JSON value in a line")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("its answer %.200q: %w; %s", line, err, oneLine)
	}
	if a.Cell != cell {
		return nil, fmt.Errorf("its answer %.200q is of the cell %.100q, not of %q: the key cell of an answer is the id of the cell that the request has; %s",
			line, a.Cell, cell, oneLine)
	}
	if beyond != nil {
		return nil, &NumberError{beyond.Field}
	}
	if a.Error != "" || a.Skipped != "" {
		return nil, &CellError{cmp.Or(a.Error, a.Skipped), a.Error == ""}
	}
	if a.File {
		if a.Ages != nil || a.Seconds != nil || a.Coefficients != nil || a.Predictions.Test != nil || a.Predictions.Validation != nil {
			return nil, errors.New("its answer has numbers in the line and in the file; allowed is one of them")
		}
		if err := a.readFile(file); err != nil {
			return nil, fmt.Errorf("its answer's file %s: %w", filepath.Base(file), err)
		}
	}
	if err := check(a); err != nil {
		return nil, fmt.Errorf("its answer: %w", err)
	}
	return a, nil
}

func (a *Answer) Knots() int { return max(len(a.Coefficients), len(a.Predictions.Test)) }

func (a *Answer) check(prepared *dataset.Prepared) error {
	knots := a.Knots()
	switch {
	case a.Seconds != nil:
		return errors.New("seconds, which are of curves of solvers alone")
	case knots == 0:
		return errors.New("neither coefficients nor predictions of the test part")
	case len(a.Coefficients) > 0 && (len(a.Predictions.Test) > 0 || len(a.Predictions.Validation) > 0):
		return errors.New("coefficients and predictions; allowed is one of them")
	case knots > maxKnots:
		return fmt.Errorf("%d knots; at most %d are allowed", knots, maxKnots)
	case a.Ages == nil && knots > 1:
		return fmt.Errorf("%d knots without ages; allowed is one", knots)
	case a.Ages != nil && len(a.Ages) != knots:
		return fmt.Errorf("%d ages for %d knots", len(a.Ages), knots)
	}
	for i, age := range a.Ages {
		if dataset.NotFinite(age) {
			return &NumberError{"ages"}
		}
		if i > 0 && age <= a.Ages[i-1] {
			return fmt.Errorf("age %g follows %g; ages rise", age, a.Ages[i-1])
		}
	}
	if len(a.Coefficients) > 0 {
		return checkLists("coefficients", a.Coefficients, knots, prepared.Train.D+1)
	}
	err := checkLists("predictions of the test part", a.Predictions.Test, knots, prepared.Test.N)
	if err == nil && (prepared.Validation.N > 0 || len(a.Predictions.Validation) > 0) {
		err = checkLists("predictions of the validation part", a.Predictions.Validation, knots, prepared.Validation.N)
	}
	return err
}

func checkLists(what string, lists [][]float64, knots, n int) error {
	if len(lists) != knots {
		return fmt.Errorf("%d lists of %s for %d knots", len(lists), what, knots)
	}
	for _, values := range lists {
		if len(values) != n {
			return fmt.Errorf("%d numbers as %s; there are %d", len(values), what, n)
		}
		if slices.ContainsFunc(values, dataset.NotFinite) {
			return &NumberError{what}
		}
	}
	return nil
}

func (a *Answer) checkCurve(features int) error {
	points := len(a.Seconds)
	err := checkLists("coefficients", a.Coefficients, points, features)
	switch {
	case a.Ages != nil || a.Predictions.Test != nil || a.Predictions.Validation != nil:
		return errors.New("ages or predictions; the curve of a solver has coefficients")
	case points > maxKnots:
		return fmt.Errorf("%d points; at most %d are allowed", points, maxKnots)
	case err != nil:
		return err
	case points == 0 && a.Stopped == "":
		return errors.New("neither points nor a word in stopped")
	case dataset.NotFinite(a.Setup) || a.Setup < 0:
		return fmt.Errorf("%v seconds of set-up", a.Setup)
	}
	for name, list := range a.lists() {
		if len(*list) != points && *list != nil {
			return fmt.Errorf("%d %s for %d points", len(*list), name, points)
		}
		if slices.ContainsFunc(*list, func(x float64) bool { return dataset.NotFinite(x) || x < 0 && x != -1 }) {
			return &NumberError{name}
		}
	}
	return nil
}

// readFile reads a row per knot or point of a curve.
func (a *Answer) readFile(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxAnswer {
		return fmt.Errorf("it has %d bytes; a regular file of at most %d is allowed", info.Size(), maxAnswer)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	reader, err := ipc.NewFileReader(file)
	if err != nil {
		return err
	}
	defer reader.Close()
	for i := range reader.NumRecords() {
		record, err := reader.Record(i)
		if err != nil {
			return err
		}
		for j, field := range reader.Schema().Fields() {
			if err := a.readColumn(field.Name, record.Column(j)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *Answer) readColumn(name string, column arrow.Array) error {
	if column.NullN() > 0 {
		return fmt.Errorf("column %s has nulls", name)
	}
	number := a.lists()[name]
	if name == "age" {
		number = &a.Ages
	}
	if number != nil {
		values, ok := column.(*array.Float64)
		if !ok {
			return fmt.Errorf("column %s holds %s, not float64", name, column.DataType())
		}
		*number = append(*number, values.Float64Values()...)
		return nil
	}
	to := map[string]*[][]float64{
		"coefficients": &a.Coefficients, "validation": &a.Predictions.Validation, "test": &a.Predictions.Test,
	}[name]
	if to == nil {
		return fmt.Errorf("there is no column %.100q; allowed are age, coefficients, validation and test, and of curves seconds, passes, gaps and tolerances", name)
	}
	lists, ok := column.(array.ListLike)
	if !ok {
		return fmt.Errorf("column %s holds %s, not lists of float64", name, column.DataType())
	}
	values, ok := lists.ListValues().(*array.Float64)
	if !ok || values.NullN() > 0 {
		return fmt.Errorf("column %s holds %s, not lists of float64 without nulls", name, column.DataType())
	}
	for i := range column.Len() {
		from, end := lists.ValueOffsets(i)
		*to = append(*to, values.Float64Values()[from:end])
	}
	return nil
}
