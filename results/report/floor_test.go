package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// flooredCells are those of two methods and the constant on a set with two levels of noise and
// on one whose conditions vary. At the higher level the plain fit is worse than the constant in
// the mean of the repeats, though not in each of them, and gaga is as good.
func flooredCells() []testrun.Row {
	var rows []testrun.Row
	add := func(method string, level float64, repeat int, score, validation float64) testrun.Row {
		row := testrun.Row{
			"dataset": "by-hand", "noise_level": level, "method": method, "repeat": repeat, "cell": fmt.Sprintf("%032x", 3_000_000+len(rows)),
			"best_validation": validation, "test_at_best_validation": score, "test_at_best_test": score - 0.01, "test_at_end": score,
			"protocol": "held-out", "n_train": 100,
		}
		if level > 0 {
			row["noise_kind"] = "gaussian"
		}
		switch method {
		case "constant":
			row["model"], row["alpha"] = nil, nil
		case "gaga":
			row["regularizer"] = "linear"
		}
		rows = append(rows, row)
		return row
	}
	for repeat, constant := range []float64{0.20, 0.22} {
		add("constant", 0, repeat+1, constant, 0.2)
		add("original", 0, repeat+1, 0.1, 0.1)
		add("gaga", 0, repeat+1, 0.11, 0.1)
		add("constant", 0.3, repeat+1, constant+0.01, 0.2)
		add("original", 0.3, repeat+1, []float64{0.15, 0.9}[repeat], 0.1)
		add("gaga", 0.3, repeat+1, constant+0.01, 0.1)
	}
	for _, rule := range []string{"standard", "minmax"} {
		for k, method := range []string{"constant", "original", "gaga"} {
			row := add(method, 0, 1, 0.5+0.1*float64(k)+map[string]float64{"minmax": 1}[rule], 0.1)
			row["dataset"], row["scale_target"] = "scaled", rule
		}
	}
	return rows
}

// TestFloor wants the first table to have the constant's mean over the repeats of the row in a
// column of its own, and the verdict to say what is not better; it is no method of a row.
func TestFloor(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Tables{Cells: flooredCells()})
	r, err := Load(t.Context(), dir, Options{Figures: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range append(r.Tables, r.Chosen...) {
		if got := strings.Join(table.Methods, " "); got != "original gaga" {
			t.Errorf("methods %s", got)
		}
	}
	want := map[string]float64{"by-hand none": 0.21, "by-hand gaussian 0.3": 0.22, "scaled target standard": 0.5, "scaled target minmax": 1.5}
	s := r.Answer().Sheets[0]
	last := len(s.Columns) - 1
	for last > 0 && s.Columns[last].Label { // how many repeats a row has
		last--
	}
	if s.Columns[last].Head != "constant" || len(s.Rows) != len(want) {
		t.Errorf("%d rows, the last column is %s", len(s.Rows), s.Columns[last].Head)
	}
	for _, row := range s.Rows {
		place := row[0].Text
		for _, cell := range row[1:] {
			if strings.HasPrefix(cell.Text, "target") || place == "by-hand" && (cell.Text == "none" || strings.HasPrefix(cell.Text, "gaussian")) {
				place += " " + cell.Text
			}
		}
		var got float64
		fmt.Sscan(row[last].Text, &got)
		if math.Abs(got-want[place]) > 1e-9 {
			t.Errorf("%s: the constant is %q, want %v", place, row[last].Text, want[place])
		}
	}
	const worse = "Not better than the constant: every method in 3 of 4 settings (by-hand, noise: gaussian 0.3"
	if got := r.Answer().Verdict; !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, worse) }) {
		t.Errorf("%q", got)
	}
	var file bytes.Buffer
	if err := csvFiles[0].Write(&file, r); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		for j, name := range lines[0] {
			if name == "test_at_best_validation_constant" && line[j] == "" {
				t.Errorf("no constant in %v", line)
			}
		}
	}
}

// TestWithoutFloor: results without cells of the constant have no such column.
func TestWithoutFloor(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for _, row := range flooredCells() {
		if row["method"] != "constant" {
			rows = append(rows, row)
		}
	}
	r, err := Load(t.Context(), testrun.Write(t, testrun.Tables{Cells: rows}), Options{Figures: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range r.Sections() {
		for _, s := range section.Sheets {
			for _, column := range s.Columns {
				if column.Head == "constant" || strings.Contains(s.Caption, "onstant") {
					t.Errorf("%s: %s, %s", s.Title, column.Head, s.Caption)
				}
			}
		}
	}
	for _, table := range r.Tables {
		if table.HasFloor() || table.NotBetter(table.Rows[0], 0, analysis.TestAtEnd) {
			t.Error("a constant out of nothing")
		}
	}
}
