package report

import (
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
)

// awkwardRun writes a folder whose cells hold what files of comma-separated values are known
// to spoil, and its report.
func awkwardRun(t *testing.T) (dir string, cells *results.Frame) {
	t.Helper()
	run := testrun.Quickstart(3)
	for i, row := range run.Cells {
		texts := []string{"a,b", `say "no"`, "two\nlines", "tab\there", "Größe μ²", " blanks ", "semi;colon", "it's", `back\slash`, "#hash", "a\r\nb"}
		row["dataset"] = texts[i%len(texts)]
		numbers := []any{0.1 + 0.2, 1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64, -1.5, math.Inf(1), math.Inf(-1), nil, 1e21, 123456789.125, math.Copysign(0, -1)}
		row["test_at_best_test"] = numbers[i%len(numbers)]
		row["seed"] = int64(1)<<53 - int64(i)
		if i%4 == 0 {
			row["error"], row["status"] = "row 3: \"x\", not a number;\n\tsee line 7", "failed"
		}
	}
	dir = testrun.Write(t, run)
	if _, err := Write(t.Context(), dir, Options{Formats: Formats[1:2], Figures: -1}); err != nil {
		t.Fatal(err)
	}
	cells, err := results.ReadTable(filepath.Join(dir, "cells.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, cells
}

// TestCellsCSV reads cells.csv by the rules of RFC 4180 and compares every value.
func TestCellsCSV(t *testing.T) {
	t.Parallel()
	dir, cells := awkwardRun(t)
	text, err := os.ReadFile(filepath.Join(dir, "report", "cells.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(string(text), "\r\n", "\x00"))).ReadAll() // which it would make \n
	if err != nil || len(lines) != cells.Rows()+1 {
		t.Fatalf("%d lines of %d cells, %v", len(lines), cells.Rows(), err)
	}
	for j, column := range cells.Columns {
		if lines[0][j] != column.Name {
			t.Errorf("column %d is %s, want %s", j, lines[0][j], column.Name)
		}
		for row := range cells.Rows() {
			compareCSV(t, "Go", column, cells.At(j, row), strings.ReplaceAll(lines[row+1][j], "\x00", "\r\n"), 0)
		}
	}
}

// compareCSV compares a value with its text, numbers within a relative tolerance.
func compareCSV(t *testing.T, reader string, column experiment.Column, want any, text string, tolerance float64) {
	t.Helper()
	ok := false
	switch want := want.(type) {
	case nil:
		ok = text == ""
	case float64:
		have, err := strconv.ParseFloat(text, 64)
		ok = err == nil && (have == want || math.Abs(have-want) <= tolerance*math.Abs(want))
	case int64:
		ok = text == strconv.FormatInt(want, 10)
	case time.Time:
		have, err := time.Parse(time.RFC3339Nano, text)
		ok = err == nil && have.Equal(want)
	case string:
		ok = text == want
	}
	if !ok {
		t.Errorf("%s reads %q in the column %s, want %v", reader, text, column.Name, want)
	}
}

// readersOfCSV are programs that print the cells of cells.csv, a line each of column, row
// and value, the value in hex. Numbers are shown with 17 digits.
var readersOfCSV = map[string]struct {
	programs  []string
	load      string // fails where a package is not there
	flag      string
	script    string
	tolerance float64 // R's numbers are off by a unit in the last place
}{
	"pandas": {[]string{"/usr/bin/python3", "python3"}, "import pandas", "-c", `
import sys, pandas
f = pandas.read_csv(sys.argv[1], float_precision="round_trip")
for c in f.columns:
    for i, v in enumerate(f[c]):
        text = "" if pandas.isna(v) else ("%.17g" % v if isinstance(v, float) else str(v))
        if isinstance(v, float) and v.is_integer() and abs(v) < 1e15: text = str(int(v))
        print(c, i, text.encode().hex() or "-")
`, 0},
	"R": {[]string{"Rscript"}, "0", "-e", `
f <- read.csv(commandArgs(TRUE)[1], na.strings="", check.names=FALSE, encoding="UTF-8")
for (c in names(f)) for (i in seq_along(f[[c]])) {
  v <- f[[c]][i]
  text <- if (is.na(v)) "" else if (is.numeric(v)) sprintf("%.17g", v) else as.character(v)
  cat(c, i - 1, if (text == "") "-" else paste(charToRaw(enc2utf8(text)), collapse=""), "\n")
}
`, 3e-16},
}

// TestCellsCSVByOthers has pandas and R read cells.csv.
func TestCellsCSVByOthers(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	dir, cells := awkwardRun(t)
	for name, reader := range readersOfCSV {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := needs.Program(t, "reading cells.csv by "+name, reader.programs...)
			if text, err := exec.CommandContext(t.Context(), program, reader.flag, reader.load).CombinedOutput(); err != nil {
				needs.Lacking(t, "reading cells.csv by %s: %v, %s", name, err, text)
			}
			out, err := exec.CommandContext(t.Context(), program, reader.flag, reader.script, filepath.Join(dir, "report", "cells.csv")).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			read := map[string]string{}
			for line := range strings.Lines(string(out)) {
				fields := strings.Fields(line)
				if len(fields) != 3 {
					t.Fatalf("%s prints %q", name, line)
				}
				text, err := hex.DecodeString(strings.TrimPrefix(fields[2], "-"))
				if err != nil {
					t.Fatal(err)
				}
				read[fields[0]+" "+fields[1]] = string(text)
			}
			if len(read) != cells.Rows()*len(cells.Columns) {
				t.Errorf("%d values of %d cells with %d columns", len(read), cells.Rows(), len(cells.Columns))
			}
			for j, column := range cells.Columns {
				for row := range cells.Rows() {
					want := cells.At(j, row)
					if text, ok := want.(string); ok && name == "R" { // whose text has one kind of line ends
						want = strings.ReplaceAll(text, "\r\n", "\n")
					}
					compareCSV(t, name, column, want, read[fmt.Sprint(column.Name, " ", row)], reader.tolerance)
				}
			}
		})
	}
}
